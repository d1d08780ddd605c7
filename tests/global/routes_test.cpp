// By which ranks messages travel.
#include <callisto/global/messages/routes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace callisto::global {
namespace {

std::vector<routes> all_of(const std::vector<int>& node_of, unsigned most_hops) {
  std::vector<routes> all;
  for (std::size_t r = 0; r != node_of.size(); ++r) all.emplace_back(static_cast<int>(r), node_of, most_hops);
  return all;
}

/// Returns the most hops of a message between two ranks; `way(rank)` says which way the rank takes.
template <class Way>
unsigned most_hops(const std::vector<routes>& all, const Way& way) {
  unsigned most = 0;
  for (std::size_t from = 0; from != all.size(); ++from) {
    for (std::size_t to = 0; to != all.size(); ++to) {
      unsigned hops = 0;
      for (std::size_t at = from; at != to && hops < 10; ++hops)
        at = static_cast<std::size_t>(all[at].next(static_cast<int>(to), way(at)));
      most = std::max(most, hops);
    }
  }
  return most;
}

/// Nodes with these numbers of ranks, which take turns: no two of a node follow each other.
std::vector<int> dealt(std::vector<int> sizes) {
  std::vector<int> node_of;
  for (bool any = true; any;) {
    any = false;
    for (std::size_t n = 0; n != sizes.size(); ++n) {
      if (sizes[n]-- <= 0) continue;
      node_of.push_back(static_cast<int>(1000 - n));
      any = true;
    }
  }
  return node_of;
}

std::vector<int> blocks(int nodes, int each) {
  std::vector<int> node_of;
  for (int n = 0; n != nodes; ++n) node_of.insert(node_of.end(), static_cast<std::size_t>(each), n);
  return node_of;
}

std::size_t most_neighbours(const std::vector<routes>& all, bool by_few) {
  std::size_t most = 0;
  for (std::size_t r = 0; r != all.size(); ++r) {
    std::set<int> next;
    for (std::size_t to = 0; to != all.size(); ++to) next.insert(all[r].next(static_cast<int>(to), by_few));
    next.erase(static_cast<int>(r));
    most = std::max(most, next.size());
  }
  return most;
}

// Whatever way each rank takes, and changes to: three hops at most, four if ranks mix their ways.
TEST(routes, lead_everywhere) {
  std::vector<std::vector<int>> jobs{{0}, blocks(7, 1), blocks(1, 9), dealt({3, 1, 4, 1, 5, 9, 2, 6})};
  for (const int nodes : {2, 5, 27, 30, 61, 130}) jobs.push_back(blocks(nodes, 1));
  for (const int nodes : {2, 6, 17, 40}) jobs.push_back(blocks(nodes, 5));
  for (const std::vector<int>& job : jobs) {
    for (const unsigned hops : {0U, 1U, 2U, 3U}) {
      const std::vector<routes> all = all_of(job, hops);
      const unsigned limit = hops == 0 ? 3 : hops;
      EXPECT_LE(most_hops(all, [](std::size_t) { return false; }), limit) << job.size() << " ranks";
      EXPECT_LE(most_hops(all, [](std::size_t) { return true; }), limit) << job.size() << " ranks";
      EXPECT_LE(most_hops(all, [](std::size_t r) { return r % 2 == 0; }), limit + 1) << job.size() << " ranks";
      EXPECT_LE(most_hops(all, [](std::size_t r) { return r % 3 == 0; }), limit + 1) << job.size() << " ranks";
    }
  }
}

TEST(routes, few_ranks_are_reached_directly) {
  for (const std::vector<int>& job : {blocks(1, 64), blocks(4, 16), blocks(64, 1)}) {
    const routes r(0, job, 0);
    EXPECT_EQ(r.how(false), routes::scheme::direct);
    EXPECT_FALSE(r.has_choice());
  }
}

TEST(routes, many_ranks_have_few_neighbours) {
  struct expectation {
    int nodes;
    int each;
    routes::scheme wide;
    routes::scheme few;
    std::size_t neighbours;
  };
  using scheme = routes::scheme;
  for (const expectation& e : {expectation{16, 16, scheme::direct, scheme::by_node, 30},
                               {64, 16, scheme::by_node, scheme::gathered, 19},
                               {100, 1, scheme::direct, scheme::square, 18},
                               {4096, 1, scheme::square, scheme::cube, 45},
                               {1024, 2, scheme::square, scheme::square, 63}}) {
    const std::vector<int> job = blocks(e.nodes, e.each);
    const routes r(e.nodes / 2, job, 0);
    EXPECT_EQ(r.how(false), e.wide) << e.nodes << " nodes";
    EXPECT_EQ(r.how(true), e.few) << e.nodes << " nodes";
    if (job.size() <= 256) {
      EXPECT_EQ(most_neighbours(all_of(job, 0), true), e.neighbours) << e.nodes << " nodes";
    }
  }
}

}  // namespace
}  // namespace callisto::global
