// The processor's counters: if they are there, they count; if not, they say why.
#include <callisto/machine/host/cache_counters.hpp>

#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::machine {
namespace {

/// Runs about ten million instructions, and returns a sum that the compiler cannot foresee.
std::uint64_t work(std::uint64_t seed) {
  std::vector<std::uint64_t> values(1 << 16);
  std::iota(values.begin(), values.end(), seed);
  std::uint64_t sum = 0;
  for (int round = 0; round < 50; ++round) {
    for (std::uint64_t& v : values) sum += v = v * 6364136223846793005u + 1442695040888963407u;
  }
  return sum;
}

TEST(CacheCounters, CountOrSayWhyNot) {
  cache_counters counters;
  counters.start();
  volatile std::uint64_t result = work(1);
  const hardware_counts one = counters.stop();
  if (!counters.missing().empty()) {
    EXPECT_EQ(counters.missing().find("perf_event_open: "), 0u) << counters.missing();
    EXPECT_EQ(one.cycles + one.instructions + one.cache_references + one.cache_misses, 0u);
    return;
  }
  EXPECT_GT(one.cycles, 1'000'000u);
  EXPECT_GT(one.instructions, 3'000'000u);
  EXPECT_LE(one.cache_misses, one.cache_references);
  // Threads that begin later count, too.
  counters.start();
  std::thread([&] { result = work(2); }).join();
  EXPECT_GT(counters.stop().instructions, one.instructions / 2);
}

}  // namespace
}  // namespace callisto::machine
