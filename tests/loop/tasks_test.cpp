// Task groups and parallel_invoke: each task runs once, on any thread, and groups nest, throw and are cancelled.
#include "../forked_child.hpp"
#include "../sanitizers.hpp"

#include <callisto/algorithms.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace callisto {
namespace {

class Tasks : public testing::TestWithParam<unsigned> {
 protected:
  Tasks() { set_threads(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Threads, Tasks, testing::Values(1u, 2u, 4u), testing::PrintToStringParamName());

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  task_group both;
  both.run([&] { a = fib(n - 1); });
  const long b = fib(n - 2);
  both.wait();
  return a + b;
}

TEST_P(Tasks, RecursionGivesEachResult) { EXPECT_EQ(fib(20), 6765); }

TEST_P(Tasks, ManyTasksOfOneGroupRunOnce) {
  std::vector<std::atomic<int>> runs(20'000);  // more than a thread's deque holds
  task_group all;
  for (auto& r : runs) all.run([&r] { ++r; });
  EXPECT_TRUE(all.wait());
  EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& r) { return r == 1; }));
}

TEST_P(Tasks, TasksAddTasksToTheirGroup) {
  task_group all;
  std::atomic<int> leaves{0};
  struct tree {
    task_group& in;
    std::atomic<int>& leaves;
    void grow(int depth) const {
      if (depth == 0) {
        ++leaves;
        return;
      }
      for (int k = 0; k < 3; ++k) in.run([*this, depth] { grow(depth - 1); });
    }
  };
  all.run([&] { tree{all, leaves}.grow(6); });
  all.wait();
  EXPECT_EQ(leaves, 729);
}

TEST_P(Tasks, AGroupIsUsedAgainAndEmptyOnesEnd) {
  task_group all;
  EXPECT_TRUE(all.wait());
  std::atomic<int> runs{0};
  for (int round = 1; round <= 3; ++round) {
    all.run([&] { ++runs; });
    EXPECT_TRUE(all.run_and_wait([&] { ++runs; }));
    EXPECT_EQ(runs, 2 * round);
  }
}

TEST_P(Tasks, TheFirstExceptionIsRethrownAfterAllHaveEnded) {
  task_group all;
  std::atomic<int> inside{0};
  for (int i = 0; i < 100; ++i) {
    all.run([&, i] {
      ++inside;
      if (i % 10 == 3) {
        --inside;
        throw std::runtime_error("task");
      }
      --inside;
    });
  }
  EXPECT_THROW(all.wait(), std::runtime_error);
  EXPECT_EQ(inside, 0);
  all.run([&] { ++inside; });
  EXPECT_TRUE(all.wait()) << "the group can be used again";
  EXPECT_EQ(inside, 1);
}

TEST_P(Tasks, AnExceptionCrossesGroups) {
  EXPECT_THROW(
      {
        task_group outer;
        outer.run([] {
          task_group inner;
          inner.run([] { throw std::runtime_error("deep"); });
          inner.wait();
        });
        outer.wait();
      },
      std::runtime_error);
}

TEST_P(Tasks, CancellingDropsWhatHasNotBegun) {
  task_group all;
  std::atomic<int> runs{0};
  all.cancel();
  EXPECT_TRUE(all.cancelled());
  for (int i = 0; i < 10; ++i) all.run([&] { ++runs; });
  EXPECT_FALSE(all.wait());
  EXPECT_EQ(runs, 0);
  all.run([&] { ++runs; });
  EXPECT_TRUE(all.wait());
  EXPECT_EQ(runs, 1);
}

TEST_P(Tasks, CancellingReachesGroupsInside) {
  task_group outer;
  std::atomic<int> runs{0};
  outer.run([&] {
    task_group middle;
    middle.run([&] {
      task_group inner;
      inner.run([&] {
        outer.cancel();
        EXPECT_TRUE(inner.cancelled());
        task_group made_after;
        made_after.run([&] { ++runs; });
        EXPECT_FALSE(made_after.wait());
      });
      EXPECT_FALSE(inner.wait());
    });
    EXPECT_FALSE(middle.wait());
  });
  EXPECT_FALSE(outer.wait());
  EXPECT_EQ(runs, 0);
  task_group beside;
  EXPECT_FALSE(beside.cancelled());
}

TEST_P(Tasks, CallablesMayBeLargeAndMoveOnly) {
  task_group all;
  std::array<std::size_t, 100> large{};
  large[99] = 7;
  std::atomic<std::size_t> sum{0};
  all.run([large, &sum] { sum += large[99]; });
  all.run([one = std::make_unique<std::size_t>(5), &sum] { sum += *one; });
  all.wait();
  EXPECT_EQ(sum, 12);
}

TEST_P(Tasks, CallablesMayHaveAnAlignmentOfTheirOwn) {
  struct alignas(256) wide {
    std::array<std::uintptr_t, 32> words{};
    bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(this) % 256 == 0; }
  };
  wide one;
  one.words[31] = 3;
  std::atomic<std::size_t> sum{0};
  std::atomic<int> crooked{0};
  task_group all;
  for (int i = 0; i < 200; ++i) {
    all.run([one, &sum, &crooked] {
      sum += one.words[31];
      if (!one.is_aligned()) ++crooked;
    });
  }
  all.wait();
  parallel_for(0, 200, [one, &sum, &crooked](int) {
    sum += one.words[31];
    if (!one.is_aligned()) ++crooked;
  });
  EXPECT_EQ(sum, 1200);
  EXPECT_EQ(crooked, 0);
}

TEST_P(Tasks, CallablesTakeArguments) {
  task_group all;
  std::atomic<long> sum{0};
  const auto add = [&](long a, std::unique_ptr<long> b) { sum += a * *b; };
  for (long i = 1; i <= 100; ++i) all.run(add, i, std::make_unique<long>(2));
  struct adder {
    std::atomic<long>& sum;
    void twice(long a) const { sum += 2 * a; }
  } const one{sum};
  all.run(&adder::twice, &one, 5);
  std::vector<long> kept{1, 2, 3};
  all.run([&](const std::vector<long>& copy) { sum += copy[2]; }, kept);
  kept.clear();
  all.wait();
  EXPECT_EQ(sum, 2 * 5050 + 10 + 3);
}

TEST_P(Tasks, ADroppedTaskIsDestroyed) {
  const auto held = std::make_shared<int>(0);
  {
    task_group all;
    all.cancel();
    for (int i = 0; i < 5; ++i) all.run([held] { ++*held; });
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*held, 0);
}

TEST_P(Tasks, TheyStartWithoutAWait) {
  if (GetParam() == 1) return;
  task_group all;
  std::atomic<int> begun{0};
  all.run([&] {
    begun = 1;
    begun.notify_all();
  });
  begun.wait(0);  // a follower runs it
  EXPECT_TRUE(all.wait());
}

TEST_P(Tasks, LoopsRunInTasksAndTasksInLoops) {
  std::atomic<int> count{0};
  task_group all;
  for (int i = 0; i < 8; ++i) all.run([&] { parallel_for(0, 100, [&](int) { ++count; }); });
  all.wait();
  EXPECT_EQ(count, 800);
  parallel_for(0, 8, [&](int) {
    task_group inner;
    for (int i = 0; i < 10; ++i) inner.run([&] { ++count; });
    inner.wait();
  });
  EXPECT_EQ(count, 880);
}

TEST_P(Tasks, SeveralThreadsHaveGroups) {
  std::array<long, 3> results{};
  {
    std::vector<std::jthread> threads;
    for (long& r : results) threads.emplace_back([&r] { r = fib(15); });
  }
  for (const long r : results) EXPECT_EQ(r, 610);
}

TEST_P(Tasks, OtherThreadsAddTasks) {
  task_group all;
  std::atomic<int> runs{0};
  all.run([&] {
    std::jthread([&] {
      for (int i = 0; i < 100; ++i) all.run([&] { ++runs; });
    }).join();
  });
  all.wait();
  EXPECT_EQ(runs, 100);
}

TEST_P(Tasks, TheyRoundAsTheirMaker) {
  fesetround(FE_UPWARD);
  std::atomic<int> wrong{0};
  task_group all;
  for (int i = 0; i < 200; ++i) {
    all.run([&] {
      if (fegetround() != FE_UPWARD) ++wrong;
    });
  }
  fesetround(FE_TONEAREST);
  all.run([&] { EXPECT_TRUE(true); });
  fesetround(FE_UPWARD);
  all.wait();
  fesetround(FE_TONEAREST);
  EXPECT_EQ(wrong, 0);
}

TEST_P(Tasks, InvokeSortsByHalves) {
  std::vector<int> v(200'000);
  std::mt19937 random(3);
  for (int& x : v) x = static_cast<int>(random());
  std::vector<int> expected = v;
  std::sort(expected.begin(), expected.end());
  struct quick {
    static void sort(std::vector<int>::iterator first, std::vector<int>::iterator last) {
      if (last - first < 500) return std::sort(first, last);
      const int pivot = first[(last - first) / 2];
      const auto low = std::partition(first, last, [&](int x) { return x < pivot; });
      const auto high = std::partition(low, last, [&](int x) { return x == pivot; });
      parallel_invoke([=] { sort(first, low); }, [=] { sort(high, last); });
    }
  };
  quick::sort(v.begin(), v.end());
  EXPECT_EQ(v, expected);
}

TEST_P(Tasks, InvokeTakesAnyNumberAndRethrows) {
  int a = 0;
  parallel_invoke([&] { a = 1; });
  EXPECT_EQ(a, 1);
  std::array<std::atomic<int>, 5> runs{};
  parallel_invoke([&] { ++runs[0]; }, [&] { ++runs[1]; }, [&] { ++runs[2]; }, [&] { ++runs[3]; }, [&] { ++runs[4]; });
  for (const auto& r : runs) EXPECT_EQ(r, 1);
  EXPECT_THROW(parallel_invoke([] {}, [] { throw std::runtime_error("second"); }), std::runtime_error);
  EXPECT_THROW(parallel_invoke([] { throw std::runtime_error("first"); }, [] {}), std::runtime_error);
}

TEST_P(Tasks, AChildOfAForkHasTasksOfItsOwn) {
  if (tests::sanitized) GTEST_SKIP() << "sanitizers start no threads after a fork";
  EXPECT_EQ(fib(10), 55);
  const tests::child other([](const tests::child::say& tell) { tell(fib(12) == 144 ? 'y' : 'n'); });
  EXPECT_EQ(other.hear(), 'y');
  EXPECT_EQ(fib(10), 55);
}

TEST_P(Tasks, TheNumberOfThreadsStaysWithinATask) {
  // A thread that ends may wait for this task.
  task_group group;
  for (int i = 0; i < 20; ++i) group.run([] { set_threads(2); });
  EXPECT_THROW(static_cast<void>(group.wait()), usage_error);
  EXPECT_THROW(parallel_invoke([] { set_levels(nesting()); }, [] {}), usage_error);
  set_threads(GetParam());
}

TEST_P(Tasks, TheNumberOfThreadsMayChangeBetweenGroups) {
  for (const unsigned threads : {3u, 1u, 2u}) {
    set_threads(threads);
    EXPECT_EQ(fib(12), 144);
  }
}

}  // namespace
}  // namespace callisto
