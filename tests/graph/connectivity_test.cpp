// Biconnected components and topological orders: closed formulas, random graphs against sequential searches, and wrong
// results, which the checks must find.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/components/biconnected.hpp>
#include <callisto/graph/components/topological.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/graph/verify/connectivity.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;

/// Blocks, bridges, articulation points, and the vertices of the largest block.
using block_counts = std::vector<std::uint64_t>;

template <class Vertex>
block_counts verified_blocks(const csr_graph<Vertex>& graph) {
  const auto found = biconnected(graph);
  EXPECT_NO_THROW(verify_biconnected(graph, found));
  return {found.size.size(), found.bridges, found.articulation_points, found.largest};
}

TEST(biconnected, of_graphs_with_known_blocks) {
  EXPECT_EQ(verified_blocks(naive::undirected(0, {})), (block_counts{0, 0, 0, 0}));
  EXPECT_EQ(verified_blocks(naive::directed(3, {{1, 1}, {2, 2}})), (block_counts{0, 0, 0, 0}));
  EXPECT_EQ(verified_blocks(naive::directed(2, {{0, 1}, {0, 1}, {1, 0}})), (block_counts{1, 1, 0, 2}));
  constexpr std::uint64_t length = tests::sanitized ? 5'000 : 200'000;
  EXPECT_EQ(verified_blocks(naive::undirected(length, shapes::path(length))),
            (block_counts{length - 1, length - 1, length - 2, 2}));
  EXPECT_EQ(verified_blocks(naive::undirected(5'001, shapes::star(5'000))), (block_counts{5'000, 5'000, 1, 2}));
  EXPECT_EQ(verified_blocks(naive::undirected(60, shapes::clique(60))), (block_counts{1, 0, 0, 60}));
  EXPECT_EQ(verified_blocks(naive::undirected(1'600, shapes::grid(40))), (block_counts{1, 0, 0, 1'600}));
  EXPECT_EQ(verified_blocks(naive::undirected(301, shapes::diamonds(100))), (block_counts{100, 0, 99, 4}));
  EXPECT_EQ(verified_blocks(naive::undirected<std::uint64_t>(34, shapes::karate_club())), (block_counts{3, 1, 1, 28}));
}

TEST(biconnected, of_random_graphs) {
  for (unsigned seed = 1; seed <= (tests::sanitized ? 20u : 150u); ++seed) {
    const std::uint64_t vertices = 2 + seed * 7 % 60;
    const pairs edges = naive::random_pairs(vertices, vertices * (seed % 5 + 1) / 2, seed);
    verified_blocks(naive::directed(vertices, edges));
    verified_blocks(naive::undirected<std::uint64_t>(vertices, edges));
  }
  // Levels that all threads share.
  constexpr std::uint64_t many = tests::sanitized ? 6'000 : 60'000;
  verified_blocks(naive::undirected(many, naive::random_pairs(many, many * 3 / 2, 1)));
}

TEST(biconnected, wrong_results_are_found) {
  const auto graph = naive::undirected(301, shapes::diamonds(100));
  const auto refused = [&](auto change) {
    auto result = biconnected(graph);
    change(result);
    EXPECT_THROW(verify_biconnected(graph, result), wrong_result);
  };
  refused([](auto& r) { std::swap(r.block[0], r.block[400 - 1]); });
  refused([](auto& r) { ++r.size[5]; });
  refused([](auto& r) { --r.blocks[3]; });
  refused([](auto& r) { r.bridges = 1; });
  refused([](auto& r) { ++r.articulation_points; });
  refused([](auto& r) { std::swap(r.to[0], r.to[1]); });
}

TEST(topological, of_graphs_with_known_layers) {
  EXPECT_EQ(topological_order(naive::directed(0, {})).layers, 0u);
  EXPECT_EQ(topological_order(naive::undirected(3, {})).layers, 1u);
  constexpr std::uint64_t length = tests::sanitized ? 5'000 : 200'000;
  const auto path = topological_order(naive::directed(length, shapes::path(length)));
  EXPECT_EQ(path.layers, length);
  EXPECT_EQ(path.order[length - 1], length - 1);
  EXPECT_EQ(topological_order(naive::directed(5'001, shapes::star(5'000))).layers, 2u);
  EXPECT_EQ(topological_order(naive::directed(60, shapes::clique(60))).layers, 60u);
  EXPECT_THROW(topological_order(naive::undirected(2, {{0, 1}})), usage_error);
  EXPECT_THROW(topological_order(naive::directed(2, {{0, 1}}, false)), usage_error);
}

TEST(topological, a_cycle_is_named) {
  using cycle = std::vector<std::uint64_t>;
  EXPECT_EQ(topological_order(naive::directed(3, {{2, 2}})).cycle, (cycle{2}));
  EXPECT_EQ(topological_order(naive::directed(5, {{0, 1}, {1, 3}, {3, 2}, {2, 1}, {2, 4}})).cycle, (cycle{1, 3, 2}));
  EXPECT_EQ(topological_order(naive::directed(4, {{0, 3}, {3, 0}, {0, 3}, {1, 2}, {2, 1}})).cycle, (cycle{0, 3}));
}

TEST(topological, of_random_graphs) {
  std::uint64_t acyclic = 0;
  for (unsigned seed = 1; seed <= (tests::sanitized ? 20u : 150u); ++seed) {
    const std::uint64_t vertices = 2 + seed * 7 % 60;
    pairs arcs = naive::random_pairs(vertices, vertices * (seed % 5 + 1) / 4, seed);
    for (auto& [u, v] : arcs) {
      if (seed % 3 != 0 && u > v) std::swap(u, v);
    }
    if (seed % 3 != 0) std::erase_if(arcs, [](const auto& arc) { return arc.first == arc.second; });
    const auto graph = naive::directed<std::uint64_t>(vertices, arcs);
    const auto found = topological_order(graph);
    EXPECT_NO_THROW(verify_topological_order(graph, found));
    acyclic += found.acyclic() ? 1 : 0;
    EXPECT_TRUE(found.acyclic() || seed % 3 == 0) << seed;
  }
  EXPECT_GT(acyclic, 10u);
  constexpr std::uint64_t many = tests::sanitized ? 6'000 : 60'000;
  pairs arcs = naive::random_pairs(many, many * 2, 1);
  std::erase_if(arcs, [](const auto& arc) { return arc.first >= arc.second; });
  const auto graph = naive::directed(many, arcs);
  EXPECT_NO_THROW(verify_topological_order(graph, topological_order(graph)));
}

TEST(transitive_reduction, of_graphs_with_known_ones) {
  const auto reduced = [](const csr_graph<std::uint32_t>& graph) {
    return transitive_reduction(graph, topological_order(graph).layer);
  };
  EXPECT_EQ(reduced(naive::directed(0, {})), arc_list{});
  EXPECT_EQ(reduced(naive::directed(4, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}, {0, 3}})),
            (arc_list{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(reduced(naive::directed(4, {{3, 1}, {3, 2}, {1, 0}, {2, 0}})), (arc_list{{1, 0}, {2, 0}, {3, 1}, {3, 2}}));
  // Of all arcs upwards the path is left.
  const auto path = reduced(naive::directed(700, shapes::clique(700)));
  EXPECT_EQ(path.size(), 699u);
}

TEST(transitive_reduction, of_random_graphs) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    naive::pairs arcs = naive::random_pairs(60, 40 + 20 * seed, seed);
    std::erase_if(arcs, [](const auto& arc) { return arc.first == arc.second; });
    for (auto& [u, v] : arcs) {
      if ((u * 37 % 61) > (v * 37 % 61)) std::swap(u, v);
    }
    const auto graph = naive::directed(60, arcs);
    arc_list found = transitive_reduction(graph, topological_order(graph).layer);
    EXPECT_NO_THROW(verify_transitive_reduction(graph, found, 60)) << seed;
    if (found.size() < graph.arcs()) {
      arc_list more = found;
      for (const auto& arc : arcs) {
        if (!std::binary_search(found.begin(), found.end(), std::pair<std::uint64_t, std::uint64_t>(arc))) {
          more.insert(std::lower_bound(more.begin(), more.end(), std::pair<std::uint64_t, std::uint64_t>(arc)), arc);
          EXPECT_THROW(verify_transitive_reduction(graph, more, 60), wrong_result) << seed;
          break;
        }
      }
    }
    found.erase(found.begin());
    EXPECT_THROW(verify_transitive_reduction(graph, found, 60), wrong_result) << seed;
  }
}

TEST(topological, wrong_results_are_found) {
  const auto graph = naive::directed(4, {{0, 1}, {1, 2}, {0, 3}});
  auto result = topological_order(graph);
  std::swap(result.order[0], result.order[1]);
  EXPECT_THROW(verify_topological_order(graph, result), wrong_result);
  result = topological_order(graph);
  ++result.layer[2];
  EXPECT_THROW(verify_topological_order(graph, result), wrong_result);
  result.cycle = {0, 1};
  EXPECT_THROW(verify_topological_order(graph, result), wrong_result);
}

// NetworkX: density, overall_reciprocity and degree_assortativity_coefficient.
TEST(statistics, of_pairs_and_degrees) {
  const any_graph club = naive::undirected(34, shapes::karate_club());
  EXPECT_DOUBLE_EQ(density(compute_statistics(club), false), 0.13903743315508021);
  EXPECT_NEAR(degree_assortativity(club), -0.47561309768461413, 1e-14);
  const any_graph arcs = naive::directed(4, {{0, 1}, {1, 0}, {0, 2}, {2, 3}, {3, 0}, {2, 2}, {0, 1}});
  EXPECT_DOUBLE_EQ(density(compute_statistics(arcs), true), 5.0 / 12);
  EXPECT_DOUBLE_EQ(reciprocity(compute_statistics(arcs), true), 2.0 / 5);
  // Out-degrees 2, 2, 1, 1, 1 with in-degrees 1, 1, 2, 1, 2 of the ends.
  EXPECT_NEAR(degree_assortativity(arcs), -2.0 / 3, 1e-14);
  EXPECT_TRUE(std::isnan(degree_assortativity(any_graph(naive::undirected(60, shapes::clique(60))))));
  EXPECT_TRUE(std::isnan(reciprocity(compute_statistics(any_graph(naive::directed(2, {{1, 1}}))), true)));
}

}  // namespace
}  // namespace callisto::graph
