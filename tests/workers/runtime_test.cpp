// The native runtime: its settings, fork(), and an idle process.
#include "../sanitizers.hpp"

#include <callisto/callisto.hpp>
#include <callisto/machine/host/placement.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace callisto {
namespace {

TEST(Runtime, CountsTheCallerAmongItsThreads) {
  set_threads(3);
  EXPECT_EQ(threads(), 3u);
  set_threads(1);
  EXPECT_EQ(threads(), 1u);
  EXPECT_EQ(this_thread(), 0u);
}

TEST(Runtime, RefusesNumbersOfThreadsThatMakeNoSense) {
  EXPECT_THROW(set_threads(0), usage_error);
  EXPECT_THROW(set_threads(65537), usage_error);
}

TEST(Runtime, ARefusedSettingChangesNothing) {
  set_threads(2);
  setenv("CALLISTO_PLACEMENT", "nonsense", 1);
  EXPECT_THROW(set_threads(3), usage_error);
  unsetenv("CALLISTO_PLACEMENT");
  EXPECT_EQ(threads(), 2u);
  EXPECT_EQ(parallel_reduce(0, 100, 0L, [](int i) { return long{i}; }), 4950);
}

/// Calls `f` on the two threads of a loop at the same time.
template <class F>
void on_two_threads(F f) {
  std::atomic<unsigned> inside{0};
  static_cast<void>(parallel_for(0, 2,
                                 [&](int) {
                                   inside.fetch_add(1);
                                   while (inside.load() < 2) sched_yield();
                                   f();
                                 },
                                 {.batch = 1}));
}

unsigned processors_here() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 0;
}

TEST(Runtime, WhatABodyStartsRunsWhereTheProcessMay) {
  set_threads(2);
  const auto all = static_cast<unsigned>(machine::affinity_at_start().size());
  std::atomic<unsigned> wrong{0};
  on_two_threads([&] {
    const unsigned before = processors_here();
    {
      const unpinned here;
      std::thread([&] { wrong += processors_here() == all ? 0 : 1; }).join();
    }
    wrong += processors_here() == before ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0u);
}

TEST(Runtime, ACancelledFollowerFinishesItsIterations) {
  set_threads(2);
  std::atomic<unsigned> done{0};
  on_two_threads([&] {
    if (this_thread() != 0) {
      pthread_cancel(pthread_self());
      pthread_testcancel();
    }
    ++done;
  });
  EXPECT_EQ(done, 2u);
  EXPECT_EQ(parallel_reduce(0, 10000, 0L, [](int i) { return long{i}; }), 49995000L);
}

TEST(Runtime, HooksRunOnEachThreadThatStartsAndEnds) {
  std::atomic<unsigned> started{0};
  std::atomic<unsigned> ended{0};
  std::atomic<unsigned> numbers{0};
  const thread_hooks none = set_thread_hooks({.start =
                                                  [&](unsigned thread) {
                                                    ++started;
                                                    numbers += thread;
                                                    pthread_setname_np(pthread_self(), "hooked");
                                                  },
                                              .end = [&](unsigned) { ++ended; }});
  EXPECT_FALSE(none.start);
  set_threads(4);
  EXPECT_EQ(parallel_reduce(0, 10000, 0L, [](int i) { return long{i}; }), 49995000L);
  static_cast<void>(set_thread_hooks({}));
  set_threads(2);
  EXPECT_EQ(started, 3u);
  EXPECT_EQ(ended, 3u);
  EXPECT_EQ(numbers, 1u + 2 + 3);
}

TEST(RuntimeDeathTest, PthreadExitInABodyIsAClearError) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        set_threads(2);
        on_two_threads([] {
          if (this_thread() != 0) pthread_exit(nullptr);
        });
      },
      "callisto: pthread_exit.* ended the body of a loop");
}

#if defined(CALLISTO_CHILDREN_WORK)
TEST(Runtime, AChildOfABodyRunsWhereTheProcessMay) {
  set_threads(2);
  const auto all = static_cast<unsigned>(machine::affinity_at_start().size());
  std::atomic<int> wrong{0};
  on_two_threads([&] {
    const pid_t child = fork();
    if (child == 0) _exit(processors_here() == all ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    wrong += status == 0 ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0);
}

int sum_in_child() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang is a failure
    for (int round = 0; round < 100; ++round) {
      if (parallel_reduce(0, 10000, 0L, [](int i) { return long{i}; }) != 49995000L) _exit(1);
    }
    _exit(threads() == 3 ? 0 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Runtime, AForkedChildHasWorkersOfItsOwn) {
  set_threads(3);
  EXPECT_EQ(sum_in_child(), 0);
  // The parent goes on, too.
  EXPECT_EQ(parallel_reduce(0, 100, 0L, [](int i) { return long{i}; }), 4950);
}

TEST(Runtime, AChildForkedWhileAnotherThreadLeadsALoopWorks) {
  set_threads(3);
  std::atomic<bool> stop{false};
  std::jthread leader([&] {
    while (!stop) parallel_for(0, 1000, [](int) {});
  });
  for (int round = 0; round < 5; ++round) EXPECT_EQ(sum_in_child(), 0);
  stop = true;
}

TEST(Runtime, AForkInsideALoopBodyDoesNotHangTheChild) {
  set_threads(2);
  std::atomic<int> failures{0};
  parallel_for(0, 2,
               [&](int i) {
                 if (i != 0) return;
                 const pid_t child = fork();
                 if (child == 0) {
                   alarm(20);
                   _exit(parallel_reduce(0, 100, 0L, [](int j) { return long{j}; }) == 4950 ? 0 : 1);
                 }
                 int status = -1;
                 waitpid(child, &status, 0);
                 if (status != 0) failures.fetch_add(1);
               },
               {.batch = 1});
  EXPECT_EQ(failures, 0);
}
#endif

TEST(Runtime, AnIdleProcessSleeps) {
  set_threads(4);
  parallel_for(0, 1000, [](int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto cpu = [] {
    rusage use;
    getrusage(RUSAGE_SELF, &use);
    return double(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * double(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
  };
  const double before = cpu();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // A single thread that spins would use 0.3 s; sleeping ones use none, and sanitizers' background threads little.
  EXPECT_LT(cpu() - before, 0.1);
}

/// The context that the one follower runs on, once it takes part in a loop.
int follower_context() {
  std::atomic<int> seen{-1};
  std::atomic<int> work{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (seen < 0 && std::chrono::steady_clock::now() < deadline) {
    parallel_for(0, 1000, [&](int) {
      if (this_thread() == 1) seen = sched_getcpu();
      for (int i = 0; i < 100; ++i) work.fetch_add(1, std::memory_order_relaxed);
    });
  }
  return seen;
}

TEST(Runtime, AFollowerMakesRoomForALeaderThatComesToItsContext) {
  set_threads(1);
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  if (CPU_COUNT(&before) != 2) GTEST_SKIP() << "expects two contexts";
  setenv("CALLISTO_PLACEMENT", "spread", 1);
  set_threads(2);
  unsetenv("CALLISTO_PLACEMENT");
  for (int round = 0; round < 4; ++round) {
    const int there = follower_context();
    ASSERT_GE(there, 0);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(there, &only);
    sched_setaffinity(0, sizeof only, &only);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the follower moves once in a millisecond at most
    EXPECT_NE(follower_context(), there);
    sched_setaffinity(0, sizeof before, &before);
  }
}

}  // namespace
}  // namespace callisto
