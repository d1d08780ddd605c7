// The distributors: every iteration handed out once, whoever asks and whoever does not.
#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::distributor {
namespace {

using machine::native;
static_assert(work_distributor<shared_counter<native>>);
static_assert(work_distributor<distributed_counters<native>>);

TEST(SharedCounter, HandsOutInOrderAndMarksTheLast) {
  shared_counter<native> counter(3, 10);
  auto c = counter.cursor_of(0);
  EXPECT_EQ(counter.near(c), 7u);
  const range a = counter.claim(c, 4);
  EXPECT_EQ(a.first, 3u);
  EXPECT_EQ(a.last, 7u);
  EXPECT_FALSE(a.is_final);
  const range b = counter.claim(c, 4);
  EXPECT_EQ(b.last, 10u);
  EXPECT_TRUE(b.is_final);
  EXPECT_TRUE(counter.claim(c, 4).empty());
  EXPECT_FALSE(counter.exhaust());
}

TEST(SharedCounter, RequestsBeyondTheEndNeverWrapAround) {
  const std::uint64_t n = std::uint64_t{1} << 62;
  shared_counter<native> counter(n - 5, n);
  auto c = counter.cursor_of(0);
  EXPECT_EQ(counter.claim(c, ~std::uint64_t{0}).size(), 5u);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(counter.claim(c, ~std::uint64_t{0}).empty());
}

TEST(SharedCounter, ExhaustTellsWhetherItDroppedAnything) {
  shared_counter<native> counter(0, 10);
  EXPECT_TRUE(counter.exhaust());
  EXPECT_FALSE(counter.exhaust());
  auto c = counter.cursor_of(0);
  EXPECT_TRUE(counter.claim(c, 1).empty());
}

TEST(DistributedCounters, OneThreadUsesUpTheStripesOfThoseThatNeverCome) {
  for (const unsigned threads : {1u, 2u, 3u, 64u, 1000u}) {
    for (const std::uint64_t n : {1u, 2u, 5u, 63u, 1000u}) {
      distributed_counters<native> counters(n, threads, 1);
      auto c = counters.cursor_of(threads / 2);
      std::vector<int> seen(n);
      int finals = 0;
      for (range r = counters.claim(c, 3); !r.empty(); r = counters.claim(c, 3)) {
        finals += r.is_final;
        for (auto i = r.first; i < r.last; ++i) ++seen[i];
        ASSERT_LE(r.size(), 3u);
      }
      EXPECT_EQ(finals, 1);
      EXPECT_EQ(seen, std::vector<int>(n, 1));
    }
  }
}

TEST(DistributedCounters, ThreadsStartAtHomeAndStripesRespectTheSmallestSize) {
  distributed_counters<native> counters(1000, 4, 1);
  EXPECT_EQ(counters.stripes(), 4u);
  for (unsigned t = 0; t < 4; ++t) {
    auto c = counters.cursor_of(t);
    EXPECT_EQ(counters.claim(c, 1).first, t * 250);
  }
  EXPECT_EQ(distributed_counters<native>(1000, 4, 600).stripes(), 1u);
  EXPECT_EQ(distributed_counters<native>(1000, 1000, 1).stripes(), distributed_counters<native>::max_stripes);
}

TEST(DistributedCounters, ConcurrentThreadsShareEveryIterationExactlyOnce) {
  constexpr std::uint64_t n = 100'000;
  constexpr unsigned threads = 4;
  distributed_counters<native> counters(n, threads, 1);
  std::vector<std::vector<range>> got(threads);
  {
    std::vector<std::jthread> team;
    for (unsigned t = 0; t < threads; ++t) {
      team.emplace_back([&, t] {
        auto c = counters.cursor_of(t);
        for (range r = counters.claim(c, 1 + t); !r.empty(); r = counters.claim(c, 1 + t)) got[t].push_back(r);
      });
    }
  }
  std::vector<int> seen(n);
  int finals = 0;
  for (const auto& ranges : got) {
    for (const range r : ranges) {
      finals += r.is_final;
      for (auto i = r.first; i < r.last; ++i) ++seen[i];
    }
  }
  EXPECT_EQ(finals, 1);
  EXPECT_EQ(seen, std::vector<int>(n, 1));
}

}  // namespace
}  // namespace callisto::distributor
