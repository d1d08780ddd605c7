// Loops inside of other loops use idle threads, and loops with a limit use no more threads than it.
#include <callisto/algorithms.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <unistd.h>

namespace callisto {
namespace {

class InnerLoops : public testing::Test {
 protected:
  InnerLoops() { set_threads(4); }
};

/// What threads run at a time, and how many different ones.
class presence {
 public:
  /// Says that a thread runs a body, for as long as the result lives.
  class visit {
   public:
    explicit visit(presence& at) : at_(at) {
      const int now = ++at_.inside_;
      int most = at_.most_;
      while (most < now && !at_.most_.compare_exchange_weak(most, now)) {
      }
      at_.came_[this_thread()] = true;
    }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;
    ~visit() { --at_.inside_; }

   private:
    presence& at_;
  };
  int most_at_once() const { return most_; }
  long different() const { return std::count(came_.begin(), came_.end(), true); }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
  std::array<std::atomic<bool>, 64> came_{};
};

/// Runs loops of iterations of a millisecond in one iteration of an outer loop, until a second thread comes.
template <class Inner>
void second_thread_comes(const Inner& inner) {
  presence seen;
  std::stop_source stop;
  parallel_for(0, 4, [&](int i) {
    if (i != 0) return;
    const auto body = [&](int) {
      const presence::visit here(seen);
      usleep(1000);
      if (seen.different() > 1) stop.request_stop();
    };
    inner(body, stop.get_token());
  });
  EXPECT_GT(seen.different(), 1);
}

TEST_F(InnerLoops, UseThreadsThatAreIdle) {
  second_thread_comes(
      [](auto& body, std::stop_token stop) { static_cast<void>(parallel_for(0, 60'000, body, {.stop = stop})); });
}

TEST_F(InnerLoops, UseThreadsThatAreIdleTwoLoopsDeep) {
  second_thread_comes([](auto& body, std::stop_token stop) {
    parallel_for(0, 2, [&](int i) {
      if (i == 1) static_cast<void>(parallel_for(0, 60'000, body, {.stop = stop}));
    });
  });
}

void any_body(long n, const std::function<void(long)>& f, const loop_options& how = {}) { parallel_for(0L, n, f, how); }

TEST_F(InnerLoops, UseThreadsThatAreIdleAfterLightLoopsOfTheSamePlace) {
  // Without another thread each loop lasts a minute.
  for (int round = 0; round < 3; ++round) {
    presence seen;
    std::stop_source stop;
    parallel_for(0, 4, [&](int outer) {
      if (outer != 0) return;
      for (int light = 0; light < 100; ++light) any_body(100, [](long) {});
      any_body(60'000,
               [&](long) {
                 const presence::visit here(seen);
                 usleep(1000);
                 if (seen.different() > 1) stop.request_stop();
               },
               {.stop = stop.get_token()});
    });
    EXPECT_GT(seen.different(), 1) << "round " << round;
  }
}

// ctest runs each test in a process of its own: here, the first loop of one is in a task.
TEST_F(InnerLoops, UseThreadsThatAreIdleFromTasks) {
  presence seen;
  std::stop_source stop;
  task_group all;
  std::atomic<bool> begun{false};
  all.run([&] {
    begun = true;
    begun.notify_all();
    static_cast<void>(parallel_for(0, 60'000,
                                   [&](int) {
                                     const presence::visit here(seen);
                                     usleep(1000);
                                     if (seen.different() > 1) stop.request_stop();
                                   },
                                   {.stop = stop.get_token()}));
  });
  begun.wait(false);  // a follower runs the task
  all.wait();
  EXPECT_GT(seen.different(), 1);
}

TEST_F(InnerLoops, RunEachIterationOnce) {
  for (const long n : {2L, 3L, 8L, 15L, 16L, 100L, 5000L}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(6 * n));
    parallel_for(0L, 6L, [&](long outer) {
      EXPECT_TRUE(parallel_for(0L, n, [&](long i) {
        ++runs[static_cast<std::size_t>(outer * n + i)];
        if (outer == 0 && i % 64 == 0) usleep(300);
      }));
    });
    for (const auto& r : runs) ASSERT_EQ(r, 1) << n;
  }
}

TEST_F(InnerLoops, HaveNumbersOfTheirOwn) {
  std::array<std::atomic<int>, 64> inside{};
  parallel_for(0, 3, [&](int) {
    parallel_for(0, 200, [&](int) {
      EXPECT_LT(this_thread(), 4u);
      EXPECT_EQ(inside[this_thread()]++, 0) << "two threads with one number";
      usleep(200);
      --inside[this_thread()];
    });
  });
}

TEST_F(InnerLoops, ReduceThrowAndStop) {
  parallel_for(0, 4, [&](int outer) {
    EXPECT_EQ(parallel_reduce(
                  0L, 3000L, 0L,
                  [&](long i) {
                    if (outer == 0 && i % 100 == 0) usleep(300);
                    return i;
                  },
                  std::plus<>{}),
              3000L * 2999 / 2);
    EXPECT_THROW(parallel_for(0, 300,
                              [&](int i) {
                                usleep(30);
                                if (i == 200) throw std::runtime_error("inner");
                              }),
                 std::runtime_error);
    std::stop_source stop;
    EXPECT_FALSE(parallel_for(0, 1'000'000'000,
                              [&](int i) {
                                if (i > 100) stop.request_stop();
                              },
                              {.stop = stop.get_token()}));
  });
}

TEST_F(InnerLoops, ALimitHoldsForOneLoop) {
  presence seen;
  std::atomic<int> runs{0};
  EXPECT_TRUE(parallel_for(0, 300,
                           [&](int) {
                             const presence::visit here(seen);
                             usleep(200);
                             ++runs;
                           },
                           {.threads = 2}));
  EXPECT_EQ(runs, 300);
  EXPECT_LE(seen.most_at_once(), 2);
}

TEST_F(InnerLoops, ALimitBringsThatManyThreads) {
  presence seen;
  std::stop_source stop;
  static_cast<void>(parallel_for(0, 60'000,
                                 [&](int) {
                                   const presence::visit here(seen);
                                   usleep(1000);
                                   if (seen.most_at_once() == 3) stop.request_stop();
                                 },
                                 {.stop = stop.get_token(), .threads = 3}));
  EXPECT_EQ(seen.most_at_once(), 3);
}

TEST_F(InnerLoops, ALimitHoldsForAScopeAndInside) {
  presence seen;
  {
    const thread_limit two(2);
    const thread_limit ten(10);
    for (int round = 0; round < 5; ++round) {
      parallel_for(0, 20, [&](int) {
        parallel_for(0, 10, [&](int) {
          const presence::visit here(seen);
          usleep(20);
        });
      });
    }
    EXPECT_LE(seen.most_at_once(), 2);
    const thread_limit one(1);
    const std::thread::id me = std::this_thread::get_id();
    parallel_for(0, 1000, [&](int) { EXPECT_EQ(std::this_thread::get_id(), me); });
  }
  EXPECT_EQ(machine::native::most_threads(), 0u);
  EXPECT_THROW(thread_limit(0), usage_error);
}

TEST_F(InnerLoops, FollowersForgetALimit) {
  parallel_for(0, 100, [](int) { usleep(50); }, {.threads = 3});
  std::atomic<int> limited{0};
  parallel_for(0, 1000, [&](int) {
    if (machine::native::most_threads() != 0) ++limited;
  });
  EXPECT_EQ(limited, 0);
}

}  // namespace
}  // namespace callisto
