// The values that `callisto-lab limits` tries, how it sums up their times, and what it makes of its program's answers.
#include <callisto/app/process/child_process.hpp>
#include <lab/experiments/limits.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace callisto::lab {
namespace {

using doubles = std::vector<double>;

TEST(Limits, ValuesArePowersOfTwoAround) {
  EXPECT_EQ(swept_values(8, 4), (doubles{2, 4, 8, 16, 32}));
  EXPECT_EQ(swept_values(0.5, 2), (doubles{0.25, 0.5, 1}));
  EXPECT_EQ(swept_values(8192, 8).size(), 7u);
}

TEST(Limits, WholeValuesStayWholeAndDiffer) {
  EXPECT_EQ(swept_values(6, 4), (doubles{2, 3, 6, 12, 24}));
  EXPECT_EQ(swept_values(1, 4), (doubles{1, 2, 4}));
  EXPECT_EQ(swept_values(2, 8), (doubles{1, 2, 4, 8, 16}));
  EXPECT_EQ(swept_values(3, 4), (doubles{1, 2, 3, 6, 12}));
}

TEST(Limits, FlatnessIsLongestByShortestWithinAFactorOfFour) {
  EXPECT_DOUBLE_EQ(flatness({2, 4, 8, 16, 32}, {3, 2, 1, 2, 4}, 8), 4);
  EXPECT_DOUBLE_EQ(flatness({1, 2, 4, 8, 16, 32, 64}, {9, 3, 2, 1, 2, 4, 9}, 8), 4);
  EXPECT_DOUBLE_EQ(flatness({2, 3, 6, 12, 24}, {5, 2, 1, 1, 1}, 6), 5);
}

TEST(Limits, ADescriptionIsUnderstood) {
  const swept_description d = parse_swept(
      {"limit bfs.alpha 6 share", "limit delta.light 0.2 share", "workload bfs.grid bfs,spin a grid of vertices"});
  ASSERT_EQ(d.limits.size(), 2u);
  EXPECT_EQ(d.limits[0].table(), "bfs");
  EXPECT_EQ(d.limits[1].value, 0.2);
  ASSERT_EQ(d.workloads.size(), 1u);
  EXPECT_EQ(d.workloads[0].tables, (std::vector<std::string>{"bfs", "spin"}));
  EXPECT_EQ(d.workloads[0].what, "a grid of vertices");
}

TEST(Limits, AnswersThatMakeNoSenseAreRefused) {
  for (const char* line : {"", "limit bfs.alpha", "limit alpha 6 share", "limit bfs.alpha 0 share",
                           "workload bfs.grid bfs", "shoe size 43"}) {
    EXPECT_THROW(parse_swept({line}), child_failure) << line;
  }
  EXPECT_EQ(parse_swept_time("time 0.25"), 0.25);
  for (const char* answer : {"", "time", "time 0", "time -1", "time inf", "ready"})
    EXPECT_THROW(parse_swept_time(answer), child_failure) << answer;
}

}  // namespace
}  // namespace callisto::lab
