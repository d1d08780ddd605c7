// Explicit tasks on teams of ordinary threads: each runs once, constructs wait for the right tasks, and memory is
// reused.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/settings/icv.hpp>
#include <callisto/openmp/tasking/dependence.hpp>
#include <callisto/openmp/tasking/explicit_task.hpp>
#include <callisto/openmp/tasking/task_memory.hpp>

#include "by_threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

CALLISTO_OPENMP_ABI void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                                   long alignment, bool if_clause, unsigned flags, void** depend, int priority,
                                   void* detach);
CALLISTO_OPENMP_ABI void GOMP_taskwait();
CALLISTO_OPENMP_ABI void GOMP_taskgroup_start();
CALLISTO_OPENMP_ABI void GOMP_taskgroup_end();
CALLISTO_OPENMP_ABI void omp_fulfill_event(std::uintptr_t event);

namespace callisto::openmp {
namespace {

/// task firstprivate(what), which calls what().
template <class F>
void make(F what, bool if_clause = true, unsigned flags = 0, void** depend = nullptr, int priority = 0,
          void* detach = nullptr) {
  static_assert(std::is_trivially_copyable_v<F>);
  GOMP_task([](void* data) { (*static_cast<F*>(data))(); }, &what, nullptr, sizeof what, alignof(F), if_clause, flags,
            depend, priority, detach);
}

class Tasks : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Threads, Tasks, testing::Values(1, 2, 4), testing::PrintToStringParamName());

void fib(int n, long* result, bool with_clause) {
  if (n < 2) {
    *result = n;
    return;
  }
  long a = 0;
  long b = 0;
  make([n, to = &a, with_clause] { fib(n - 1, to, with_clause); }, !with_clause || n > 10);
  make([n, to = &b, with_clause] { fib(n - 2, to, with_clause); }, !with_clause || n > 10);
  GOMP_taskwait();
  *result = a + b;
}

TEST_P(Tasks, Recursive) {
  for (const bool with_clause : {false, true}) {
    long result = 0;
    run_as_team(GetParam(), [&](const omp_thread& self) {
      if (self.at.number == 0) make([to = &result, with_clause] { fib(16, to, with_clause); });
    });
    EXPECT_EQ(result, 987);
  }
}

TEST_P(Tasks, OnlyTheRegionWaits) {
  // Each creates two more, deferred or not, so that tasks outlive their creators, included tasks as well.
  struct counter {
    static void grow(std::atomic<int>* count, int depth) {
      count->fetch_add(1);
      if (depth == 0) return;
      make([count, depth] { grow(count, depth - 1); });
      make([count, depth] { grow(count, depth - 1); }, false);
    }
  };
  std::atomic<int> count{0};
  run_as_team(GetParam(), [&](const omp_thread&) { counter::grow(&count, 9); });
  EXPECT_EQ(count.load(), static_cast<int>(GetParam()) * 1023);
}

TEST_P(Tasks, WaitingForChildrenLeavesTheRestToTheBarrier) {
  // Children outlive taskwait because of their own children, repeatedly; the barrier has to wait for them.
  const int threads = static_cast<int>(GetParam());
  std::atomic<int> wrong{0};
  std::atomic<int> done{0};
  run_as_team(GetParam(), [&](omp_thread& self) {
    for (int round = 1; round <= 100; ++round) {
      for (int wait = 0; wait < 3; ++wait) {
        for (int n = 0; n < 3; ++n) {
          make([to = &done] {
            for (int m = 0; m < 3; ++m) make([to] { to->fetch_add(1); });
          });
        }
        GOMP_taskwait();
      }
      self.in().barrier(self);
      if (done.load() != threads * round * 27) wrong.fetch_add(1);
      self.in().barrier(self);
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(Tasks, GroupsWaitForDescendants) {
  std::atomic<int> wrong{0};
  run_as_team(GetParam(), [&](const omp_thread&) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> done{0};
      GOMP_taskgroup_start();
      for (int n = 0; n < 4; ++n) {
        make([to = &done, n] {
          make([to] { to->fetch_add(1); }, n % 2 == 0);
          make([to] { to->fetch_add(1); });
        });
      }
      GOMP_taskgroup_end();
      if (done.load() != 8) wrong.fetch_add(1);
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(Tasks, DependencesOrder) {
  // A chain of writers with readers in between: each sees the writers before it.
  int value = 0;
  std::atomic<int> wrong{0};
  run_as_team(GetParam(), [&](const omp_thread& self) {
    if (self.at.number != 0) return;
    for (int n = 0; n < 30; ++n) {
      std::array<void*, 3> out{reinterpret_cast<void*>(1), reinterpret_cast<void*>(1), &value};
      std::array<void*, 3> in{reinterpret_cast<void*>(1), nullptr, &value};
      make([&value] { ++value; }, true, task_flag::depend, out.data());
      for (int reader = 0; reader < 2; ++reader) {
        make(
            [&value, &wrong, n] {
              if (value != n + 1) wrong.fetch_add(1);
            },
            n % 3 != 0 || reader == 0, task_flag::depend, in.data());
      }
    }
  });
  EXPECT_EQ(value, 30);
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(Tasks, AllMemoryIsAfterAndBeforeAllDependences) {
  std::array<std::atomic<int>, 3> places{};
  std::atomic<int> wrong{0};
  run_as_team(GetParam(), [&](const omp_thread& self) {
    if (self.at.number != 0) return;
    for (int round = 1; round <= 20; ++round) {
      for (int n = 0; n < 9; ++n) {
        std::array<void*, 3> on{reinterpret_cast<void*>(1), reinterpret_cast<void*>(n < 3 ? 1 : 0), &places[n % 3]};
        make(
            [&places, &wrong, n, round] {
              const int before = n < 3 ? places[n].fetch_add(1) : places[n % 3].load() - 1;
              if (before != 2 * (round - 1)) wrong.fetch_add(1);
            },
            true, task_flag::depend, on.data());
      }
      // All memory beside an address, which makes no difference; every second time undeferred.
      std::array<void*, 4> all{reinterpret_cast<void*>(2), reinterpret_cast<void*>(2), &places[1], nullptr};
      make(
          [&places, &wrong, round] {
            for (std::atomic<int>& place : places)
              if (place.fetch_add(1) != 2 * round - 1) wrong.fetch_add(1);
          },
          round % 2 == 0, task_flag::depend, all.data());
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  for (const std::atomic<int>& place : places) EXPECT_EQ(place.load(), 40);
}

TEST_P(Tasks, DetachedOnesEndWithTheirEvents) {
  std::atomic<int> finished{0};
  run_as_team(GetParam(), [&](const omp_thread& self) {
    if (self.at.number != 0) return;
    int place = 0;
    std::array<void*, 3> on{reinterpret_cast<void*>(1), reinterpret_cast<void*>(1), &place};
    std::uintptr_t event = 0;
    // The first datum of a detachable task is its event.
    struct first {
      std::uintptr_t event = 0;
      std::atomic<int>* count = nullptr;
      void operator()() const { count->fetch_add(1); }
    };
    make(first{0, &finished}, true, task_flag::depend | task_flag::detach, on.data(), 0, &event);
    make([to = &finished] { to->fetch_add(to->load() == 101 ? 1000 : 0); }, true, task_flag::depend, on.data());
    const std::jthread other([event, &finished] {
      finished.fetch_add(100);
      omp_fulfill_event(event);
    });
    GOMP_taskwait();
    EXPECT_EQ(finished.load(), 1101);
  });
}

TEST(TaskPriorities, HigherOnesFirst) {
  const int before = std::exchange(icvs().max_task_priority, 9);
  std::vector<int> order_of_begin;
  std::atomic<bool> all_made{false};
  run_as_team(2, [&](const omp_thread& self) {
    if (self.at.number != 0) {
      // Comes to the barrier, and so to the tasks, only after they exist, as the other thread does.
      while (!all_made.load()) std::this_thread::yield();
      return;
    }
    GOMP_taskgroup_start();
    std::atomic<int> runs{0};
    for (const int priority : {3, 9, 0, 5, 3})
      make(
          [&order_of_begin, &runs, priority] {
            // One at a time, because the test is about the order in which tasks are taken.
            order_of_begin.push_back(priority);
            runs.fetch_add(1);
          },
          true, task_flag::priority, nullptr, priority);
    GOMP_taskgroup_end();
    all_made.store(true);
  });
  icvs().max_task_priority = before;
  EXPECT_EQ(order_of_begin, (std::vector<int>{9, 5, 3, 3, 0}));
}

TEST(TaskMemory, BlocksAreUsedAgain) {
  task_memory memory;
  void* const small = memory.take(200);
  void* const large = memory.take(3000);
  void* const huge = memory.take(1 << 20);
  EXPECT_NE(small, large);
  memory.give(small, 200);
  memory.give(large, 3000);
  memory.give(huge, 1 << 20);
  EXPECT_EQ(memory.take(250), small);
  EXPECT_EQ(memory.take(2100), large);
  std::set<void*> all{small, large};
  for (int n = 0; n < 300; ++n) all.insert(memory.take(256));
  EXPECT_EQ(all.size(), 302U) << "no block was handed out twice";
  for (void* const each : all) memory.give(each, each == large ? 3000 : 256);
}

TEST(TaskMemory, WhatOthersFinishComesBack) {
  task_memory maker;
  task_memory finisher;
  std::set<void*> all;
  for (int n = 0; n < 300; ++n) all.insert(maker.take(256));
  ASSERT_EQ(all.size(), 300U);
  for (void* const each : all) finisher.give(each, 256);
  // The finisher keeps less than half of the blocks; the maker gets the others back.
  std::set<void*> again;
  for (int n = 0; n < 150; ++n) {
    void* const block = maker.take(256);
    EXPECT_TRUE(all.contains(block));
    EXPECT_TRUE(again.insert(block).second) << "no block was handed out twice";
  }
  for (void* const each : again) maker.give(each, 256);
}

}  // namespace
}  // namespace callisto::openmp
