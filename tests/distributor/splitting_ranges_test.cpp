// Ranges: what each thread begins with, and that every iteration is found, whichever threads come.
#include <callisto/distributor/absent_threads.hpp>
#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/machine/native.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::distributor {
namespace {

using machine::native;
static_assert(work_distributor<splitting_ranges<native>> && divisible<splitting_ranges<native>>);

/// Returns how much each thread begins with.
std::vector<std::uint64_t> parts(std::uint64_t n, unsigned threads, const std::vector<unsigned>& away = {}) {
  const layout where = layout::flat(threads);
  absent_threads<native> absent(threads);
  for (const unsigned t : away) absent.set(where.position(t), true);
  splitting_ranges<native> d(n, where, {}, &absent);
  std::vector<std::uint64_t> found;
  for (unsigned t = 0; t < threads; ++t) found.push_back(d.near(d.cursor_of(t)));
  return found;
}

TEST(Ranges, BeginAsEqualPartsOfThoseThatAreExpected) {
  using sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(parts(12, 4), (sizes{3, 3, 3, 3}));
  EXPECT_EQ(parts(14, 4), (sizes{4, 3, 4, 3}));
  EXPECT_EQ(parts(3, 6), (sizes{1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(parts(1, 5), (sizes{1, 0, 0, 0, 0}));
  EXPECT_EQ(parts(12, 4, {1}), (sizes{4, 0, 4, 4}));
  EXPECT_EQ(parts(12, 4, {0, 1, 3}), (sizes{0, 0, 12, 0}));
  EXPECT_EQ(parts(12, 4, {0, 1, 2, 3}), (sizes{3, 3, 3, 3})) << "somebody runs it";
  for (const unsigned threads : {64u, 65u, 1024u}) {
    std::vector<unsigned> odd;
    for (unsigned t = 1; t < threads; t += 2) odd.push_back(t);
    const sizes found = parts(10 * threads, threads, odd);
    for (unsigned t = 0; t < threads; ++t) {
      if (t % 2 == 1) {
        EXPECT_EQ(found[t], 0u);
      } else {
        EXPECT_NEAR(static_cast<double>(found[t]), 20, 1);
      }
    }
  }
}

TEST(Ranges, EveryPartIsFoundByTheThreadsThatCome) {
  std::mt19937 random(5);
  for (const unsigned threads : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 64u, 65u, 300u, 1500u}) {
    const layout where = layout::flat(threads);
    for (const std::uint64_t n : {1u, 2u, 3u, 5u, 63u, 64u, 1000u, 4321u}) {
      for (const unsigned of_ten : {0u, 5u, 9u, 10u}) {
        SCOPED_TRACE(std::to_string(n) + " iterations, " + std::to_string(threads) + " threads");
        absent_threads<native> absent(threads);
        for (unsigned p = 0; p < threads; ++p) {
          if (random() % 10 < of_ten) absent.set(p, true);
        }
        splitting_ranges<native> d(n, where, {}, &absent);
        // Later changes to `absent` make no difference.
        absent.set(0, (absent.word(0) & 1) == 0);
        // Some threads come, in any order, absent or not.
        std::vector<int> runs(n);
        for (unsigned i = 0; i < 3; ++i) {
          auto c = d.cursor_of(static_cast<unsigned>(random() % threads));
          const unsigned claims = i == 2 ? ~0u : static_cast<unsigned>(random() % 20);
          for (unsigned k = 0; k < claims; ++k) {
            const range r = d.claim(c, 1 + random() % 4);
            if (r.empty()) break;
            for (auto at = r.first; at < r.last; ++at) ++runs[at];
          }
          d.leave(c);
        }
        EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](int times) { return times == 1; }));
      }
    }
  }
}

}  // namespace
}  // namespace callisto::distributor
