// Loops that wait, as compilers write them, and other loops that look like them.
#include <callisto/workers/preemption/spin_traps/spin_loop.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::workers {
namespace {

using code = std::vector<std::uint8_t>;
code code_of(const spin_pass& pass) {
  return {pass.code.begin(), pass.code.begin() + static_cast<std::ptrdiff_t>(pass.bytes)};
}

struct sample {
  std::string name;
  code bytes;
  std::size_t begin, branch;
};

// Made by GCC 12 and 15 and Clang 19, -O0 to -O3.
const std::vector<sample> waits{
    {"NAS LU's sync_left", {0x8B, 0x10, 0x85, 0xD2, 0x74, 0xFA, 0xC7, 0x00}, 0, 4},
    {"flush and compare", {0xF0, 0x48, 0x83, 0x0C, 0x24, 0x00, 0x83, 0x3D, 0x10, 0, 0, 0, 0x00, 0x74, 0xF1}, 0, 13},
    {"flush, 32 bits", {0xF0, 0x83, 0x0C, 0x24, 0x00, 0x8B, 0x05, 1, 2, 0, 0, 0x85, 0xC0, 0x75, 0xF1}, 0, 13},
    {"mfence", {0x0F, 0xAE, 0xF0, 0x8B, 0x45, 0xFC, 0x39, 0xC3, 0x7F, 0xF6}, 0, 8},
    {"pause", {0xF3, 0x90, 0x0F, 0xB6, 0x07, 0x84, 0xC0, 0x74, 0xF7}, 0, 7},
    {"a far branch", {0x48, 0x8B, 0x07, 0x48, 0x39, 0xF0, 0x0F, 0x8C, 0xF4, 0xFF, 0xFF, 0xFF}, 0, 6},
    {"an indexed flag", {0x8B, 0x0C, 0x85, 0x00, 0x10, 0x40, 0x00, 0x83, 0xF9, 0x05, 0x75, 0xF4}, 0, 10},
    {"-O0", {0x90, 0x8B, 0x05, 4, 0, 0, 0, 0x85, 0xC0, 0x0F, 0x94, 0xC0, 0x84, 0xC0, 0x75, 0xF0}, 0, 14},
    {"two flags", {0x8B, 0x07, 0x85, 0xC0, 0x75, 0x06, 0x8B, 0x06, 0x85, 0xC0, 0x74, 0xF4, 0x90}, 0, 10},
    {"an index read anew", {0x48, 0x63, 0x0F, 0x8B, 0x04, 0x8E, 0x85, 0xC0, 0x74, 0xF6}, 0, 8},
    {"high registers", {0x45, 0x8B, 0x04, 0x24, 0x45, 0x85, 0xC0, 0x74, 0xF7}, 0, 7},
    {"a tested bit", {0xF6, 0x07, 0x01, 0x74, 0xFB}, 0, 3},
    {"thread-local", {0x64, 0x8B, 0x04, 0x25, 0xF0, 0xFF, 0xFF, 0xFF, 0x3B, 0x07, 0x7C, 0xF4}, 0, 10},
    {"a flush behind", {0x8B, 0x07, 0x85, 0xC0, 0xF0, 0x48, 0x83, 0x0C, 0x24, 0x00, 0x74, 0xF4}, 0, 10},
};

const std::vector<sample> others{
    {"counts", {0xFF, 0xC1, 0x8B, 0x10, 0x85, 0xD2, 0x74, 0xF8}, 0, 6},
    {"searches", {0x48, 0x83, 0xC0, 0x04, 0x83, 0x38, 0x00, 0x75, 0xF7}, 0, 7},
    {"follows a list", {0x48, 0x8B, 0x40, 0x08, 0x48, 0x85, 0xC0, 0x75, 0xF7}, 0, 7},
    {"follows a list by another register", {0x48, 0x8B, 0x08, 0x48, 0x89, 0xC8, 0x48, 0x85, 0xC9, 0x75, 0xF5}, 0, 9},
    {"writes", {0x89, 0x07, 0x8B, 0x10, 0x85, 0xD2, 0x74, 0xF8}, 0, 6},
    {"takes a lock", {0xF0, 0x0F, 0xB1, 0x0F, 0x75, 0xFA}, 0, 4},
    {"exchanges", {0x87, 0x07, 0x85, 0xC0, 0x75, 0xFA}, 0, 4},
    {"calls", {0xE8, 0, 0, 0, 0, 0x8B, 0x10, 0x85, 0xD2, 0x74, 0xF5}, 0, 9},
    {"asks the system", {0x0F, 0x05, 0x8B, 0x10, 0x85, 0xD2, 0x74, 0xF8}, 0, 6},
    {"locks another operation", {0xF0, 0x48, 0x83, 0x0C, 0x24, 0x01, 0x83, 0x3F, 0x00, 0x74, 0xF5}, 0, 9},
    {"flushes elsewhere", {0xF0, 0x48, 0x83, 0x0C, 0x20, 0x00, 0x83, 0x3F, 0x00, 0x74, 0xF5}, 0, 9},
    {"skips a part", {0x8B, 0x07, 0x85, 0xC0, 0x75, 0x02, 0x8B, 0x0E, 0x85, 0xC9, 0x74, 0xF4}, 0, 10},
    {"reads the clock", {0x0F, 0x31, 0x39, 0xC8, 0x72, 0xFA}, 0, 4},
};

TEST(SpinLoop, IsFoundFromEachOfItsInstructions) {
  for (const sample& s : waits) {
    // Other code stands around it.
    code whole{0xC3, 0xC3};
    whole.insert(whole.end(), s.bytes.begin(), s.bytes.end());
    unsigned found = 0;
    for (std::size_t at = 2; at <= s.branch + 2; ++at) {
      const auto loop = find_spin_loop(whole, at);
      if (!loop) continue;
      ++found;
      EXPECT_EQ(loop->begin, s.begin + 2) << s.name;
      EXPECT_EQ(loop->branch, s.branch + 2) << s.name;
    }
    EXPECT_TRUE(find_spin_loop(whole, s.begin + 2)) << s.name;
    EXPECT_TRUE(find_spin_loop(whole, s.branch + 2)) << s.name;
    EXPECT_GE(found, 2U) << s.name;
    EXPECT_FALSE(find_spin_loop(whole, 0)) << s.name;
  }
}

TEST(SpinLoop, NothingElseIsOne) {
  for (const sample& s : others)
    for (std::size_t at = 0; at < s.bytes.size(); ++at)
      EXPECT_FALSE(find_spin_loop(s.bytes, at)) << s.name << " " << at;
}

TEST(SpinLoop, CodeThatEndsIsNone) {
  for (const sample& s : waits) {
    for (std::size_t bytes = 0; bytes <= s.branch + 1; ++bytes)
      EXPECT_FALSE(find_spin_loop(std::span(s.bytes).first(bytes), s.begin)) << s.name << " " << bytes;
  }
}

TEST(SpinLoop, FillingIsNoOperationsAndBreakpoints) {
  const std::vector<code> filling{{},
                                  {0x90},
                                  {0xCC, 0xCC},
                                  {0x66, 0x90, 0x90},
                                  {0x0F, 0x1F, 0x44, 0x00, 0x00},
                                  {0x66, 0x2E, 0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0, 0x0F, 0x1F, 0x00}};
  for (const code& c : filling) EXPECT_TRUE(is_filling(c)) << c.size();
  const std::vector<code> code_that_is_none{
      {0xC3}, {0x90, 0xF3, 0x90}, {0x8B, 0x10}, {0x0F, 0x1F, 0x44, 0x00}, {0x90, 0x74, 0xFD}};
  for (const code& c : code_that_is_none) EXPECT_FALSE(is_filling(c)) << c.size();
}

TEST(SpinLoop, AFlushIsFound) {
  for (const sample& s : waits) {
    const auto loop = find_spin_loop(s.bytes, s.begin);
    ASSERT_TRUE(loop) << s.name;
    // A flush of 32 bits has another code.
    const bool has = s.name == "flush and compare" || s.name == "a flush behind";
    EXPECT_EQ(find_flush(s.bytes, *loop).has_value(), has) << s.name;
  }
  EXPECT_EQ(find_flush(waits.back().bytes, *find_spin_loop(waits.back().bytes, 0)), 4U);
}

TEST(SpinLoop, AnyBytesAreRead) {
  std::mt19937 random(1);
  code bytes(64);
  unsigned found = 0, flushes = 0;
  for (int round = 0; round < 200'000; ++round) {
    // Mostly instructions of such loops, so that some loops are found.
    constexpr std::uint8_t usual[] = {0x8B, 0x85, 0xC0, 0x74, 0xFA, 0x0F, 0xB6,
                                      0xF0, 0x48, 0x83, 0x00, 0x07, 0xF3, 0x90};
    for (auto& b : bytes)
      b = random() % 4 == 0 ? static_cast<std::uint8_t>(random()) : usual[random() % std::size(usual)];
    constexpr std::uint8_t flushing[] = {0xF0, 0x48, 0x83, 0x0C, 0x24, 0x00, 0x74, 0xF8};
    if (round % 2 == 0)
      std::copy(std::begin(flushing), std::end(flushing),
                bytes.begin() + static_cast<std::ptrdiff_t>(random() % (bytes.size() - std::size(flushing))));
    const std::size_t at = random() % bytes.size();
    const auto loop = find_spin_loop(bytes, at);
    if (!loop) continue;
    ++found;
    ASSERT_LE(loop->begin, at);
    ASSERT_LE(at, loop->branch);
    ASSERT_LE(loop->branch + loop->branch_bytes, bytes.size());
    const auto pass = copy_pass(bytes, *loop, loop->begin, 4096);
    ASSERT_TRUE(pass);
    ASSERT_EQ(pass->bytes == 0, loop->begin == loop->branch && loop->condition == spin_loop::always);
    const auto flush = find_flush(bytes, *loop);
    if (!flush) continue;
    ++flushes;
    ASSERT_GE(*flush, loop->begin);
    ASSERT_LE(*flush + 6, loop->branch);
  }
  EXPECT_GT(found, 50U);
  EXPECT_GT(flushes, 10U);
}

TEST(SpinLoop, APassElsewhereReadsTheSameAndEndsWhereTheLoopDoes) {
  // cmpl $0,16(%rip); je back
  const code bytes{0xF3, 0x90, 0x83, 0x3D, 0x10, 0, 0, 0, 0x00, 0x74, 0xF5};
  const auto loop = find_spin_loop(bytes, 0);
  ASSERT_TRUE(loop);
  const auto pass = copy_pass(bytes, *loop, 0, -0x1000);
  ASSERT_TRUE(pass);
  const code expected{0xF3, 0x90,                          // pause
                      0x83, 0x3D, 0x10, 0x10, 0, 0, 0x00,  // from 0x1000 bytes before: 0x1000 more
                      0x0F, 0x85, 0xFC, 0x0F, 0, 0};       // jne: to 11, from -0x1000 + 15
  EXPECT_EQ(code_of(*pass), expected);
  // A loop that ends in its middle, too: two flags.
  const sample& two = waits[8];
  const auto both = find_spin_loop(two.bytes, 0);
  ASSERT_TRUE(both);
  const auto of_both = copy_pass(two.bytes, *both, 0, 0x100);
  ASSERT_TRUE(of_both);
  const code expected_of_both{0x8B, 0x07, 0x85, 0xC0, 0x0F, 0x85, 0x02, 0xFF, 0xFF, 0xFF,   // to 12, from 0x10A
                              0x8B, 0x06, 0x85, 0xC0, 0x0F, 0x85, 0xF8, 0xFE, 0xFF, 0xFF};  // to 12, from 0x114
  EXPECT_EQ(code_of(*of_both), expected_of_both);
  EXPECT_FALSE(copy_pass(bytes, *loop, 0, std::ptrdiff_t{1} << 40)) << "too far away";
  // A pass from its middle.
  const auto half = copy_pass(bytes, *loop, 2, -0x1000);
  ASSERT_TRUE(half);
  const code expected_half{0x83, 0x3D, 0x12, 0x10, 0, 0, 0x00, 0x0F, 0x85, 0xFE, 0x0F, 0, 0};
  EXPECT_EQ(code_of(*half), expected_half);
}

}  // namespace
}  // namespace callisto::workers
