// Bulk operations: exchanges of counted pieces, shared parts, lists of indices.
#include "on_ranks.hpp"

#include <callisto/global/caches/lists.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace callisto::global {
namespace {

using test::error_on_ranks;
using test::on_ranks;

class Exchange : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Exchange, testing::Values(1, 2, 4, 7));

/// How many elements rank `from` sends to rank `to`: none to some, several messages to others.
std::uint64_t sent(int from, int to, int round) {
  const auto kind = static_cast<std::uint64_t>(from * 7 + to * 3 + round) % 4;
  return kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? 100 + static_cast<std::uint64_t>(from) : 9000;
}
std::uint64_t value_of(int from, int to, std::uint64_t i) {
  return static_cast<std::uint64_t>(from) << 48 | static_cast<std::uint64_t>(to) << 32 | i;
}

TEST_P(Exchange, PiecesArriveByRankAndInOrder) {
  on_ranks(GetParam(),
           [] {
             const int me = here().rank;
             const int ranks = here().ranks;
             std::vector<std::uint64_t> into;
             for (int round = 0; round < 4; ++round) {
               std::vector<std::uint64_t> values;
               std::vector<std::uint64_t> counts;
               for (int to = 0; to < ranks; ++to) {
                 counts.push_back(sent(me, to, round));
                 for (std::uint64_t i = 0; i < counts.back(); ++i) values.push_back(value_of(me, to, i));
               }
               const auto came = exchange(std::span<const std::uint64_t>(values), counts, into);
               std::uint64_t at = 0;
               for (int from = 0; from < ranks; ++from) {
                 ASSERT_EQ(came[static_cast<std::size_t>(from)], sent(from, me, round));
                 for (std::uint64_t i = 0; i < sent(from, me, round); ++i) ASSERT_EQ(into[at++], value_of(from, me, i));
               }
               ASSERT_EQ(at, into.size());
             }
           },
           {.most_delay = std::chrono::microseconds(200)});
}

// More than the window of 4 MiB to one rank.
TEST_P(Exchange, MoreThanAWindowArrives) {
  on_ranks(GetParam(), [] {
    const auto ranks = static_cast<std::uint64_t>(here().ranks);
    const std::uint64_t each = 1'500'000;  // of 8 bytes: 12 MB
    std::vector<std::uint64_t> counts(ranks);
    counts.back() = each;  // all of them to one rank
    std::vector<std::uint64_t> values(each, static_cast<std::uint64_t>(here().rank) + 1);
    const auto came = exchange(std::span<const std::uint64_t>(values), counts);
    const bool is_last = static_cast<std::uint64_t>(here().rank) + 1 == ranks;
    EXPECT_EQ(came.values.size(), is_last ? each * ranks : 0);
    EXPECT_EQ(std::accumulate(came.values.begin(), came.values.end(), std::uint64_t{0}),
              is_last ? each * ranks * (ranks + 1) / 2 : 0);
  });
}

TEST_P(Exchange, PartsAreSharedCollectedAndReplicated) {
  on_ranks(GetParam(), [] {
    const auto ranks = static_cast<std::uint64_t>(here().ranks);
    const auto me = static_cast<std::uint64_t>(here().rank);
    std::vector<std::uint64_t> bounds{0};
    for (std::uint64_t r = 0; r < ranks; ++r) bounds.push_back(bounds.back() + (r % 3 == 1 ? 0 : 1000 * r + 1));
    const auto own = [&](std::uint64_t factor) {
      std::vector<std::uint64_t> all(bounds.back());
      for (std::uint64_t i = bounds[me]; i < bounds[me + 1]; ++i) all[i] = factor * i;
      return all;
    };
    auto all = own(3);
    share_parts(std::span(all), bounds);
    for (std::uint64_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 3 * i);

    const int root = here().ranks - 1;
    all = own(5);
    collect_parts(std::span(all), bounds, root);
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      const bool has = here().rank == root || (i >= bounds[me] && i < bounds[me + 1]);
      ASSERT_EQ(all[i], has ? 5 * i : 0);
    }

    all.assign(all.size(), 0);
    for (std::uint64_t i = 0; here().rank == root && i < all.size(); ++i) all[i] = 7 * i;
    deal_parts(std::span(all), bounds, root);
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      const bool has = here().rank == root || (i >= bounds[me] && i < bounds[me + 1]);
      ASSERT_EQ(all[i], has ? 7 * i : 0);
    }

    std::vector<std::uint64_t> copy(20'000, me);
    replicate(std::span(copy), root);
    EXPECT_EQ(copy, std::vector<std::uint64_t>(20'000, static_cast<std::uint64_t>(root)));
  });
}

TEST_P(Exchange, ListsOfIndicesAreGatheredAndScattered) {
  on_ranks(GetParam(), [] {
    const auto ranks = static_cast<std::uint64_t>(here().ranks);
    const auto me = static_cast<std::uint64_t>(here().rank);
    for (const distribution how : {by_block, cyclic(3)}) {
      const std::uint64_t n = 1000;
      auto a = make_array<std::uint64_t>(n, how);
      // Each rank writes other elements, the last ones first.
      std::vector<std::uint64_t> indices;
      std::vector<std::uint64_t> values;
      for (std::uint64_t i = n; i-- != 0;) {
        if (i % ranks != me) continue;
        indices.push_back(i);
        values.push_back(i * i);
      }
      scatter_list(a, indices, std::span<const std::uint64_t>(values));
      std::vector<std::uint64_t> asked;
      for (std::uint64_t i = 0; i < 500; ++i) asked.push_back((i * 7919 + me) % n);
      const auto got = gather_list(a, asked);
      for (std::uint64_t i = 0; i < asked.size(); ++i) ASSERT_EQ(got[i], asked[i] * asked[i]);
      // All ranks add to the same element.
      const std::vector<std::uint64_t> same(10, 17);
      const std::vector<std::uint64_t> ones(10, 1);
      scatter_list(a, same, std::span<const std::uint64_t>(ones), [](std::uint64_t& x, std::uint64_t by) { x += by; });
      barrier();
      EXPECT_EQ(gather_list(a, std::vector<std::uint64_t>{17}).front(), 17 * 17 + 10 * ranks);
      EXPECT_EQ(gather_list(a, std::vector<std::uint64_t>()).size(), 0U);
      free(a);
    }
  });
}

// What workers do goes on while main is in an exchange.
TEST_P(Exchange, WorkersRunMeanwhile) {
  on_ranks(GetParam(), [] {
    auto words = make_array<std::uint64_t>(static_cast<std::uint64_t>(here().ranks));
    bool has_run = false;
    // The last rank comes only when its word is written: by a worker of rank 0, while main of rank 0 is in the
    // exchange.
    if (here().rank == 0) {
      spawn([&has_run, words] {
        write(words[words.size() - 1], std::uint64_t{1});
        has_run = true;
      });
    }
    if (here().rank == here().ranks - 1) {
      while (std::atomic_ref(words.local()[0]).load() == 0) yield();
    }
    std::vector<std::uint64_t> all(words.size(), 7);
    replicate(std::span(all));
    while (here().rank == 0 && !has_run) yield();
    barrier();
    free(words);
  });
}

TEST(ExchangeErrors, MistakesAreTold) {
  const auto counts_of = [](std::size_t counts, std::uint64_t each) {
    return error_on_ranks(2, [=] {
      const std::vector<std::uint64_t> values(4);
      exchange(std::span<const std::uint64_t>(values), std::vector<std::uint64_t>(counts, each));
    });
  };
  EXPECT_NE(counts_of(2, 3).find("exchange_test.cpp"), std::string::npos);
  EXPECT_NE(counts_of(2, 3).find("an exchange of 4 elements by 2 counts"), std::string::npos) << counts_of(2, 3);
  EXPECT_NE(counts_of(3, 1).find("an exchange of 4 elements by 3 counts"), std::string::npos);
  const std::string bounds = error_on_ranks(2, [] {
    std::vector<int> all(10);
    share_parts(std::span(all), std::vector<std::uint64_t>{0, here().rank == 0 ? 5U : 6U, 10});
  });
  EXPECT_NE(bounds.find("bytes to rank"), std::string::npos) << bounds;
  EXPECT_NE(error_on_ranks(2,
                           [] {
                             std::vector<int> all(10);
                             share_parts(std::span(all), std::vector<std::uint64_t>{0, 5, 9});
                           })
                .find("from 0 to 10"),
            std::string::npos);
  EXPECT_NE(error_on_ranks(2,
                           [] {
                             std::vector<int> all(10);
                             if (here().rank == 0) return barrier();
                             replicate(std::span(all));
                           })
                .find("expected the same collective operations in the same order"),
            std::string::npos);
}

}  // namespace
}  // namespace callisto::global
