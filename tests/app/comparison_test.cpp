// Checks turns, medians, and the time budget.
#include <callisto/app/demo/comparison.hpp>

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
      {2, 100}, {}, [&](const compared_way& way) { order.push_back(way.batch + (way.openmp ? 100 : 0)); },
      [&](const compared_way&) { ++checks; });
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 101, 8, 108, 0, 1, 101, 8, 108}));
  EXPECT_EQ(checks, 10u);
  EXPECT_EQ(c.rounds(), 2u);
  for (const compared_way& way : c.ways()) EXPECT_EQ(way.times.size(), 2u);
}

TEST(timed_comparison, runs_once_even_if_that_exceeds_its_budget) {
  timed_comparison c("test", {}, true);
  c.hold({5, 0}, {}, ignore, ignore);
  EXPECT_EQ(c.rounds(), 1u);
  EXPECT_EQ(c.best_openmp(), nullptr);
}

TEST(timed_comparison, runs_more_often_beside_other_programs) {
  timed_comparison c("test", {}, false);
  const auto slow = [](const compared_way&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  unsigned asked = 0;
  // Three budgets of 1000 s are room for any number of rounds; one of 0 s for none.
  c.hold({5, 0, 3, [&] { return ++asked, true; }}, {}, slow, ignore);
  EXPECT_EQ(c.rounds(), 1u) << "three times nothing";
  EXPECT_EQ(asked, 1u);
  timed_comparison d("test", {}, false);
  d.hold({5, 1000, 3, [&] { return ++asked, true; }}, {}, slow, ignore);
  EXPECT_EQ(d.rounds(), 5u);
  EXPECT_EQ(asked, 3u) << "below three rounds only";
}

TEST(timed_comparison, compares_times_of_the_same_round) {
  timed_comparison c("test", {1}, true);
  c.hold({3, 1000}, {}, ignore, ignore);
  compared_way other{true, 1};
  for (const double time : c.automatic().times) other.times.push_back(2 * time);
  EXPECT_DOUBLE_EQ(c.by_automatic(other).median, 2);
  EXPECT_DOUBLE_EQ(c.by_automatic(other).low, 2);
  EXPECT_DOUBLE_EQ(c.by_automatic(c.automatic()).high, 1);
}

TEST(timed_comparison, finds_the_best_of_openmp) {
  timed_comparison c("test", {1, 2}, true);
  c.hold(
      {1, 100}, {},
      [](const compared_way& way) {
        if (way.openmp && way.batch == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
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
                   {3, 100}, {nullptr, stop.get_token()}, [&](const compared_way&) { stop.request_stop(); }, ignore),
               graph::cancelled);
  EXPECT_EQ(c.automatic().times.size(), 1u);
}

}  // namespace
}  // namespace callisto::app
