// Loops follow a change of the affinity of the thread that leads them.
#include <callisto/callisto.hpp>
#include <callisto/machine/host/limits.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include <sched.h>
#include <unistd.h>

namespace callisto {
namespace {

void may_run_on(const cpu_set_t& mask) { ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0); }

/// Runs loops until they have so many threads; false if that takes longer than a minute.
bool loops_get(unsigned wanted) {
  for (int i = 0; i < 60'000; ++i) {
    std::atomic<int> runs{0};
    parallel_for(0, 1000, [&](int) { ++runs; });
    EXPECT_EQ(runs, 1000);
    if (threads() == wanted) return true;
    usleep(1000);
  }
  return false;
}

TEST(Affinity, LoopsFollowIt) {
  const auto cpus = machine::affinity_of(0);
  if (cpus.size() < 2) GTEST_SKIP() << "one processor";
  unsetenv("CALLISTO_THREADS");
  const unsigned before = threads();
  if (before < 2) GTEST_SKIP() << "one thread";
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus.back(), &one);
  may_run_on(one);
  EXPECT_TRUE(loops_get(1));
  may_run_on(all);
  EXPECT_TRUE(loops_get(before));
}

TEST(Affinity, OfAnotherThreadCountsForNothing) {
  const auto cpus = machine::affinity_of(0);
  const unsigned before = threads();
  std::jthread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus.front(), &one);
    may_run_on(one);
    usleep(20'000);
    parallel_for(0, 1000, [](int) {});
    EXPECT_EQ(threads(), before);
  }).join();
}

}  // namespace
}  // namespace callisto
