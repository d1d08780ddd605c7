// Connected components against sequential searches and closed formulas.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/components/components.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;
using sizes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

template <class Vertex>
sizes verified_components(const csr_graph<Vertex>& graph) {
  const component_map<Vertex> map = components(graph);
  EXPECT_NO_THROW(verify_components(graph, map));
  return component_sizes(map);
}

/// Returns the same edges with each vertex v renamed to (v * factor) % vertices.
pairs renamed(pairs edges, std::uint64_t vertices, std::uint64_t factor) {
  for (auto& [u, v] : edges) {
    u = u * factor % vertices;
    v = v * factor % vertices;
  }
  return edges;
}

TEST(components, of_nothing_and_of_single_vertices) {
  EXPECT_EQ(verified_components(naive::undirected(0, {})), sizes{});
  EXPECT_EQ(verified_components(naive::undirected(1, {})), (sizes{{0, 1}}));
  EXPECT_EQ(verified_components(naive::directed(3, {{1, 1}, {1, 1}})), (sizes{{0, 1}, {1, 1}, {2, 1}}));
}

TEST(components, refuse_a_directed_graph_without_in_edges) {
  EXPECT_THROW(components(naive::directed(3, {{0, 1}}, false)), usage_error);
}

TEST(components, of_shapes) {
  constexpr std::uint64_t size = tests::sanitized ? 10'000 : 100'000;
  EXPECT_EQ(verified_components(naive::undirected(size + 1, shapes::star(size))), (sizes{{0, size + 1}}));
  EXPECT_EQ(verified_components(naive::undirected(2'000, shapes::clique(500))).size(), 1'501u);
  EXPECT_EQ(verified_components(naive::undirected(90'000, shapes::grid(300))), (sizes{{0, 90'000}}));
  EXPECT_EQ(verified_components(naive::undirected(size, shapes::path(size))), (sizes{{0, size}}));
}

// The worst order for hanging vertices from smaller ones: neighbours have distant numbers.
TEST(components, of_shapes_in_scattered_order) {
  EXPECT_EQ(verified_components(naive::undirected(100'003, renamed(shapes::path(100'003), 100'003, 61'803))),
            (sizes{{0, 100'003}}));
  EXPECT_EQ(verified_components(naive::undirected(90'000, renamed(shapes::grid(300), 90'000, 55'621))),
            (sizes{{0, 90'000}}));
}

TEST(components, of_two_giants_whichever_has_the_hub) {
  constexpr std::uint64_t size = tests::sanitized ? 6'000 : 60'000;
  for (const std::uint64_t hub : {std::uint64_t{0}, size}) {
    pairs edges = naive::random_pairs(size, 10 * size / 3, 1);
    for (const auto& [u, v] : naive::random_pairs(size, 10 * size / 3, 2)) edges.emplace_back(u + size, v + size);
    for (std::uint64_t v = 1; v < size / 6; ++v) edges.emplace_back(hub, hub + v);
    const auto found = verified_components(naive::undirected(2 * size, edges));
    EXPECT_GT(found[1].second, size / 6 * 5);
    verified_components(naive::directed(2 * size, edges));
  }
}

TEST(components, of_random_graphs) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    if (tests::sanitized && seed > 1) break;
    constexpr std::uint64_t vertices = tests::sanitized ? 5'000 : 20'000;
    for (const std::size_t edges : {vertices / 20, vertices / 2, vertices * 5 / 4, vertices * 10}) {
      const pairs all = naive::random_pairs(vertices, edges, seed);
      const sizes expected = verified_components(naive::undirected(vertices, all));
      EXPECT_EQ(verified_components(naive::directed(vertices, all)), expected);
      EXPECT_EQ(verified_components(naive::undirected<std::uint64_t>(vertices, all)), expected);
    }
  }
}

TEST(components, stop_when_asked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(components(naive::undirected(100, shapes::path(100)), {.report = nullptr, .stop = source.get_token()}),
               cancelled);
}

TEST(verify_components, finds_every_kind_of_fault) {
  const auto graph = naive::undirected(5, {{0, 1}, {1, 2}, {3, 4}});
  const auto broken = [&](std::uint64_t v, std::uint32_t component) {
    auto map = components(graph);
    map[v] = component;
    EXPECT_THROW(verify_components(graph, map), wrong_result);
  };
  broken(2, 2);
  broken(4, 0);
  broken(3, 4);
}

}  // namespace
}  // namespace callisto::graph
