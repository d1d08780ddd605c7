// Taking turns, medians, and keeping to a budget of time.
#include <callisto/app/bench/comparison.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <vector>

namespace callisto::app {
namespace {

void ignore(const contender&) {}

TEST(contender, has_a_median) {
  EXPECT_EQ((contender{false, 0, {3, 1, 2}}.median()), 2);
  EXPECT_EQ((contender{false, 0, {4, 1, 2, 3}}.median()), 2.5);
  EXPECT_EQ((contender{false, 0, {7}}.median()), 7);
}

TEST(contest, lets_contenders_take_turns) {
  contest c("test", {1, 8}, true);
  std::vector<std::uint64_t> order;
  unsigned checks = 0;
  c.hold(
      2, 100, {}, [&](const contender& who) { order.push_back(who.batch + (who.openmp ? 100 : 0)); },
      [&](const contender&) { ++checks; });
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 101, 8, 108, 0, 1, 101, 8, 108}));
  EXPECT_EQ(checks, 10u);
  EXPECT_EQ(c.rounds(), 2u);
  for (const contender& who : c.contenders()) EXPECT_EQ(who.times.size(), 2u);
}

TEST(contest, runs_once_even_if_that_exceeds_its_budget) {
  contest c("test", {}, true);
  c.hold(5, 0, {}, ignore, ignore);
  EXPECT_EQ(c.rounds(), 1u);
  EXPECT_EQ(c.best_openmp(), nullptr);
}

TEST(contest, finds_the_best_of_openmp) {
  contest c("test", {1, 2}, true);
  c.hold(
      1, 100, {},
      [](const contender& who) {
        if (who.openmp && who.batch == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      },
      ignore);
  ASSERT_NE(c.best_openmp(), nullptr);
  EXPECT_EQ(c.best_openmp()->batch, 2u);
  EXPECT_TRUE(c.best_openmp()->openmp);
  EXPECT_EQ(c.find(true, 3), nullptr);
}

TEST(contest, does_without_openmp) {
  const contest c("test", {1, 2}, false);
  EXPECT_EQ(c.contenders().size(), 3u);
  EXPECT_EQ(c.find(true, 1), nullptr);
  EXPECT_NE(c.find(false, 1), nullptr);
}

TEST(contest, stops_when_asked_to) {
  std::stop_source stop;
  contest c("test", {1}, true);
  EXPECT_THROW(c.hold(
                   3, 100, {nullptr, stop.get_token()}, [&](const contender&) { stop.request_stop(); }, ignore),
               graph::cancelled);
  EXPECT_EQ(c.automatic().times.size(), 1u);
}

}  // namespace
}  // namespace callisto::app
