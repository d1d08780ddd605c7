// Layouts: groups nest, are runs of positions, and cover every thread.
#include <callisto/distributor/layout.hpp>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::distributor {
namespace {

/// 2 sockets of 2 L3 of 3 cores of 2 threads; L2 for each core.
std::vector<seat> two_sockets() {
  std::vector<seat> seats;
  for (unsigned core = 0; core < 12; ++core) {
    for (unsigned t = 0; t < 2; ++t) seats.push_back({core, core, core / 3, core / 6, core / 6});
  }
  return seats;
}

TEST(Layout, GroupsOfAMachine) {
  const layout all(two_sockets());
  EXPECT_EQ(all.threads(), 24u);
  EXPECT_EQ(all.groups(level::thread), 24u);
  EXPECT_EQ(all.groups(level::core), 12u);
  EXPECT_EQ(all.groups(level::core_pair), 8u);  // two and one in each L3
  EXPECT_EQ(all.groups(level::l2), 12u);
  EXPECT_EQ(all.groups(level::l3), 4u);
  EXPECT_EQ(all.groups(level::numa), 2u);
  EXPECT_EQ(all.groups(level::socket), 2u);
  EXPECT_EQ(all.groups(level::machine), 1u);
  EXPECT_EQ(all.largest(level::core_pair), 4u);
  EXPECT_EQ(all.size(level::core_pair, 1), 2u);
  EXPECT_EQ(all.group(level::l3, 13), 2u);
  EXPECT_EQ(all.rank(level::l3, 13), 1u);
  EXPECT_EQ(all.outer_group(level::core, 7, level::l3), 2u);
}

TEST(Layout, GroupsAreRunsInWhateverOrderThreadsAreNumbered) {
  std::vector<seat> seats = two_sockets();
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(seats.begin(), seats.end(), random);
    const layout all(std::span<const seat>(seats).first(1 + random() % seats.size()));
    for (unsigned l = 0; l < levels; ++l) {
      const auto at = static_cast<level>(l);
      unsigned sum = 0;
      for (unsigned g = 0; g < all.groups(at); ++g) sum += all.size(at, g);
      EXPECT_EQ(sum, all.threads());
      for (unsigned t = 0; t < all.threads(); ++t) {
        const unsigned g = all.group(at, t);
        EXPECT_EQ(all.thread_at(all.first(at, g) + all.rank(at, t)), t);
        EXPECT_LT(all.rank(at, t), all.size(at, g));
        if (l == 0 || at == level::l2) continue;  // a pair of cores may have two of these caches, or part of one
        const auto inner = static_cast<level>(l - 1);
        EXPECT_EQ(all.outer_group(inner, all.group(inner, t), at), g);
      }
    }
  }
}

TEST(Layout, FlatThreadsShareTheMachineOnly) {
  const layout all = layout::flat(5);
  EXPECT_EQ(all.groups(level::core), 5u);
  EXPECT_EQ(all.groups(level::core_pair), 3u);
  EXPECT_EQ(all.groups(level::l3), 1u);
  for (unsigned t = 0; t < 5; ++t) EXPECT_EQ(all.position(t), t);
  EXPECT_EQ(layout::flat(0).threads(), 1u);
}

}  // namespace
}  // namespace callisto::distributor
