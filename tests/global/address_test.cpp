// Addresses, the arithmetic of dealing, and the book of the global heap: what needs no ranks.
#include <callisto/global/memory/block_cyclic.hpp>
#include <callisto/global/memory/global_address.hpp>
#include <callisto/global/memory/growing_memory.hpp>
#include <callisto/global/memory/invariant_divisor.hpp>
#include <callisto/global/memory/space_allocator.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace callisto::global {
namespace {

TEST(InvariantDivisor, QuotientsAreExact) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> divisors{1,
                                      2,
                                      3,
                                      5,
                                      7,
                                      64,
                                      100,
                                      641,
                                      std::uint64_t{1} << 32,
                                      (std::uint64_t{1} << 32) + 1,
                                      std::uint64_t{1} << 63,
                                      std::numeric_limits<std::uint64_t>::max()};
  for (int i = 0; i < 200; ++i) divisors.push_back((random() >> (random() % 64)) | 1);
  for (const std::uint64_t d : divisors) {
    const invariant_divisor by(d);
    std::vector<std::uint64_t> numbers{0, 1, d - 1, d, d + 1, 2 * d - 1, std::numeric_limits<std::uint64_t>::max()};
    for (int i = 0; i < 100; ++i) numbers.push_back(random() >> (random() % 64));
    for (const std::uint64_t n : numbers) {
      ASSERT_EQ(by.quotient(n), n / d) << n << " / " << d;
      ASSERT_EQ(by.remainder(n), n % d) << n << " % " << d;
    }
  }
}

TEST(BlockCyclic, DealsEachUnitToOnePlace) {
  for (const std::uint64_t block : {1, 3, 8, 64}) {
    for (const std::uint64_t ranks : {1, 2, 7, 64}) {
      const block_cyclic dealt(block, ranks);
      std::vector<std::uint64_t> owned(ranks, 0);
      for (std::uint64_t unit = 0; unit < 1000; ++unit) {
        const dealt_place place = dealt.place(unit);
        ASSERT_EQ(place.rank, unit / block % ranks);
        ASSERT_EQ(place.rank, dealt.rank_of(unit));
        ASSERT_EQ(place.local, owned[place.rank]) << "a rank's units are contiguous among its own";
        ASSERT_EQ(dealt.unit_at(place), unit);
        for (std::uint64_t rank = 0; rank < ranks; ++rank) ASSERT_EQ(dealt.owned_before(unit, rank), owned[rank]);
        ++owned[place.rank];
      }
    }
  }
}

struct pair_of {
  std::int32_t first;
  std::int64_t second;
};

TEST(GlobalAddress, OfARankKeepsRankAndPointer) {
  std::vector<pair_of> values(10);
  for (const int rank : {0, 1, 77, global_address<int>::most_ranks - 1}) {
    const auto a = global_address<pair_of>::at(rank, values.data());
    EXPECT_FALSE(a.is_linear());
    EXPECT_EQ(a.rank(), rank);
    EXPECT_EQ(a.pointer(), values.data());
    EXPECT_EQ((a + 7).pointer(), &values[7]);
    EXPECT_EQ((a + 7).rank(), rank);
    EXPECT_EQ((a + 7 - 7), a);
    EXPECT_EQ((a + 7) - a, 7);
    EXPECT_EQ(a[3].member(&pair_of::second).pointer(), &values[3].second);
    EXPECT_LT(a, a + 1);
  }
}

TEST(GlobalAddress, StaysWithItsRankWhereThePointerWrapsAround) {
  auto a = global_address<char>::at(5, reinterpret_cast<char*>(std::uintptr_t{1}));
  a -= 2;
  EXPECT_EQ(a.rank(), 5);
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(a.pointer()), -1) << "bit 47 is copied upwards";
}

TEST(GlobalAddress, LinearCountsBytesOfTheHeap) {
  auto a = global_address<std::uint64_t>::linear(128);
  EXPECT_TRUE(a.is_linear());
  EXPECT_EQ((a + 3).offset(), 152U);
  EXPECT_EQ((a++).offset(), 128U);
  EXPECT_EQ((--a).offset(), 128U);
  EXPECT_EQ((a + 10) - a, 10);
  EXPECT_FALSE(global_address<int>());
  EXPECT_TRUE(a);
  EXPECT_EQ(a.as<char>().offset(), a.offset());
}

TEST(SpaceAllocator, RangesAreDisjointAndCoalesce) {
  space_allocator book(64, 1'000'000, 64);
  EXPECT_EQ(book.allocate(1), 64U);
  EXPECT_EQ(book.allocate(65), 128U);
  EXPECT_EQ(book.allocate(64), 256U);
  EXPECT_EQ(book.allocate(64), 320U);
  EXPECT_EQ(book.length_of(128), 128U);
  EXPECT_EQ(book.length_of(192), std::nullopt);
  book.give_back(128, *book.take(128));
  book.give_back(64, *book.take(64));
  EXPECT_EQ(book.holes(), 1U);
  EXPECT_EQ(book.allocate(192), 64U) << "two neighbours make one";
  book.give_back(256, *book.take(256));
  book.give_back(320, *book.take(320));
  EXPECT_EQ(book.end(), 256U) << "the end moves down";
  EXPECT_EQ(book.take(99), std::nullopt);
}

TEST(SpaceAllocator, SaysThatTheLineIsFull) {
  space_allocator book(0, 256, 64);
  EXPECT_EQ(book.allocate(std::numeric_limits<std::uint64_t>::max()), std::nullopt);
  EXPECT_EQ(book.allocate(257), std::nullopt);
  EXPECT_EQ(book.allocate(256), 0U);
  EXPECT_EQ(book.allocate(1), std::nullopt);
}

TEST(SpaceAllocator, AgainstAModel) {
  space_allocator book(0, 64 * 400, 64);
  std::map<std::uint64_t, std::uint64_t> model;  // begin -> end
  std::mt19937_64 random(7);
  std::uint64_t refused = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 2 == 0 || model.empty()) {
      const std::uint64_t units = random() % 1500 + 1;
      const auto begin = book.allocate(units);
      if (!begin) {
        ++refused;
        continue;
      }
      const std::uint64_t end = *begin + *book.length_of(*begin);
      ASSERT_GE(end - *begin, units);
      ASSERT_LE(end, 64U * 400);
      const auto above = model.lower_bound(*begin);
      ASSERT_TRUE(above == model.end() || end <= above->first);
      ASSERT_TRUE(above == model.begin() || std::prev(above)->second <= *begin);
      model.emplace(*begin, end);
    } else {
      const auto which = std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()));
      book.give_back(which->first, *book.take(which->first));
      model.erase(which);
    }
    std::uint64_t sum = 0;
    for (const auto& [begin, end] : model) sum += end - begin;
    ASSERT_EQ(book.allocated(), sum);
  }
  EXPECT_GT(refused, 0U);
  for (const auto& [begin, end] : model) book.give_back(begin, *book.take(begin));
  EXPECT_EQ(book.holes(), 0U);
  EXPECT_EQ(book.end(), 0U);
}

TEST(GrowingMemory, StartsEmptyAndDoubles) {
  growing_memory memory;
  EXPECT_EQ(memory.mapped(), 0U);
  *memory.at(0) = std::byte{1};
  EXPECT_EQ(memory.mapped(), growing_memory::first_bytes);
  for (std::uint64_t offset = 0; offset < 8 * growing_memory::first_bytes; offset += 4096) {
    *reinterpret_cast<std::uint64_t*>(memory.at(offset)) = offset;
  }
  EXPECT_EQ(memory.mapped(), 8 * growing_memory::first_bytes);
  for (std::uint64_t offset = 0; offset < 8 * growing_memory::first_bytes; offset += 4096) {
    ASSERT_EQ(*reinterpret_cast<std::uint64_t*>(memory.at(offset)), offset);
    const std::uint64_t end = growing_memory::contiguous_end(offset);
    ASSERT_EQ(memory.at(end - 1) - memory.at(offset), static_cast<std::ptrdiff_t>(end - 1 - offset));
  }
  memory.discard(0, 8 * growing_memory::first_bytes);
  EXPECT_EQ(*memory.at(5 * growing_memory::first_bytes), std::byte{0});
}

TEST(GrowingMemory, RefusesWhatTheSystemDoesNotHave) {
  growing_memory memory;
  EXPECT_THROW(memory.at(std::uint64_t{1} << 60), std::exception);
}

}  // namespace
}  // namespace callisto::global
