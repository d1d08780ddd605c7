// Loops on teams of ordinary threads: each iteration runs once, for every schedule, bound and number of threads.
#include <callisto/openmp/worksharing/loop.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include "by_threads.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::openmp {
namespace {

struct wanted {
  schedule_kind kind;
  std::uint64_t chunk;
  bool monotonic;
};

const std::vector<wanted> schedules{
    {schedule_kind::fixed, 0, true},    {schedule_kind::fixed, 3, true},      {schedule_kind::dynamic, 1, false},
    {schedule_kind::dynamic, 7, false}, {schedule_kind::dynamic, 4, true},    {schedule_kind::guided, 1, false},
    {schedule_kind::guided, 5, true},   {schedule_kind::automatic, 0, false},
};

TEST(Schedules, EachIterationOnce) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const wanted& how : schedules) {
      SCOPED_TRACE(fmt::format("{} threads, kind {}, chunk {}, monotonic {}", threads, static_cast<int>(how.kind),
                               how.chunk, how.monotonic));
      for (const long trips : {0L, 1L, 4L, 1000L}) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(trips));
        std::atomic<int> last_ranges{0};
        run_as_team(threads, [&](omp_thread& self) {
          // Two loops without a barrier between them; the second one counts down.
          for (const bool up : {true, false}) {
            const iteration_space space = up ? signed_space(10, 10 + 2 * trips, 2) : signed_space(trips - 1, -1, -1);
            loop_request asked = resolve(self, space, how.kind, how.chunk, how.monotonic);
            asked.monotonic = how.monotonic;  // as with CALLISTO_NONMONOTONIC
            begin_loop(self, asked);
            long first = 0;
            long last = 0;
            bool had_last = false;
            while (hand_out(self, &first, &last)) {
              had_last = last == (up ? 10 + 2 * trips : -1);
              for (long i = first; i != last; i += up ? 2 : -1)
                runs[static_cast<std::size_t>(up ? (i - 10) / 2 : i)].fetch_add(1);
            }
            // lastprivate: exactly one thread has the loop's last range as its own last one.
            if (had_last) last_ranges.fetch_add(1);
          }
        });
        for (const auto& count : runs) ASSERT_EQ(count.load(), 2);
        EXPECT_EQ(last_ranges.load(), trips == 0 ? 0 : 2);
      }
    }
  }
}

TEST(Schedules, BoundsOfTheTypes) {
  constexpr long least = std::numeric_limits<long>::min();
  constexpr long most = std::numeric_limits<long>::max();
  EXPECT_EQ(signed_space(least, most, 1).trips, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(signed_space(least, most, most).trips, 3U);
  EXPECT_EQ(signed_space(most, least, least).trips, 2U);
  EXPECT_EQ(signed_space(5, 5, 1).trips, 0U);
  EXPECT_EQ(signed_space(5, 6, -1).trips, 0U);
  constexpr unsigned long long all = std::numeric_limits<unsigned long long>::max();
  EXPECT_EQ(unsigned_space(true, 0, all, 1).trips, all);
  EXPECT_EQ(unsigned_space(false, all, 0, 0ULL - 2).trips, all / 2 + 1);
  EXPECT_EQ(unsigned_space(true, 3, 2, 1).trips, 0U);
}

}  // namespace
}  // namespace callisto::openmp
