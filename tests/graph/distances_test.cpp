// Sampled distances against closed formulas and the distances of all pairs.
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/distance/distances.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stop_token>
#include <vector>

namespace callisto::graph {
namespace {

template <class Vertex>
distance_sample sampled(const csr_graph<Vertex>& graph, const distances_options& options = {}) {
  return sample_distances(graph, components(graph), options);
}

using counts = std::vector<std::uint64_t>;

TEST(distances, of_nothing_and_of_single_vertices) {
  EXPECT_EQ(sampled(naive::undirected(0, {})).vertices, 0u);
  const distance_sample one = sampled(naive::undirected(3, {}));
  EXPECT_EQ(one.vertices, 1u);
  EXPECT_EQ(one.at, (counts{1}));
  EXPECT_EQ(one.mean(), 0);
  EXPECT_EQ(one.within(0.9), 0u);
  EXPECT_EQ(one.diameter_low, 0u);
  EXPECT_EQ(one.diameter_high, 0u);
}

TEST(distances, from_all_sources_are_those_of_all_pairs) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::uint64_t n = 60;
    naive::pairs edges = naive::random_pairs(n, 80, seed);
    // All distances in the largest component, by the algorithm of Floyd and Warshall.
    std::vector<std::uint64_t> d(n * n, n);
    for (std::uint64_t v = 0; v < n; ++v) d[v * n + v] = 0;
    for (const auto& [u, v] : naive::simple_edges(edges)) d[u * n + v] = d[v * n + u] = 1;
    for (std::uint64_t k = 0; k < n; ++k) {
      for (std::uint64_t u = 0; u < n; ++u) {
        for (std::uint64_t v = 0; v < n; ++v) d[u * n + v] = std::min(d[u * n + v], d[u * n + k] + d[k * n + v]);
      }
    }
    const auto size_from = [&](std::uint64_t u) {
      return std::count_if(d.begin() + static_cast<std::ptrdiff_t>(u * n),
                           d.begin() + static_cast<std::ptrdiff_t>((u + 1) * n), [&](auto x) { return x < n; });
    };
    std::uint64_t largest = 0;
    for (std::uint64_t u = 0; u < n; ++u) {
      if (size_from(u) > size_from(largest)) largest = u;
    }
    counts expected;
    for (std::uint64_t u = 0; u < n; ++u) {
      if (d[largest * n + u] == n) continue;
      for (std::uint64_t v = 0; v < n; ++v) {
        const std::uint64_t distance = d[u * n + v];
        if (distance == n) continue;
        if (expected.size() <= distance) expected.resize(distance + 1);
        ++expected[distance];
      }
    }
    for (const bool directed : {false, true}) {
      const distance_sample found = directed ? sampled(naive::directed(n, edges), {.sources = n})
                                             : sampled(naive::undirected(n, edges), {.sources = n});
      EXPECT_EQ(found.at, expected);
      EXPECT_EQ(found.diameter_low, expected.size() - 1);
      EXPECT_EQ(found.diameter_high, expected.size() - 1);
    }
  }
}

TEST(distances, of_64_searches_at_a_time_are_those_of_single_ones) {
  // From all vertices of an undirected graph searches run together, of a directed one alone.
  for (const unsigned arcs : {200u, 500u, 3000u}) {
    const naive::pairs edges = naive::random_pairs(300, arcs, arcs);
    const distance_sample together = sampled(naive::undirected(300, edges), {.sources = 300});
    const distance_sample alone = sampled(naive::directed(300, edges), {.sources = 300});
    EXPECT_EQ(together.at, alone.at);
    EXPECT_EQ(together.sources, alone.sources);
    EXPECT_EQ(together.diameter_low, alone.diameter_low);
    EXPECT_EQ(together.diameter_high, alone.diameter_low);
  }
}

TEST(distances, of_a_path) {
  const distance_sample found = sampled(naive::undirected(5000, shapes::path(5000)), {.sources = 7, .seed = 3});
  EXPECT_EQ(found.diameter_low, 4999u);
  EXPECT_GE(found.diameter_high, 4999u);
  EXPECT_EQ(found.sources, 7u);
  EXPECT_EQ(found.at.front(), 7u);
  EXPECT_EQ(std::accumulate(found.at.begin(), found.at.end(), std::uint64_t{0}), 7u * 5000);
}

TEST(distances, within_and_mean) {
  distance_sample s;
  s.at = {2, 10, 80, 10};
  EXPECT_DOUBLE_EQ(s.mean(), 2);
  EXPECT_EQ(s.within(0.1), 1u);
  EXPECT_EQ(s.within(0.9), 2u);
  EXPECT_EQ(s.within(1), 3u);
}

TEST(distances, depend_on_the_seed) {
  const auto graph = naive::undirected(900, shapes::grid(30));
  const distances_options one{.sources = 5, .seed = 1};
  EXPECT_EQ(sampled(graph, one).at, sampled(graph, one).at);
  EXPECT_NE(sampled(graph, one).at, sampled(graph, {.sources = 5, .seed = 2}).at);
}

TEST(distances, can_be_stopped) {
  const auto graph = naive::undirected(900, shapes::grid(30));
  const auto map = components(graph);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(sample_distances(graph, map, {}, {nullptr, stop.get_token()}), cancelled);
}

}  // namespace
}  // namespace callisto::graph
