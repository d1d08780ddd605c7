// Parents of shortest paths, paths to targets, and negative weights.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/sssp/bellman_ford.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/graph/verify/paths.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;
using vertex_list = std::vector<std::uint64_t>;

double small_whole(std::uint64_t u, std::uint64_t v) {
  return static_cast<double>(below(counter_random(u < v ? u : v)(u < v ? v : u), 20));  // some of them 0
}
double fraction_or_none(std::uint64_t u, std::uint64_t v) { return to_unit(counter_random(u + v)(u * v)); }

template <class Vertex>
void verify_all_paths(const csr_graph<Vertex>& graph, std::uint64_t source) {
  const sssp_result found = sssp(graph, source);
  const auto parents = shortest_path_parents(graph, source, found.distances);
  EXPECT_NO_THROW(verify_shortest_paths(graph, source, found.distances, parents));
  vertex_list targets(graph.vertices());
  std::iota(targets.begin(), targets.end(), std::uint64_t{0});
  EXPECT_NO_THROW(verify_target_paths(graph, source, targets, paths_to(graph, source, targets)));
  for (const std::uint64_t v : {std::uint64_t{0}, graph.vertices() - 1}) {
    EXPECT_NO_THROW(verify_target_paths(graph, source, vertex_list{v}, paths_to(graph, source, vertex_list{v})));
  }
  const bellman_ford_result same = bellman_ford(graph, source);
  EXPECT_TRUE(same.negative_cycle.empty());
  EXPECT_NO_THROW(verify_sssp(graph, source, same.paths));
}

TEST(paths, of_random_graphs) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    for (const std::size_t arcs : {100u, 900u, 6000u}) {
      const pairs all = naive::random_pairs(300, arcs, seed);
      verify_all_paths(naive::weighted(naive::directed(300, all), small_whole), 7);
      verify_all_paths(naive::weighted(naive::undirected(300, all), fraction_or_none), 7);
      verify_all_paths(naive::weighted(naive::directed<std::uint64_t>(300, all), fraction_or_none), 7);
    }
  }
}

TEST(paths, over_arcs_without_length) {
  const auto none = [](std::uint64_t, std::uint64_t) { return 0.0; };
  verify_all_paths(naive::weighted(naive::undirected(400, shapes::grid(20)), none), 399);
  verify_all_paths(naive::weighted(naive::directed(1, {}), none), 0);
}

// Dijkstra's algorithm gives up, and delta-stepping finds the paths.
TEST(paths, to_far_targets) {
  constexpr std::size_t edges = tests::sanitized ? 30'000 : 300'000;
  const auto graph = naive::weighted(naive::undirected(20'000, naive::random_pairs(20'000, edges, 3)), small_whole);
  const vertex_list targets{1, 19'999, 77};
  const target_paths found = paths_to(graph, 0, targets);
  EXPECT_NO_THROW(verify_target_paths(graph, 0, targets, found));
}

TEST(paths, end_early_at_a_near_target) {
  constexpr std::uint64_t side = tests::sanitized ? 60 : 300;
  const auto grid = naive::weighted(naive::undirected(side * side, shapes::grid(side)), [](auto, auto) { return 1.0; });
  const target_paths found = paths_to(grid, 0, vertex_list{2});
  EXPECT_TRUE(found.early);
  EXPECT_EQ(found.paths[0].vertices, (vertex_list{0, 1, 2}));
  EXPECT_LT(found.relaxations, 100u);
  EXPECT_THROW(paths_to(grid, 0, vertex_list{side * side}), usage_error);
  EXPECT_THROW(paths_to(grid, side * side, vertex_list{0}), usage_error);
}

TEST(bellman_ford, over_negative_weights) {
  const pairs arcs{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {4, 0}};
  const double weights[5][5] = {{0, 3, 9, 0, 0}, {0, 0, -4, 0, 0}, {0, 0, 0, 1, 0}, {}, {1, 0, 0, 0, 0}};
  const auto graph =
      naive::weighted(naive::directed(5, arcs), [&](std::uint64_t u, std::uint64_t v) { return weights[u][v]; });
  const bellman_ford_result found = bellman_ford(graph, 0);
  EXPECT_TRUE(found.negative_cycle.empty());
  EXPECT_EQ(found.paths.distances[2], -1);
  EXPECT_EQ(found.paths.distances[3], 0);
  EXPECT_EQ(found.paths.distances[4], sssp_result::unreached);
  EXPECT_EQ(found.paths.reached, 4u);
  EXPECT_EQ(found.paths.eccentricity, 3);
  const auto parents = shortest_path_parents(graph, 0, found.paths.distances);
  EXPECT_EQ(path_along(parents, 3), (vertex_list{0, 1, 2, 3}));
  EXPECT_TRUE(path_along(parents, 4).empty());
  EXPECT_NO_THROW(verify_shortest_paths(graph, 0, found.paths.distances, parents));
}

// A potential makes some weights negative and keeps every cycle above 0.
TEST(bellman_ford, on_random_graphs_with_a_potential) {
  const auto height = [](std::uint64_t v) { return static_cast<double>(below(counter_random(99)(v), 50)); };
  for (const unsigned seed : {1u, 2u, 3u}) {
    const pairs all = naive::random_pairs(2000, 12'000, seed);
    const auto graph = naive::weighted(naive::directed(2000, all), [&](std::uint64_t u, std::uint64_t v) {
      return small_whole(u, v) + height(v) - height(u);
    });
    const bellman_ford_result found = bellman_ford(graph, 5);
    EXPECT_TRUE(found.negative_cycle.empty());
    const auto parents = shortest_path_parents(graph, 5, found.paths.distances);
    EXPECT_NO_THROW(verify_shortest_paths(graph, 5, found.paths.distances, parents));
  }
}

/// Returns the sum of the weights along a cycle.
double length_of(const csr_graph<std::uint32_t>& graph, const vertex_list& cycle) {
  double sum = 0;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    sum += length_behind(graph, 0, cycle[i], cycle[(i + 1) % cycle.size()]);
  }
  return sum;
}

TEST(bellman_ford, names_a_negative_cycle) {
  // A ring of 500 vertices with a sum of -1, behind a path; a ring with a sum of 0; a negative ring out of reach.
  for (const double last : {-500.0, -499.0}) {
    pairs arcs = shapes::path(100);
    for (std::uint64_t i = 0; i < 500; ++i) arcs.emplace_back(99 + i, 99 + (i + 1) % 500);
    arcs.emplace_back(700, 701);
    arcs.emplace_back(701, 700);
    const auto graph = naive::weighted(naive::directed(702, arcs), [&](std::uint64_t u, std::uint64_t) {
      return u >= 700 ? -1.0 : u == 98 + 500 ? last : 1.0;
    });
    const bellman_ford_result found = bellman_ford(graph, 0);
    if (last < -499) {
      EXPECT_EQ(found.negative_cycle.size(), 500u);
      EXPECT_EQ(length_of(graph, found.negative_cycle), -1);
    } else {
      EXPECT_TRUE(found.negative_cycle.empty());
    }
  }
  const auto edge = naive::weighted(naive::undirected(3, {{0, 1}, {1, 2}}),
                                    [](std::uint64_t u, std::uint64_t v) { return u + v == 3 ? -2.0 : 5.0; });
  EXPECT_EQ(bellman_ford(edge, 0).negative_cycle, (vertex_list{1, 2}));
  const auto loop = naive::weighted(naive::directed(2, {{0, 1}, {1, 1}}),
                                    [](std::uint64_t u, std::uint64_t) { return u == 1 ? -0.5 : 2.0; });
  EXPECT_EQ(bellman_ford(loop, 0).negative_cycle, (vertex_list{1}));
}

TEST(bellman_ford, finds_a_cycle_wherever_random_graphs_have_one) {
  unsigned cycles = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const pairs all = naive::random_pairs(60, 90, seed);
    const auto graph = naive::weighted(naive::directed(60, all), [&](std::uint64_t u, std::uint64_t v) {
      return static_cast<double>(below(counter_random(seed, u)(v), 20)) - 6;
    });
    // The sequential algorithm: a distance that still falls after as many rounds as there are vertices.
    std::vector<double> distances(60, sssp_result::unreached);
    distances[0] = 0;
    bool falls = true;
    for (int round = 0; round < 61 && falls; ++round) {
      falls = false;
      for (std::uint64_t u = 0; u < 60; ++u) {
        for (std::uint64_t a = graph.out().offsets[u]; a != graph.out().offsets[u + 1]; ++a) {
          const double to = distances[u] + graph.out().weights[a];
          if (!(to < distances[graph.out().targets[a]])) continue;
          distances[graph.out().targets[a]] = to;
          falls = true;
        }
      }
    }
    const bellman_ford_result found = bellman_ford(graph, 0);
    EXPECT_EQ(found.negative_cycle.empty(), !falls);
    if (falls) {
      ++cycles;
      EXPECT_LT(length_of(graph, found.negative_cycle), 0);
    } else {
      for (std::uint64_t v = 0; v < 60; ++v) EXPECT_EQ(found.paths.distances[v], distances[v]);
    }
  }
  EXPECT_GT(cycles, 2u);
  EXPECT_LT(cycles, 20u);
}

TEST(bellman_ford, refuses_weights_without_end) {
  const auto graph = naive::weighted(naive::directed(2, {{0, 1}}), [](std::uint64_t, std::uint64_t) {
    return -std::numeric_limits<double>::infinity();
  });
  EXPECT_THROW(bellman_ford(graph, 0), weight_error);
  EXPECT_THROW(bellman_ford(naive::directed(2, {{0, 1}}), 0), usage_error);
  EXPECT_THROW(bellman_ford(graph, 2), usage_error);
}

TEST(verify_paths, finds_faults) {
  const auto graph = naive::weighted(naive::directed(4, {{0, 1}, {1, 2}, {0, 2}}), [](auto, auto) { return 2.0; });
  const sssp_result found = sssp(graph, 0);
  const auto check = [&](auto change) {
    auto parents = shortest_path_parents(graph, 0, found.distances);
    change(parents);
    EXPECT_THROW(verify_shortest_paths(graph, 0, found.distances, parents), wrong_result);
  };
  check([](auto& p) { p[2] = 1; });
  check([](auto& p) { p[2] = no_parent<std::uint32_t>; });
  check([](auto& p) { p[3] = 0; });
  target_paths paths = paths_to(graph, 0, vertex_list{2});
  paths.paths[0].vertices = {0, 1, 2};
  EXPECT_THROW(verify_target_paths(graph, 0, vertex_list{2}, paths), wrong_result);
}

}  // namespace
}  // namespace callisto::graph
