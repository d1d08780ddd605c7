// Checks turns, medians, and the time budget.
#include <callisto/app/bench/comparison.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <vector>

namespace callisto::app {
namespace {

void ignore(const compared_way&) {}

TEST(compared_way, has_a_median) {
  EXPECT_EQ((compared_way{false, 0, {3, 1, 2}}.median()), 2);
  EXPECT_EQ((compared_way{false, 0, {4, 1, 2, 3}}.median()), 2.5);
  EXPECT_EQ((compared_way{false, 0, {7}}.median()), 7);
}

TEST(timed_comparison, lets_ways_take_turns) {
  timed_comparison c("test", {1, 8}, true);
  std::vector<std::uint64_t> order;
  unsigned checks = 0;
  c.hold(
      2, 100, {}, [&](const compared_way& who) { order.push_back(who.batch + (who.openmp ? 100 : 0)); },
      [&](const compared_way&) { ++checks; });
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 101, 8, 108, 0, 1, 101, 8, 108}));
  EXPECT_EQ(checks, 10u);
  EXPECT_EQ(c.rounds(), 2u);
  for (const compared_way& who : c.ways()) EXPECT_EQ(who.times.size(), 2u);
}

TEST(timed_comparison, runs_once_even_if_that_exceeds_its_budget) {
  timed_comparison c("test", {}, true);
  c.hold(5, 0, {}, ignore, ignore);
  EXPECT_EQ(c.rounds(), 1u);
  EXPECT_EQ(c.best_openmp(), nullptr);
}

TEST(timed_comparison, finds_the_best_of_openmp) {
  timed_comparison c("test", {1, 2}, true);
  c.hold(
      1, 100, {},
      [](const compared_way& who) {
        if (who.openmp && who.batch == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      },
      ignore);
  ASSERT_NE(c.best_openmp(), nullptr);
  EXPECT_EQ(c.best_openmp()->batch, 2u);
  EXPECT_TRUE(c.best_openmp()->openmp);
  EXPECT_EQ(c.find(true, 3), nullptr);
}

TEST(timed_comparison, does_without_openmp) {
  const timed_comparison c("test", {1, 2}, false);
  EXPECT_EQ(c.ways().size(), 3u);
  EXPECT_EQ(c.find(true, 1), nullptr);
  EXPECT_NE(c.find(false, 1), nullptr);
}

TEST(timed_comparison, stops_when_asked_to) {
  std::stop_source stop;
  timed_comparison c("test", {1}, true);
  EXPECT_THROW(c.hold(
                   3, 100, {nullptr, stop.get_token()}, [&](const compared_way&) { stop.request_stop(); }, ignore),
               graph::cancelled);
  EXPECT_EQ(c.automatic().times.size(), 1u);
}

}  // namespace
}  // namespace callisto::app
