// Gaps between functions, by this program's own table, by made-up tables, and by any bytes.
#include <callisto/workers/preemption/spin_traps/function_gaps.hpp>
#include <callisto/workers/preemption/spin_traps/spin_loop.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <link.h>

namespace callisto::workers {
namespace {

/// A table with its entries, in memory of its own.
class made_table {
 public:
  /// Makes the table of functions with these beginnings, counted from the memory's beginning, and lengths.
  explicit made_table(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& functions) {
    constexpr std::size_t header = 16;
    const std::size_t entries = header + 12 + functions.size() * 8;
    bytes.resize(entries + functions.size() * 16);
    bytes[header] = 1;
    bytes[header + 1] = 0x1B;
    bytes[header + 2] = 0x03;
    bytes[header + 3] = 0x3B;
    put(header + 8, static_cast<std::uint32_t>(functions.size()));
    for (std::size_t n = 0; n < functions.size(); ++n) {
      const std::size_t entry = entries + 16 * n;
      put(header + 12 + 8 * n, static_cast<std::uint32_t>(functions[n].first - header));
      put(header + 12 + 8 * n + 4, static_cast<std::uint32_t>(entry - header));
      put(entry, 12);
      put(entry + 8, static_cast<std::uint32_t>(functions[n].first - (entry + 8)));
      put(entry + 12, functions[n].second);
    }
  }

  void put(std::size_t at, std::uint32_t value) { std::memcpy(&bytes[at], &value, sizeof value); }
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(bytes.data()); }
  function_gaps gaps() const { return {bytes, 16}; }

  std::vector<std::uint8_t> bytes;
};

/// Returns the gap's offsets.
std::optional<std::pair<std::uintptr_t, std::uintptr_t>> offsets(const made_table& t,
                                                                 const std::optional<function_gaps::gap>& g) {
  if (!g) return std::nullopt;
  return std::pair(g->begin - t.begin(), g->end - t.begin());
}

TEST(FunctionGaps, StandBehindAndBefore) {
  made_table t({{0x1000, 0x1B}, {0x1020, 0x24}, {0x1048, 0x8}, {0x1050, 0x31}});
  // The memory is aligned to 16, as code is.
  const std::size_t shift = t.begin() % 16;
  ASSERT_EQ(shift, 0U);
  using pair = std::pair<std::uintptr_t, std::uintptr_t>;
  const function_gaps g = t.gaps();
  EXPECT_EQ(offsets(t, g.behind(t.begin() + 0x1000)), pair(0x101B, 0x1020));
  EXPECT_EQ(offsets(t, g.behind(t.begin() + 0x101A)), pair(0x101B, 0x1020));
  EXPECT_FALSE(g.behind(t.begin() + 0x101B)) << "in no function";
  EXPECT_FALSE(g.before(t.begin() + 0x101B));
  EXPECT_FALSE(g.behind(t.begin() + 0xFFF));
  EXPECT_FALSE(g.before(t.begin() + 0x1005)) << "the first";
  EXPECT_EQ(offsets(t, g.before(t.begin() + 0x1020)), pair(0x101B, 0x1020));
  EXPECT_EQ(offsets(t, g.behind(t.begin() + 0x1020)), pair(0x1044, 0x1048)) << "the next one begins early";
  EXPECT_FALSE(g.behind(t.begin() + 0x1048)) << "the next one follows at once";
  EXPECT_EQ(offsets(t, g.behind(t.begin() + 0x1050)), pair(0x1081, 0x1090)) << "the last";
}

TEST(FunctionGaps, AnotherTableHasNone) {
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> functions{{0x1000, 0x1B}, {0x1020, 0x24}};
  for (std::size_t at = 16; at < 20; ++at) {
    made_table t(functions);
    t.bytes[at] ^= 0x40;
    EXPECT_FALSE(t.gaps().behind(t.begin() + 0x1000)) << at;
  }
  made_table longer(functions);
  longer.put(24, 1'000'000);
  EXPECT_FALSE(longer.gaps().behind(longer.begin() + 0x1000)) << "more rows than memory";
  made_table elsewhere(functions);
  elsewhere.put(28 + 4, 0x100000);
  EXPECT_FALSE(elsewhere.gaps().behind(elsewhere.begin() + 0x1000)) << "an entry outside";
  made_table other(functions);
  other.put(28 + 16 + 8, 0);
  EXPECT_FALSE(other.gaps().behind(other.begin() + 0x1000)) << "an entry of another function";
  EXPECT_TRUE(other.gaps().behind(other.begin() + 0x1020));
  const made_table whole(functions);
  for (std::size_t bytes = 0; bytes < 28; ++bytes)
    EXPECT_FALSE(function_gaps(std::span(whole.bytes).first(bytes), 16).behind(whole.begin() + 0x1000)) << bytes;
  EXPECT_FALSE(function_gaps(whole.bytes, whole.bytes.size() + 1).behind(whole.begin()));
  EXPECT_FALSE(function_gaps().behind(0x1000));
}

TEST(FunctionGaps, AnyBytesAreRead) {
  std::mt19937 random(1);
  unsigned found = 0;
  for (int round = 0; round < 20'000; ++round) {
    made_table t({{0x1000, 0x1B}, {0x1020, 0x24}, {0x1050, 0x31}});
    for (unsigned n = random() % 4; n != 0; --n)
      t.bytes[random() % t.bytes.size()] = static_cast<std::uint8_t>(random());
    for (std::uintptr_t at = 0xFF0; at < 0x10A0; at += 7) {
      const auto g = t.gaps().behind(t.begin() + at);
      const auto before = t.gaps().before(t.begin() + at);
      for (const auto& each : {g, before}) {
        if (!each) continue;
        ++found;
        ASSERT_LT(each->begin, each->end);
        ASSERT_LT(each->end - each->begin, 16U);
      }
    }
  }
  EXPECT_GT(found, 1000U);
}

[[gnu::noinline, gnu::aligned(16)]] int first(int n) { return n * 3 + 1; }
[[gnu::noinline, gnu::aligned(16)]] int second(int n) { return n * 5 + 2; }

TEST(FunctionGaps, OfThisProgramAreFilling) {
  static function_gaps own;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void*) {
        own = function_gaps::of(*object);
        return 1;
      },
      nullptr);
  EXPECT_EQ(first(1) + second(1), 11);
  unsigned found = 0;
  for (const auto function : {&first, &second}) {
    for (const auto& g : {own.behind(reinterpret_cast<std::uintptr_t>(function)),
                          own.before(reinterpret_cast<std::uintptr_t>(function))}) {
      if (!g) continue;
      ++found;
      EXPECT_TRUE(is_filling({reinterpret_cast<const std::uint8_t*>(g->begin), g->end - g->begin}));
    }
  }
  EXPECT_GE(found, 2U);
}

}  // namespace
}  // namespace callisto::workers
