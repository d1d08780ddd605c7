// One core: tasks, workers that stop and go on, the ready queue, stacks.
#include "../sanitizers.hpp"

#include <callisto/global/tasks/core.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace callisto::global {
namespace {

/// A core alone: no messages, nothing to steal.
class alone : public core_duties {
 public:
  bool poll(core&) override { return false; }
  /// Lets the root worker look when all others wait.
  bool find_work(core& c) override {
    if (!finishing) return false;
    c.wake_here(c.root());
    return true;
  }
  void sleep(core& c, unsigned) override { c.park(std::chrono::seconds(1)); }
  void failed(core&, std::exception_ptr e) noexcept override { thrown.push_back(e); }
  std::vector<std::exception_ptr> thrown;

  /// Lets all tasks of the core end; the root worker calls it.
  void finish(core& c) {
    finishing = true;
    while (c.counts().tasks_finished != c.counts().tasks_created) c.suspend();
    finishing = false;
  }
  /// Lets the others go on until nothing moves; the root worker calls it.
  void settle(core& c) {
    finishing = true;
    c.suspend();
    finishing = false;
  }

 private:
  bool finishing = false;
};

TEST(Tasks, RunOnceEach) {
  alone duties;
  core c(duties, {});
  std::vector<int> runs(1000);
  for (std::size_t i = 0; i != runs.size(); ++i) spawn([&runs, i] { ++runs[i]; });
  duties.finish(c);
  for (const int r : runs) EXPECT_EQ(r, 1);
}

TEST(Tasks, SpawnFromTasks) {
  alone duties;
  core c(duties, {});
  std::size_t ended = 0;
  const auto tree = [&](auto self, unsigned depth) -> void {
    if (depth != 0) {
      for (int child = 0; child != 2; ++child) spawn([self, depth] { self(self, depth - 1); });
    }
    ++ended;
  };
  spawn([&] { tree(tree, 12); });
  duties.finish(c);
  EXPECT_EQ(ended, (std::size_t{1} << 13) - 1);
}

TEST(Tasks, LargeAndMoveOnlyClosures) {
  alone duties;
  core c(duties, {});
  std::array<int, 100> many{};
  many.fill(7);
  auto owned = std::make_unique<int>(5);
  int sum = 0;
  spawn([many, &sum] { sum += many[99]; });
  spawn([owned = std::move(owned), &sum] { sum += *owned; });
  duties.finish(c);
  EXPECT_EQ(sum, 12);
}

TEST(Tasks, ClosuresThatNeverRunAreDestroyed) {
  auto shared = std::make_shared<int>(1);
  {
    alone duties;
    core c(duties, {});
    spawn([shared] {});
    EXPECT_EQ(shared.use_count(), 2);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Workers, SuspendUntilWoken) {
  alone duties;
  core c(duties, {});
  wait_list waiting;
  std::vector<int> order;
  for (int i = 0; i != 5; ++i) {
    spawn([&, i] {
      waiting.push(this_worker());
      suspend();
      order.push_back(i);
    });
  }
  duties.settle(c);
  EXPECT_TRUE(order.empty());
  std::vector<worker*> woken;
  while (worker* const w = waiting.pop()) woken.push_back(w);
  ASSERT_EQ(woken.size(), 5U);
  for (worker* const w : woken) wake(*w);
  duties.finish(c);
  EXPECT_EQ(order.size(), 5U);
}

TEST(Workers, FirstWokenGoesFirst) {
  alone duties;
  core c(duties, {});
  std::vector<worker*> workers;
  std::vector<worker*> went;
  for (int i = 0; i != 50; ++i) {
    spawn([&] {
      workers.push_back(&this_worker());
      suspend();
      went.push_back(&this_worker());
    });
  }
  duties.settle(c);
  for (worker* const w : workers) wake(*w);
  duties.finish(c);
  EXPECT_EQ(went, workers);
}

TEST(Workers, AWakeBeforeTheSuspendCounts) {
  alone duties;
  core c(duties, {});
  bool ended = false;
  spawn([&] {
    wake(this_worker());
    suspend();
    ended = true;
  });
  duties.finish(c);
  EXPECT_TRUE(ended);
}

TEST(Workers, YieldTakesTurns) {
  alone duties;
  core c(duties, {});
  std::string turns;
  for (const char name : {'a', 'b'}) {
    spawn([&turns, name] {
      for (int i = 0; i != 4; ++i) {
        turns += name;
        yield();
      }
    });
  }
  duties.finish(c);
  // The one that begins first may have a turn before the other exists, and the other a turn after its end.
  for (std::size_t i = 1; i + 2 < turns.size(); ++i) EXPECT_NE(turns[i], turns[i + 1]) << turns;
}

TEST(Workers, ManyAtOnce) {
  alone duties;
  core c(duties, {.plenty = 20'000});
  constexpr std::size_t many = tests::sanitized ? 2'000 : 20'000;  // ThreadSanitizer allows 8,128 contexts
  std::vector<worker*> workers;
  std::size_t ended = 0;
  for (std::size_t i = 0; i != many; ++i) {
    spawn([&] {
      std::array<char, 100> mine{};
      mine.fill(static_cast<char>(workers.size()));
      const auto kept = mine;
      workers.push_back(&this_worker());
      suspend();
      if (mine == kept) ++ended;
    });
  }
  duties.settle(c);
  ASSERT_EQ(workers.size(), many);
  EXPECT_EQ(std::set<worker*>(workers.begin(), workers.end()).size(), many);
  for (worker* const w : workers) wake(*w);
  duties.finish(c);
  EXPECT_EQ(ended, many);
  c.trim();
  bool again = false;
  spawn([&] { again = true; });
  duties.finish(c);
  EXPECT_TRUE(again);
}

// Tasks that wait for tasks beyond plenty: the latter must start all the same.
TEST(Workers, PlentyIsNoLimit) {
  alone duties;
  core c(duties, {.plenty = 4});
  std::vector<worker*> waiting;
  spawn([&] {
    for (worker* const w : waiting) wake(*w);
  });
  for (int i = 0; i != 40; ++i) {
    spawn([&] {
      waiting.push_back(&this_worker());
      suspend();
    });
  }
  // The first task runs last, as the youngest task goes first.
  duties.finish(c);
  EXPECT_EQ(waiting.size(), 40U);
}

TEST(Workers, ExceptionsStayWithTheirWorker) {
  alone duties;
  core c(duties, {});
  std::vector<std::string> caught;
  for (int i = 0; i != 3; ++i) {
    spawn([&caught, i] {
      try {
        throw std::runtime_error(std::to_string(i));
      } catch (const std::runtime_error&) {
        yield();  // others throw meanwhile
        try {
          throw;
        } catch (const std::runtime_error& mine) {
          caught.push_back(mine.what());
        }
      }
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    });
  }
  duties.finish(c);
  EXPECT_EQ(std::set<std::string>(caught.begin(), caught.end()), (std::set<std::string>{"0", "1", "2"}));
}

TEST(Workers, WhatATaskThrowsIsTold) {
  alone duties;
  core c(duties, {});
  spawn([] { throw std::out_of_range("far"); });
  duties.finish(c);
  ASSERT_EQ(duties.thrown.size(), 1U);
  EXPECT_THROW(std::rethrow_exception(duties.thrown[0]), std::out_of_range);
}

TEST(Workers, AnotherThreadWakes) {
  alone duties;
  core c(duties, {});
  std::atomic<worker*> waiting{nullptr};
  std::atomic<int> told{0};
  std::thread waker([&] {
    for (int round = 1; round <= 200; ++round) {
      waiting.wait(nullptr);
      worker* const w = waiting.exchange(nullptr);
      told = round;
      wake(*w);
    }
  });
  int seen = 0;
  spawn([&] {
    for (int round = 1; round <= 200; ++round) {
      waiting = &this_worker();
      waiting.notify_one();
      while (told != round) suspend();
      ++seen;
    }
  });
  duties.finish(c);
  waker.join();
  EXPECT_EQ(seen, 200);
}

TEST(Workers, AnotherThreadPosts) {
  alone duties;
  core c(duties, {});
  int ran = 0;
  worker& root = this_worker();
  std::thread poster([&] {
    for (int i = 0; i != 100; ++i) {
      c.post(task([&] {
        if (++ran == 100) wake(root);
      }));
    }
  });
  while (ran != 100) suspend();
  poster.join();
  EXPECT_EQ(ran, 100);
}

TEST(Stacks, AStoreReusesAndTrims) {
  stack_store stacks(20'000, 0);
  EXPECT_EQ(stacks.stack_bytes(), 32'768U);
  std::set<std::byte*> taken;
  for (int i = 0; i != 300; ++i) {
    std::byte* const s = stacks.take();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s) % 32'768, 0U);
    std::memset(s, 1, 32'768);
    EXPECT_TRUE(taken.insert(s).second);
  }
  for (std::byte* const s : taken) stacks.give_back(s);
  EXPECT_EQ(stacks.used(), 0U);
  stacks.trim(10);
  EXPECT_EQ(stacks.warm(), 10U);
  for (int i = 0; i != 300; ++i) {
    std::byte* const s = stacks.take();
    EXPECT_EQ(taken.count(s), 1U);
    EXPECT_EQ(s[5000], i < 10 ? std::byte{1} : std::byte{0});
  }
  EXPECT_EQ(stacks.used(), 300U);
}

/// Uses so many bytes of stack.
[[gnu::noinline]] int deep(std::size_t bytes) {
  volatile char frame[512];  // NOLINT(modernize-avoid-c-arrays): std::array has no volatile elements
  for (volatile char& at : frame) at = 1;
  return bytes <= sizeof frame ? frame[0] : frame[0] + deep(bytes - sizeof frame);
}

/// Runs three tasks, so that an overflow hits what is ours, and lets the last one go too deep.
void overflow(std::size_t guards) {
  alone duties;
  core c(duties, {.stack_bytes = 16'384, .guards = guards});
  for (const std::size_t bytes : {18'000, 100, 100}) {
    spawn([bytes] {
      yield();
      deep(bytes);
    });
  }
  duties.finish(c);
}

TEST(StacksDeathTest, AnOverflowIsOneLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (tests::sanitized) GTEST_SKIP() << "sanitizers keep frames elsewhere";
  EXPECT_DEATH(overflow(0), "a task needs more than the 16384 bytes of a worker's stack");
}

TEST(StacksDeathTest, AGuardPageIsOneLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (tests::sanitized) GTEST_SKIP() << "sanitizers have handlers of their own";
  EXPECT_DEATH(overflow(100), "a task needs more than the 16384 bytes of a worker's stack");
}

TEST(Stacks, DeepTasksThatFitAreFine) {
  alone duties;
  core c(duties, {.stack_bytes = 32'768, .guards = 0});
  int ended = 0;
  for (int i = 0; i != 10; ++i) {
    spawn([&ended] {
      ended += deep(20'000) > 0 ? 1 : 0;
      yield();
    });
  }
  duties.finish(c);
  EXPECT_EQ(ended, 10);
}

}  // namespace
}  // namespace callisto::global
