// Checks numbers on the command line: what is accepted, what is refused, and with which words.
#include "../refusal.hpp"

#include <callisto/app/base/numbers.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace callisto::app {
namespace {

using tests::refusal;

TEST(parse_count, accepts_the_bounds) {
  EXPECT_EQ(parse_count("--n", "1", 1, 5), 1u);
  EXPECT_EQ(parse_count("--n", "5", 1, 5), 5u);
  EXPECT_EQ(parse_count("--n", "18446744073709551615", 0), std::numeric_limits<std::uint64_t>::max());
}

TEST(parse_count, refuses_everything_else) {
  for (const char* text : {"0", "6", "-1", "+1", "", " 1", "1 ", "1.0", "1e3", "0x1", "two", "18446744073709551616"}) {
    EXPECT_EQ(refusal([&] { parse_count("--n", text, 1, 5); }),
              "--n: expected a whole number from 1 to 5, found '" + std::string(text) + "'");
  }
  EXPECT_EQ(refusal([] { parse_count("--threads", "0", 1); }),
            "--threads: expected a whole number, 1 or more, found '0'");
}

TEST(parse_real, accepts_its_range) {
  EXPECT_EQ(parse_real("--x", "0", {.low = 0, .high = 1}), 0.0);
  EXPECT_EQ(parse_real("--x", "0.85", {.low = 0, .high = 1}), 0.85);
  EXPECT_EQ(parse_real("--x", "1e-12", {.low = 0, .above_low = true}), 1e-12);
  EXPECT_EQ(parse_real("--x", "1", {.low = 0, .high = 1, .up_to_high = true}), 1.0);
}

TEST(parse_real, refuses_everything_else) {
  for (const char* text : {"1", "1.5", "-0.1", "nan", "inf", "-inf", "1e999", "", "x", "0.5x", "0,5"}) {
    EXPECT_EQ(refusal([&] { parse_real("--damping", text, {.low = 0, .high = 1}); }),
              "--damping: expected a number of at least 0 and below 1, found '" + std::string(text) + "'");
  }
  EXPECT_EQ(refusal([] { parse_real("--x", "0", {.low = 0, .above_low = true}); }),
            "--x: expected a number above 0, found '0'");
  EXPECT_EQ(refusal([] { parse_real("--x", "1.00000000005", {.low = 0, .high = 1, .up_to_high = true}); }),
            "--x: expected a number of at least 0 and of at most 1, found '1.00000000005'");
}

TEST(parse_count, keeps_the_message_on_one_line) {
  EXPECT_EQ(refusal([] { parse_count("--n", "1\n2", 1, 5); }), "--n: expected a whole number from 1 to 5, found '1 2'");
}

}  // namespace
}  // namespace callisto::app
