// Checks when other programs count as a disturbance, and that this process is none of them.
#include <callisto/app/process/other_programs.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace callisto::app {
namespace {

TEST(busy_machine, is_said_above_a_tenth_of_the_contexts) {
  EXPECT_EQ(busy_machine(std::nullopt, 2), "");
  EXPECT_EQ(busy_machine(std::optional(0.19), 2), "");
  EXPECT_EQ(busy_machine(std::optional(1.14), 2),
            "The machine was busy: other programs used 1.1 of 2 processors. Do not trust this.\n");
  EXPECT_EQ(busy_machine(std::optional(1.14), 16), "");
}

TEST(used_by_others, leaves_out_this_process) {
  constexpr std::uint64_t second = 1'000'000'000;
  const processor_times begin{10 * second, 100 * second, 7 * second};
  EXPECT_EQ(used_by_others(begin, {12 * second, 104 * second, 8 * second}), std::optional(1.5));
  EXPECT_EQ(used_by_others(begin, {12 * second, 104 * second, 12 * second}), std::optional(0.0))
      << "ticks are coarser than this process's clock";
  EXPECT_FALSE(used_by_others(begin, {10 * second + second / 100, 101 * second, 7 * second})) << "too soon";
  EXPECT_FALSE(used_by_others({second, 0, 0}, {2 * second, 0, 0})) << "unknown";
}

TEST(other_programs, are_unknown_at_once) { EXPECT_FALSE(other_programs().used()); }

}  // namespace
}  // namespace callisto::app
