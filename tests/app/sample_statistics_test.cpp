// Checks medians and the sign test's interval.
#include <callisto/app/base/sample_statistics.hpp>

#include <gtest/gtest.h>

namespace callisto::app {
namespace {

TEST(bench_statistics, finds_the_median) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median_of({7}), 7);
}

// The largest k for which at most k of n fair coins show heads with a probability of at most 0.05 is 0 for n = 5, 1 for
// n = 8 (9/256) and 3 for n = 15 (576/32768).
TEST(bench_statistics, bounds_the_median_by_order_statistics) {
  const estimate five = estimate_of({5, 3, 1, 2, 4});
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.high, 5);
  const estimate eight = estimate_of({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(eight.low, 2);
  EXPECT_EQ(eight.high, 7);
  const estimate fifteen = estimate_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  EXPECT_EQ(fifteen.low, 4);
  EXPECT_EQ(fifteen.high, 12);
}

TEST(bench_statistics, takes_the_extremes_of_few_values) {
  const estimate one = estimate_of({2});
  EXPECT_EQ(one.low, 2);
  EXPECT_EQ(one.high, 2);
  const estimate three = estimate_of({3, 1, 2});
  EXPECT_EQ(three.low, 1);
  EXPECT_EQ(three.high, 3);
}

}  // namespace
}  // namespace callisto::app
