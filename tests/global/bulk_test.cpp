// Sorts, scans, groups, hash maps and bitmaps over ranks, against the same by one thread.
#include "on_ranks.hpp"

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/bulk/bitmap.hpp>
#include <callisto/global/bulk/group_by.hpp>
#include <callisto/global/bulk/hash_map.hpp>
#include <callisto/global/bulk/scan.hpp>
#include <callisto/global/bulk/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace callisto::global {
namespace {

using test::on_ranks;

class Bulk : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Bulk, testing::Values(1, 2, 4, 7));

struct item {
  std::uint64_t key;
  std::uint64_t rank;
  std::uint64_t place;
  bool operator==(const item&) const = default;
};
bool by_key(const item& a, const item& b) { return a.key < b.key; }

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15;
  return x ^ x >> 29;
}

/// The items that a rank begins with; `kinds`: how many keys there are.
std::vector<item> items_of(std::uint64_t rank, std::uint64_t count, std::uint64_t kinds) {
  std::vector<item> items;
  for (std::uint64_t i = 0; i != count; ++i) items.push_back({mixed(rank << 32 | i) % kinds, rank, i});
  return items;
}

/// All items of all ranks, and how many each has: the same, none at most ranks, or more from rank to rank.
struct shares {
  std::string name;
  std::function<std::uint64_t(std::uint64_t rank)> count;
};
const std::vector<shares> all_shares{{"even", [](std::uint64_t) { return 700; }},
                                     {"one has all", [](std::uint64_t r) { return r == 0 ? 3000 : 0; }},
                                     {"rising", [](std::uint64_t r) { return r * r * 90; }},
                                     {"few", [](std::uint64_t r) { return r % 2; }},
                                     {"none", [](std::uint64_t) { return 0; }}};

TEST_P(Bulk, SortsAreStableAndEven) {
  for (const shares& how : all_shares) {
    for (const std::uint64_t kinds : {std::uint64_t{1}, std::uint64_t{5}, ~std::uint64_t{0}}) {
      on_ranks(GetParam(), [&] {
        const auto ranks = static_cast<std::uint64_t>(here().ranks);
        const auto me = static_cast<std::uint64_t>(here().rank);
        std::vector<item> expected;
        for (std::uint64_t r = 0; r != ranks; ++r) {
          const std::vector<item> some = items_of(r, how.count(r), kinds);
          expected.insert(expected.end(), some.begin(), some.end());
        }
        std::stable_sort(expected.begin(), expected.end(), by_key);
        std::vector<item> own = items_of(me, how.count(me), kinds);
        sort_parts(own, by_key);
        const std::uint64_t before = scan_ranks(std::uint64_t{own.size()});
        ASSERT_LE(before + own.size(), expected.size()) << how.name;
        EXPECT_TRUE(std::equal(own.begin(), own.end(), expected.begin() + static_cast<std::ptrdiff_t>(before)))
            << how.name << ", " << kinds << " keys, rank " << me;
        EXPECT_EQ(reduce_all(std::uint64_t{own.size()}), expected.size()) << how.name;
        // A sample stands for 1/64 of a share.
        EXPECT_LE(own.size(), expected.size() / ranks * 5 / 4 + 64) << how.name << ", " << kinds << " keys";
      });
    }
  }
}

/// Numbers of a rank: equal ones and zeros of both signs on all ranks.
template <class T>
std::vector<T> numbers_of(std::uint64_t rank, std::size_t n) {
  std::vector<T> made;
  for (std::size_t i = 0; i != n; ++i) {
    const auto x = static_cast<std::int64_t>((rank * 7919 + i) * 2654435761U % 4001) - 2000;
    made.push_back(i % 3 == 0 ? static_cast<T>(0) * static_cast<T>(x) : static_cast<T>(x));
  }
  return made;
}

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

/// Compares what ranks have after a sort with the sorted numbers of all, bit by bit.
template <class T, class Less>
void sorts_numbers(const Less& less) {
  constexpr std::size_t each = 20'000;
  const auto me = static_cast<std::uint64_t>(here().rank);
  std::vector<T> expected;
  for (std::uint64_t r = 0; r != static_cast<std::uint64_t>(here().ranks); ++r) {
    const std::vector<T> of = numbers_of<T>(r, each);
    expected.insert(expected.end(), of.begin(), of.end());
  }
  std::stable_sort(expected.begin(), expected.end(), less);
  std::vector<T> own = numbers_of<T>(me, each);
  sort_parts(own, less);
  const std::uint64_t before = scan_ranks(std::uint64_t{own.size()});
  ASSERT_LE(before + own.size(), expected.size());
  EXPECT_EQ(std::memcmp(own.data(), expected.data() + before, own.size() * sizeof(T)), 0) << "rank " << me;
}

TEST_P(Bulk, SortsNumbersAndStartsNoThreads) {
  on_ranks(GetParam(), [] {
    std::vector<int> few{2, 1};
    sort_parts(few);  // what transports start at first use is there
    barrier();
    const std::ptrdiff_t threads = threads_of_process();
    sorts_numbers<std::uint64_t>(std::less<>());
    sorts_numbers<std::int32_t>(std::greater<>());
    sorts_numbers<double>(std::less<>());
    barrier();
    EXPECT_EQ(threads_of_process(), threads);
    barrier();
  });
}

TEST_P(Bulk, ScansGoOnFromRankToRank) {
  for (const shares& how : all_shares) {
    on_ranks(GetParam(), [&] {
      const auto me = static_cast<std::uint64_t>(here().rank);
      std::uint64_t before = 0;
      for (std::uint64_t r = 0; r != me; ++r) {
        for (const item& i : items_of(r, how.count(r), 1000)) before += i.key;
      }
      std::vector<std::uint64_t> own;
      for (const item& i : items_of(me, how.count(me), 1000)) own.push_back(i.key);
      std::vector<std::uint64_t> inclusive = own;
      std::vector<std::uint64_t> exclusive = own;
      inclusive_scan_parts(std::span(inclusive));
      exclusive_scan_parts(std::span(exclusive));
      std::uint64_t sum = before;
      for (std::size_t i = 0; i != own.size(); ++i) {
        ASSERT_EQ(exclusive[i], sum) << how.name;
        sum += own[i];
        ASSERT_EQ(inclusive[i], sum) << how.name;
      }
      std::uint64_t product = 1;
      for (std::uint64_t r = 1; r <= me; ++r) product *= r;
      EXPECT_EQ(scan_ranks(me + 1, std::uint64_t{1}, std::multiplies<>{}), product);
    });
  }
}

TEST_P(Bulk, AnArraysPartsAreScannedInPlace) {
  on_ranks(GetParam(), [] {
    const auto a = make_array<std::uint64_t>(1000, by_block);
    for (std::uint64_t& x : a.local()) x = 2;
    inclusive_scan_parts(a.local());
    for (std::uint64_t i = 0; i != a.local().size(); ++i) ASSERT_EQ(a.local()[i], 2 * (a.index_of(i) + 1));
    free(a);
  });
}

TEST_P(Bulk, GroupsAreWholeAndInOrderOfRanks) {
  for (const shares& how : all_shares) {
    on_ranks(GetParam(), [&] {
      const auto ranks = static_cast<std::uint64_t>(here().ranks);
      const auto me = static_cast<std::uint64_t>(here().rank);
      std::map<std::uint64_t, std::vector<item>> expected;
      for (std::uint64_t r = 0; r != ranks; ++r) {
        for (const item& i : items_of(r, how.count(r), 40)) expected[i.key].push_back(i);
      }
      const std::vector<item> own = items_of(me, how.count(me), 40);
      const grouped<item> found = group_by(std::span(own), [](const item& i) { return i.key; });
      std::uint64_t last = 0;
      for (std::size_t g = 0; g != found.size(); ++g) {
        const std::uint64_t key = found[g].front().key;
        ASSERT_TRUE(g == 0 || last < key) << how.name;
        last = key;
        ASSERT_EQ(std::vector<item>(found[g].begin(), found[g].end()), expected[key]) << how.name;
      }
      EXPECT_EQ(reduce_all(std::uint64_t{found.size()}), expected.size()) << how.name;
    });
  }
}

TEST_P(Bulk, MapsAreThoseOfOneThread) {
  using map = hash_map<std::uint64_t, std::uint64_t>;
  using multimap = hash_multimap<std::uint64_t, std::uint64_t>;
  for (const shares& how : all_shares) {
    on_ranks(GetParam(), [&] {
      const auto ranks = static_cast<std::uint64_t>(here().ranks);
      const auto me = static_cast<std::uint64_t>(here().rank);
      std::map<std::uint64_t, std::vector<std::uint64_t>> expected;
      for (std::uint64_t r = 0; r != ranks; ++r) {
        for (const item& i : items_of(r, how.count(r), 300)) expected[i.key].push_back(i.rank << 20 | i.place);
      }
      std::vector<map::entry> own;
      std::vector<multimap::entry> own_again;
      for (const item& i : items_of(me, how.count(me), 300)) {
        own.push_back({i.key, i.rank << 20 | i.place});
        own_again.push_back({i.key, i.rank << 20 | i.place});
      }
      map last;
      map sums;
      multimap all;
      last.insert(own);
      sums.insert(own, std::plus<>{});
      all.insert(own_again);
      EXPECT_EQ(last.size(), expected.size()) << how.name;
      EXPECT_EQ(all.size(), expected.size()) << how.name;
      // Ranks ask for other keys, of which some are nowhere.
      std::vector<std::uint64_t> keys;
      for (std::uint64_t k = me; k < 400; k += 1 + me) keys.push_back(399 - k);
      const auto found_last = last.find(keys);
      const auto found_sums = sums.find(keys);
      const auto found_all = all.find(keys);
      for (std::size_t i = 0; i != keys.size(); ++i) {
        const auto at = expected.find(keys[i]);
        ASSERT_EQ(found_last[i].has_value(), at != expected.end()) << how.name;
        if (at == expected.end()) {
          EXPECT_TRUE(found_all[i].empty());
          continue;
        }
        ASSERT_EQ(*found_last[i], at->second.back()) << how.name;
        ASSERT_EQ(*found_sums[i], std::accumulate(at->second.begin(), at->second.end(), std::uint64_t{0})) << how.name;
        ASSERT_EQ(found_all[i], at->second) << how.name;
      }
      for (const auto& [key, value] : last.local()) ASSERT_EQ(map::owner(key), here().rank);
      last.erase(me == 0 ? std::vector<std::uint64_t>{7, 8, 999} : std::vector<std::uint64_t>{});
      EXPECT_EQ(last.size(), expected.size() - expected.count(7) - expected.count(8)) << how.name;
    });
  }
}

TEST_P(Bulk, BitmapsUniteWhatAnyRankHasSet) {
  on_ranks(GetParam(), [] {
    const auto ranks = static_cast<std::uint64_t>(here().ranks);
    const auto me = static_cast<std::uint64_t>(here().rank);
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1000}}) {
      bitmap marks(size);
      std::set<std::uint64_t> expected;
      for (std::uint64_t r = 0; r != ranks; ++r) {
        for (std::uint64_t i = 0; i < size; ++i) {
          if (mixed(r << 20 | i) % 7 != 0) continue;
          expected.insert(i);
          if (r != me) continue;
          EXPECT_TRUE(marks.set(i));
          EXPECT_FALSE(marks.set(i));
        }
      }
      EXPECT_EQ(marks.unite(), expected.size());
      std::set<std::uint64_t> found;
      marks.for_each(0, size, [&](std::uint64_t i) { found.insert(i); });
      EXPECT_EQ(found, expected);
      std::uint64_t inside = 0;
      marks.for_each(size / 3, size / 2, [&](std::uint64_t i) {
        EXPECT_TRUE(i >= size / 3 && i < size / 2 && marks.test(i));
        ++inside;
      });
      EXPECT_EQ(inside, static_cast<std::uint64_t>(
                            std::distance(expected.lower_bound(size / 3), expected.lower_bound(size / 2))));
      marks.clear();
      EXPECT_EQ(marks.unite(), 0u);
    }
  });
}

}  // namespace
}  // namespace callisto::global
