// Strongly connected components against closed formulas and Kosaraju's algorithm.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/components/scc.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stop_token>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;

/// Returns the sizes of components, largest first.
template <class Vertex>
std::vector<std::uint64_t> verified_strong_components(const csr_graph<Vertex>& graph) {
  const auto map = strong_components(graph);
  EXPECT_NO_THROW(verify_strong_components(graph, map));
  std::vector<std::uint64_t> sizes;
  for (const auto& [component, size] : component_sizes(map)) sizes.push_back(size);
  return sizes;
}

pairs cycle(std::uint64_t vertices, std::uint64_t base = 0) {
  pairs arcs;
  for (std::uint64_t v = 0; v < vertices; ++v) arcs.emplace_back(base + v, base + (v + 1) % vertices);
  return arcs;
}

TEST(scc, of_nothing_and_of_single_vertices) {
  EXPECT_TRUE(verified_strong_components(naive::directed(0, {})).empty());
  EXPECT_EQ(verified_strong_components(naive::directed(1, {})).size(), 1u);
  EXPECT_EQ(verified_strong_components(naive::directed(5, {{2, 2}, {3, 3}})).size(), 5u);
}

TEST(scc, of_an_undirected_graph_are_its_components) {
  EXPECT_EQ(verified_strong_components(naive::undirected(100, shapes::path(60))).front(), 60u);
}

TEST(scc, of_paths_and_cycles) {
  constexpr std::uint64_t length = tests::sanitized ? 10'000 : 1'000'000;
  EXPECT_EQ(verified_strong_components(naive::directed(length, shapes::path(length))).size(), length);
  EXPECT_EQ(verified_strong_components(naive::directed(length, cycle(length))).size(), 1u);
  pairs backwards;
  for (const auto& [u, v] : shapes::path(length / 10)) backwards.emplace_back(v, u);
  EXPECT_EQ(verified_strong_components(naive::directed(length / 10, backwards)).size(), length / 10);
}

TEST(scc, of_a_star_and_a_clique) {
  EXPECT_EQ(verified_strong_components(naive::directed(10'001, shapes::star(10'000))).size(), 10'001u);
  EXPECT_EQ(verified_strong_components(naive::directed(500, shapes::clique(500))).size(),
            500u);  // arcs lead to smaller vertices only
}

// Cycles of different sizes, joined by arcs one way: searching finds the first, Tarjan's algorithm the rest.
TEST(scc, of_a_chain_of_cycles) {
  pairs arcs;
  std::uint64_t base = 0;
  for (std::uint64_t size = 2; size < 100; ++size) {
    for (const auto& arc : cycle(size, base)) arcs.push_back(arc);
    if (base != 0) arcs.emplace_back(base - 1, base + size / 2);
    base += size;
  }
  const auto sizes = verified_strong_components(naive::directed(base, arcs));
  EXPECT_EQ(sizes.size(), 98u);
  EXPECT_EQ(sizes.front(), 99u);
}

TEST(scc, of_two_giants) {
  pairs arcs = cycle(5'000);
  for (const auto& arc : cycle(4'000, 5'000)) arcs.push_back(arc);
  arcs.emplace_back(17, 5'017);
  EXPECT_EQ(verified_strong_components(naive::directed(9'000, arcs)), (std::vector<std::uint64_t>{5'000, 4'000}));
}

TEST(scc, of_random_graphs) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    if (tests::sanitized && seed > 1) break;
    for (const std::size_t arcs : {5'000u, 20'000u, 30'000u, 100'000u}) {
      const pairs all = naive::random_pairs(20'000, arcs, seed);
      verified_strong_components(naive::directed(20'000, all));
      verified_strong_components(naive::directed<std::uint64_t>(20'000, all));
    }
  }
}

TEST(scc, refuses_a_graph_without_in_edges) {
  EXPECT_THROW(strong_components(naive::directed(3, {{0, 1}}, false)), usage_error);
}

TEST(scc, stops_when_asked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(strong_components(naive::directed(100, cycle(100)), {.report = nullptr, .stop = source.get_token()}),
               cancelled);
}

TEST(verify_strong_components, finds_every_kind_of_fault) {
  const auto graph = naive::directed(6, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}});
  const auto broken = [&](auto change) {
    auto map = strong_components(graph);
    change(map);
    EXPECT_THROW(verify_strong_components(graph, map), wrong_result);
  };
  broken([](auto& m) { m[3] = 0; });
  broken([](auto& m) { m[2] = 2; });
  broken([](auto& m) { m[0] = m[1] = m[2] = 2; });
  broken([](auto& m) { m[5] = 6; });
}

}  // namespace
}  // namespace callisto::graph
