// outer_parallel_for: nested loops on real threads, on parts of the machine at hand.
//
// The tests assert which thread runs an iteration only where the runtime promises it. Which of the permitted threads
// take part is open.
#include "../sanitizers.hpp"

#include <callisto/callisto.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace callisto {
namespace {

/// With more threads than contexts, so that cores have several.
class Nested : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    set_threads(8 * std::thread::hardware_concurrency());
    set_levels(nesting::parse(GetParam(), "test"));
  }
  void TearDown() override {
    set_levels(nesting());
    set_threads(2);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Nested,
                         ::testing::Values("1:thread", "1:core", "2:socket,1:core", "1:machine", "3:machine,1:core",
                                           "2:core,1:core"));

const loop_options one_by_one{.batch = 1};

void linger() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

TEST_P(Nested, RunsEveryIterationOfBothLevelsOnce) {
  for (const unsigned level : {0u, 1u, 2u, 3u, 9u}) {
    std::vector<std::atomic<int>> seen(40 * 30);
    outer_parallel_for(
        level, 0u, 40u,
        [&](unsigned i) { parallel_for(0u, 30u, [&](unsigned j) { seen[i * 30 + j].fetch_add(1); }, one_by_one); },
        one_by_one);
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto& s) { return s == 1; })) << level;
  }
}

TEST_P(Nested, ThreeLevelsDeepAndInTheWrongOrder) {
  for (const auto& [outer, middle] : {std::pair{2u, 1u}, std::pair{1u, 2u}, std::pair{1u, 1u}, std::pair{0u, 1u}}) {
    std::atomic<long> total{0};
    outer_parallel_for(
        outer, 0, 10,
        [&](int i) {
          outer_parallel_for(
              middle, 0, 10,
              [&](int j) { total += parallel_reduce(0, 100, 0L, [&](int k) { return long{i} * j + k; }); }, one_by_one);
        },
        one_by_one);
    EXPECT_EQ(total, 45L * 45 * 100 + 100 * 4950);
  }
}

TEST_P(Nested, InnerLoopsSeeWhatTheirOuterIterationWroteAndTheOtherWayRound) {
  for (int round = 0; round < 20; ++round) {
    std::vector<long> sums(16);
    outer_parallel_for(
        1, std::size_t{0}, sums.size(),
        [&](std::size_t i) {
          std::vector<long> local(100, static_cast<long>(i));  // plain: the loops must order it
          for (int pass = 0; pass < 3; ++pass) parallel_for(local, [](long& x) { ++x; }, {.batch = 7});
          sums[i] = std::accumulate(local.begin(), local.end(), 0L);
        },
        one_by_one);
    for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], 100 * (static_cast<long>(i) + 3));
  }
}

TEST_P(Nested, NumbersAreBelowTheNumberOfThreads) {
  const unsigned all = threads();
  std::atomic<bool> wrong{false};
  std::vector<std::atomic<int>> outside(all);
  outer_parallel_for(
      1, 0, 64,
      [&](int) {
        const unsigned mine = this_thread();
        if (mine >= all || outside[mine].fetch_add(1) != 0) wrong = true;  // two threads of a loop have two numbers
        std::vector<std::atomic<int>> inside(all);
        parallel_for(
            0, 16,
            [&](int) {
              const unsigned here = this_thread();
              if (here >= all || inside[here].fetch_add(1) != 0) wrong = true;
              linger();
              inside[here].fetch_sub(1);
            },
            one_by_one);
        if (this_thread() != mine) wrong = true;
        outside[mine].fetch_sub(1);
      },
      one_by_one);
  EXPECT_FALSE(wrong);
  EXPECT_EQ(this_thread(), 0u);
}

TEST_P(Nested, AnInnerLoopRunsOnThreadsOfItsOuterIterationAlone) {
  // A thread that helps iteration i of the outer loop is in no other iteration meanwhile: all of a part's threads come
  // to the iterations that its first thread runs.
  std::atomic<bool> wrong{false};
  static thread_local int busy_with = -1;
  outer_parallel_for(
      1, 0, 32,
      [&](int i) {
        if (busy_with != -1) wrong = true;
        busy_with = i;
        parallel_for(
            0, 16,
            [&](int) {
              const int before = busy_with;
              if (before != -1 && before != i) wrong = true;
              busy_with = i;
              linger();
              busy_with = before;
            },
            one_by_one);
        busy_with = -1;
      },
      one_by_one);
  EXPECT_FALSE(wrong);
}

TEST_P(Nested, ExceptionsOfInnerLoopsReachTheCallerOfTheOuterOne) {
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> begun{0};
    EXPECT_THROW(outer_parallel_for(
                     1, 0, 1000,
                     [&](int i) {
                       begun.fetch_add(1);
                       parallel_for(0, 100, [&](int j) {
                         if (i == 3 && j == 50) throw std::runtime_error("inner");
                       });
                     },
                     one_by_one),
                 std::runtime_error);
    EXPECT_GE(begun, 1);
    std::atomic<int> after{0};
    outer_parallel_for(1, 0, 10, [&](int) { parallel_for(0, 10, [&](int) { after.fetch_add(1); }); });
    EXPECT_EQ(after, 100);
  }
}

TEST_P(Nested, AStopEndsBothLoops) {
  std::stop_source stop;
  std::atomic<long> ran{0};
  const bool complete = outer_parallel_for(1, 0, 1'000'000,
                                           [&](int) {
                                             parallel_for(0, 1000,
                                                          [&](int) {
                                                            if (ran.fetch_add(1) == 500) stop.request_stop();
                                                          },
                                                          {.batch = 1, .stop = stop.get_token()});
                                           },
                                           {.batch = 1, .stop = stop.get_token()});
  EXPECT_FALSE(complete);
  EXPECT_LT(ran, 100'000'000);
}

TEST_P(Nested, SeveralApplicationThreadsLeadOuterLoopsAtOnce) {
  std::vector<std::jthread> leaders;
  std::atomic<int> wrong{0};
  for (int l = 0; l < 4; ++l) {
    leaders.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const long sum = outer_parallel_reduce(
            1, 0, 8, 0L,
            [](int i) {
              return outer_parallel_reduce(0, 0, 50, 0L, [&](int j) { return long{i} + j; }, std::plus<>(), one_by_one);
            },
            std::plus<>(), one_by_one);
        if (sum != 28 * 50 + 8 * 1225) wrong.fetch_add(1);
        std::atomic<int> flat{0};
        parallel_for(0, 50, [&](int) { flat.fetch_add(1); }, one_by_one);
        if (flat != 50) wrong.fetch_add(1);
      }
    });
  }
  leaders.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_P(Nested, SettingsChangeWhileAnotherThreadsNestedLoopsRun) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  {
    std::jthread leader([&] {
      while (!stop) {
        std::atomic<int> ran{0};
        outer_parallel_for(
            1, 0, 8, [&](int) { parallel_for(0, 8, [&](int) { ran.fetch_add(1); }, one_by_one); }, one_by_one);
        if (ran != 64) wrong.fetch_add(1);
      }
    });
    for (int round = 0; round < 5; ++round) {
      set_threads(4);
      set_levels(nesting::parse("1:machine", "test"));
      set_threads(9);
      set_levels(nesting::parse(GetParam(), "test"));
    }
    stop = true;
  }
  EXPECT_EQ(wrong, 0);
}

struct per_thread {
  long value;
};

struct squares {
  std::atomic<long> total{0};
  std::atomic<unsigned> states{0};
  void fork(per_thread& mine) {
    mine.value = 0;
    states.fetch_add(1);
  }
  void work(per_thread& mine, int i) {
    mine.value += parallel_reduce(0, i, 0L, [&](int) { return long{i}; });
    linger();
  }
  void join(per_thread& mine) { total += mine.value; }
};

TEST_P(Nested, ThereIsAPerThreadStateForEachPart) {
  squares body;
  outer_parallel_for<squares, per_thread, int>(1, body, 0, 64, one_by_one);
  EXPECT_EQ(body.total, 63L * 64 * 127 / 6);
  const std::string unit = GetParam();
  EXPECT_LE(body.states, unit == "1:machine"  ? 1u
                         : unit == "1:thread" ? threads()
                                              : std::thread::hardware_concurrency());
}

TEST_P(Nested, EveryFormTakesALevel) {
  std::vector<int> values(100, 1);
  outer_parallel_for(1, values, [](int& x) { ++x; });
  outer_parallel_for(1, values.begin(), values.end(), [](int& x) { ++x; });
  outer_parallel_for(1, std::size_t{0}, values.size(), [&](std::size_t b, std::size_t e) {
    for (; b != e; ++b) ++values[b];
  });
  struct {
    std::atomic<int> total{0};
    void work(int i) { total += i; }
  } body;
  outer_parallel_for<decltype(body), int>(1, body, 0, 100);
  EXPECT_EQ(body.total, 4950);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 400);
}

TEST_P(Nested, LoopsAreCounted) {
  reset_loop_statistics();
  count_loops(true);
  outer_parallel_for(1, 0, 16, [](int) { parallel_for(0, 100, [](int) {}, one_by_one); }, one_by_one);
  count_loops(false);
  std::uint64_t loops = 0;
  std::uint64_t iterations = 0;
  for (const auto& site : loop_statistics()) {
    loops += site.loops;
    for (const auto& t : site.threads) iterations += t.iterations;
  }
  EXPECT_EQ(loops, 17u);
  EXPECT_EQ(iterations, 1616u);
}

#if defined(CALLISTO_CHILDREN_WORK)
TEST_P(Nested, AForkInsideANestedLoopLeavesAChildThatWorks) {
  std::atomic<int> failures{0};
  outer_parallel_for(
      1, 0, 4,
      [&](int i) {
        parallel_for(
            0, 4,
            [&](int j) {
              if (i != 1 || j != 1) return;
              const pid_t child = fork();
              if (child == 0) {
                alarm(20);  // a hang is a failure
                int status = 1;
                std::thread([&] {
                  status = outer_parallel_reduce(
                               1, 0, 10, 0L,
                               [](int) { return parallel_reduce(0, 100, 0L, [](int k) { return long{k}; }); }) == 49500
                               ? 0
                               : 1;
                }).join();
                _exit(status);
              }
              int status = -1;
              waitpid(child, &status, 0);
              if (status != 0) failures.fetch_add(1);
            },
            one_by_one);
      },
      one_by_one);
  EXPECT_EQ(failures, 0);
}
#endif

/// Runs `f` on a thread with a stack of so many bytes.
void on_a_stack_of(std::size_t bytes, std::function<void()> f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* its) -> void* {
                  (*static_cast<std::function<void()>*>(its))();
                  return nullptr;
                },
                &f),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

int chain_of_loops(int depth) {
  int below = 0;
  if (depth != 0) parallel_for(0, 1, [&](int) { below = chain_of_loops(depth - 1); });
  return below + 1;
}

TEST(NestedStacks, RecursionByLoopsOfOneIterationTakesAKilobyteALevel) {
  if (tests::sanitized) GTEST_SKIP() << "sanitizers have larger frames";
  set_threads(2);
  int deep = 0;
  on_a_stack_of(std::size_t{1} << 20, [&] { deep = chain_of_loops(900); });
  EXPECT_EQ(deep, 901);
}

TEST(NestedStacks, LoopsRunOnSmallStacks) {
  if (tests::sanitized) GTEST_SKIP() << "sanitizers have larger frames";
  set_threads(2);
  long sum = 0;
  std::atomic<int> inner{0};
  on_a_stack_of(std::size_t{16} << 10, [&] {
    sum = parallel_reduce(0, 100'000, 0L, [](int i) { return long{i}; });
    parallel_for(0, 100, [&](int) { parallel_for(0, 10, [&](int) { inner.fetch_add(1); }); });
  });
  EXPECT_EQ(sum, 4'999'950'000);
  EXPECT_EQ(inner, 1000);
}

TEST(NestedSettings, LevelsComeFromTheEnvironmentUnlessSet) {
  set_threads(2);
  setenv("CALLISTO_LEVELS", "1:numa", 1);
  set_threads(3);
  EXPECT_EQ(levels().to_string(), "1:numa");
  setenv("CALLISTO_LEVELS", "1:nonsense", 1);
  EXPECT_THROW(set_threads(2), usage_error);
  unsetenv("CALLISTO_LEVELS");
  EXPECT_EQ(threads(), 3u);
  EXPECT_EQ(levels().to_string(), "1:numa") << "a refused setting changes nothing";
  set_levels(nesting::parse("2:machine,1:l3", "test"));
  set_threads(2);
  EXPECT_EQ(levels().to_string(), "2:machine,1:l3");
  parallel_for(0, 4, [](int) { EXPECT_THROW(set_levels(nesting()), usage_error); }, one_by_one);
  set_levels(nesting());
  EXPECT_EQ(levels().to_string(), "2:socket,1:core");
}

}  // namespace
}  // namespace callisto
