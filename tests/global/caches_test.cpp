// Gathering and scattering, and the three caches.
#include "../sanitizers.hpp"
#include "on_ranks.hpp"

#include <callisto/global/caches/caches.hpp>
#include <callisto/global/loops/parallel_for.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace callisto::global {
namespace {

using test::on_ranks;

class Caches : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Caches, testing::Values(1, 2, 4, 7, tests::sanitized ? 16 : 64));

TEST_P(Caches, RangesOfArrays) {
  on_ranks(GetParam(), [] {
    for (const distribution how : {by_block, cyclic(1), cyclic(5)}) {
      const std::uint64_t n = 9000;
      auto a = make_array<std::uint64_t>(n, how);
      parallel_for(a, [](std::uint64_t i, std::uint64_t& x) { x = i; });
      for (const std::uint64_t length : {0, 1, 4, 333, 8000}) {
        std::vector<std::uint64_t> copy(length);
        gather(a, 777, std::span(copy));
        for (std::uint64_t i = 0; i < length; ++i) ASSERT_EQ(copy[i], 777 + i);
      }
      barrier();
      // Each rank writes a stretch of its own.
      const auto each = n / static_cast<std::uint64_t>(here().ranks);
      const auto first = each * static_cast<std::uint64_t>(here().rank);
      {
        read_write<std::uint64_t> mine(a, first, each);
        for (std::uint64_t& x : mine) x += 1;
      }
      {
        write_only<std::uint64_t> ten(a, first, std::min<std::uint64_t>(10, each));
        for (std::uint64_t i = 0; i < ten.size(); ++i) ten[i] = first + i + 100;
        ten.release();
      }
      barrier();
      const read_only<std::uint64_t> all(a, 0, n);
      for (std::uint64_t i = 0; i < each * static_cast<std::uint64_t>(here().ranks); ++i) {
        ASSERT_EQ(all[i], i + (i % each < 10 ? 100 : 1));
      }
      barrier();
      free(a);
    }
  });
}

TEST_P(Caches, RangesOfTheHeap) {
  on_ranks(GetParam(), [] {
    const std::uint64_t n = 400'000;  // several segments of each rank
    if (here().rank == here().ranks - 1) {
      const auto a = global_allocate<std::uint64_t>(n);
      std::vector<std::uint64_t> values(n);
      for (std::uint64_t i = 0; i < n; ++i) values[i] = i * 3;
      scatter(std::span<const std::uint64_t>(values), a);
      for (std::int64_t i = 0; i < 400'000; i += 39'999) ASSERT_EQ(read(a + i), static_cast<std::uint64_t>(i) * 3);
      const read_only<std::uint64_t> copy(a + 1000, n - 1000);
      for (std::uint64_t i = 0; i < n - 1000; ++i) ASSERT_EQ(copy[i], (i + 1000) * 3);
      global_free(a);
    }
    barrier();
  });
}

TEST(CacheTasks, ManyWorkersGatherAtOnce) {
  on_ranks(3, [] {
    auto a = make_array<std::uint32_t>(30'000, cyclic(16));
    parallel_for(a, [](std::uint64_t i, std::uint32_t& x) { x = static_cast<std::uint32_t>(i); });
    parallel_for(0, 1000, [&](std::uint64_t i) {
      const read_only<std::uint32_t> part(a, i * 29, 40);
      for (std::uint32_t k = 0; k < 40; ++k) ASSERT_EQ(part[k], i * 29 + k);
    });
  });
}

}  // namespace
}  // namespace callisto::global
