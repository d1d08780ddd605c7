// Breadth-first search against closed formulas and a sequential search, on graphs that force each direction.
#include "../sanitizers.hpp"
#include "../with_threads.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/bfs/kernel.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;

/// Searches from `source`, checks with verify_bfs, and returns the result.
template <class Vertex>
bfs_result<Vertex> verified_bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options = {}) {
  bfs_result<Vertex> result = bfs(graph, source, options);
  EXPECT_NO_THROW(verify_bfs(graph, source, result, options.depth));
  return result;
}

TEST(bfs, words_of_bitmaps_have_the_bits_of_their_vertices_and_no_others) {
  const auto odd_one = [](std::uint64_t v) { return v * v % 7 == 2 || v % 64 == 63; };
  for (const std::uint64_t vertices : {1u, 7u, 63u, 64u, 65u, 128u, 190u}) {
    for (std::uint64_t w = 0; w < bitmap_words(vertices); ++w) {
      const std::uint64_t word = word_of(vertices, w, odd_one);
      for (std::uint64_t i = 0; i < 64; ++i) {
        const std::uint64_t v = w * 64 + i;
        EXPECT_EQ((word >> i & 1) != 0, v < vertices && odd_one(v)) << v << " of " << vertices;
      }
    }
  }
}

TEST(bfs, bottom_up_in_rows_of_any_length) {
  // The clique is reached in one step. A vertex that hangs on it, by arcs to its last vertices first, has a row of 0 to
  // 40 entries, of which only the last, or none, is in the frontier.
  constexpr std::uint64_t clique = 100;
  constexpr std::uint64_t lengths = 41;
  constexpr std::uint64_t far = 50;
  const std::uint64_t hangers = clique + far;
  pairs arcs;
  for (std::uint64_t u = 0; u < clique; ++u) {
    for (std::uint64_t v = 0; v < clique; ++v) {
      if (u != v) arcs.emplace_back(u + far, v + far);
    }
  }
  for (std::uint64_t k = 0; k < 2 * lengths; ++k) {
    for (std::uint64_t i = 0; i < k / 2; ++i) arcs.emplace_back(i, hangers + k);
    if (k % 2 != 0) arcs.emplace_back(far + k % clique, hangers + k);
  }
  const auto graph = naive::directed(hangers + 2 * lengths, arcs);
  const auto found = verified_bfs(graph, far);
  EXPECT_GE(found.bottom_up, 1u);
  EXPECT_EQ(found.reached, clique + lengths);
}

TEST(bfs, of_one_vertex_and_of_no_arcs) {
  const auto one = verified_bfs(naive::undirected(1, {}), 0);
  EXPECT_EQ(one.reached, 1u);
  EXPECT_EQ(one.parents[0], 0u);
  const auto none = verified_bfs(naive::directed(5, {}), 3);
  EXPECT_EQ(none.reached, 1u);
  EXPECT_EQ(none.distances[0], none.unreached);
  EXPECT_EQ(none.parents[0], none.no_parent);
}

TEST(bfs, refuses_a_source_that_is_no_vertex) {
  EXPECT_THROW(bfs(naive::undirected(0, {}), 0), usage_error);
  EXPECT_THROW(bfs(naive::undirected(3, {}), 3), usage_error);
  EXPECT_THROW(undirected_bfs(naive::directed(3, {{0, 1}}, false), 0), usage_error);
}

TEST(bfs, of_a_star_from_its_centre_and_from_a_leaf) {
  const auto star = naive::undirected(100'001, shapes::star(100'000));
  const auto centre = verified_bfs(star, 0);
  EXPECT_EQ(centre.eccentricity, 1u);
  EXPECT_GE(centre.bottom_up, 1u);
  const auto leaf = verified_bfs(star, 77);
  EXPECT_EQ(leaf.eccentricity, 2u);
  EXPECT_EQ(leaf.reached, 100'001u);
}

TEST(bfs, of_a_long_path_stays_top_down) {
  const auto path = verified_bfs(naive::undirected(200'000, shapes::path(200'000)), 100'000);
  EXPECT_EQ(path.eccentricity, 100'000u);
  EXPECT_EQ(path.bottom_up, 0u);
}

TEST(bfs, of_a_clique) {
  const auto clique = verified_bfs(naive::undirected(300, shapes::clique(300)), 299);
  EXPECT_EQ(clique.eccentricity, 1u);
  EXPECT_EQ(clique.arcs, 300u * 299u);
}

TEST(bfs, of_two_components_reaches_one) {
  pairs edges = shapes::clique(200);
  for (const auto& [u, v] : shapes::clique(150)) edges.emplace_back(u + 200, v + 200);
  const auto graph = naive::undirected(400, edges);
  EXPECT_EQ(verified_bfs(graph, 5).reached, 200u);
  EXPECT_EQ(verified_bfs(graph, 250).reached, 150u);
  EXPECT_EQ(verified_bfs(graph, 399).reached, 1u);
}

// Wide levels, so that threads share claims, bitmaps and lists: trees with levels that grow tenfold, and random graphs
// with loops and repeats.
TEST(bfs, of_a_wide_tree_without_in_edges) {
  pairs arcs;
  for (std::uint64_t v = 1; v <= 111'110; ++v) arcs.emplace_back((v - 1) / 10, v);
  const auto down = verified_bfs(naive::directed(111'111, arcs, false), 0);
  EXPECT_EQ(down.eccentricity, 5u);
  EXPECT_EQ(down.bottom_up, 0u);
  const auto both = verified_bfs(naive::directed(111'111, arcs), 0);
  EXPECT_EQ(both.reached, 111'111u);
}

TEST(bfs, of_random_graphs_in_either_direction) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    if (tests::sanitized && seed > 1) break;
    constexpr std::uint64_t vertices = tests::sanitized ? 5'000 : 20'000;
    for (const std::size_t edges : {vertices / 4, vertices * 2, vertices * 20}) {
      const pairs all = naive::random_pairs(vertices, edges, seed);
      verified_bfs(naive::undirected(vertices, all), seed);
      verified_bfs(naive::directed(vertices, all), seed);
      verified_bfs(naive::directed(vertices, all, false), seed);
      verified_bfs(naive::undirected<std::uint64_t>(vertices, all), seed, {.distances = false});
      verified_bfs(naive::directed<std::uint64_t>(vertices, all), seed, {.depth = 3});
      const auto whole = undirected_bfs(naive::directed(vertices, all), seed);
      EXPECT_NO_THROW(verify_bfs(naive::undirected(vertices, all), seed, whole));
    }
  }
}

TEST(bfs, a_level_before_one_that_goes_upward_counts_what_it_has_not_listed) {
  // Levels of 1, 32, 1,000 and most other vertices: the third has too few arcs for a bottom-up level, the fourth
  // enough.
  constexpr std::uint64_t vertices = 20'000;
  const auto edges = naive::random_pairs(vertices - 100, 16 * vertices, 5);
  const auto checked = [](const auto& graph, const bfs_options& options) {
    auto found = verified_bfs(graph, 17, options);
    bfs_frontier reached;
    for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
      if (found.parents[v] != found.no_parent) reached = reached + bfs_frontier{1, graph.out().degree(v)};
    }
    EXPECT_EQ(found.reached, reached.vertices);
    EXPECT_EQ(found.arcs, reached.arcs);
    return found;
  };
  const auto both_ways = naive::undirected(vertices, edges);
  const auto one_way = naive::directed(vertices, edges);
  for (const unsigned count : {1u, 2u, 8u}) {
    const tests::with_threads now(count);
    EXPECT_EQ(checked(both_ways, {}).bottom_up, 2u);
    EXPECT_EQ(checked(both_ways, {.distances = false}).eccentricity, 4u);
    EXPECT_GE(checked(one_way, {}).bottom_up, 1u);
    for (std::uint32_t depth = 0; depth <= 5; ++depth) {
      EXPECT_EQ(checked(both_ways, {.depth = depth}).eccentricity, std::min(depth, 4u));
      checked(one_way, {.depth = depth});
    }
  }
}

TEST(bfs, a_level_that_finds_less_than_was_to_be_expected_goes_on_from_a_list) {
  // 100 vertices, each found by an arc of its own, all lead to the same 60, and these by one arc each to the rest.
  constexpr std::uint64_t rest = 161;
  constexpr std::uint64_t vertices = 20'000;
  pairs arcs;
  for (std::uint64_t u = 1; u <= 100; ++u) {
    arcs.emplace_back(0, u);
    for (std::uint64_t v = 101; v < rest; ++v) arcs.emplace_back(u, v);
  }
  arcs.emplace_back(101, rest);
  for (const auto& [u, v] : naive::random_pairs(vertices - rest, 16 * vertices, 5))
    arcs.emplace_back(u + rest, v + rest);
  const auto graph = naive::directed(vertices, arcs);
  for (const unsigned count : {1u, 2u}) {
    const tests::with_threads now(count);
    for (std::uint32_t depth = 2; depth <= 9; ++depth) verified_bfs(graph, 0, {.depth = depth});
    const auto found = verified_bfs(graph, 0);
    EXPECT_EQ(found.reached, vertices);
    EXPECT_EQ(found.arcs, graph.arcs());
    EXPECT_EQ(found.bottom_up, 2u);
    EXPECT_EQ(verified_bfs(graph, 0, {.depth = 2}).reached, rest);
  }
}

TEST(bfs, goes_no_deeper_than_asked) {
  const auto graph = naive::undirected(100, shapes::path(100));
  EXPECT_EQ(verified_bfs(graph, 50, {.depth = 0}).reached, 1u);
  EXPECT_EQ(verified_bfs(graph, 50, {.depth = 7}).reached, 15u);
}

// Enough consecutive levels, with enough vertices, for supersteps.

TEST(bfs, of_a_grid_by_any_number_of_threads) {
  const std::uint64_t side = 300;
  const auto grid = naive::undirected(side * side, shapes::grid(side));
  for (const unsigned count : {1u, 2u, 3u, 8u, 40u}) {
    const tests::with_threads now(count);
    EXPECT_EQ(verified_bfs(grid, 0).eccentricity, 2 * side - 2);
    const auto from_within = verified_bfs(grid, side * side / 2 + side / 2, {.distances = false});
    EXPECT_EQ(from_within.reached, side * side);
    EXPECT_EQ(from_within.arcs, 4 * side * (side - 1));
    EXPECT_EQ(from_within.bottom_up, 0u);
  }
}

// A graph that caches do not hold, so that supersteps prefetch straight on; at its borders that is beyond the arrays.
TEST(bfs, of_a_large_grid_straight_on) {
  const std::uint64_t side = 520;
  const auto grid = naive::undirected(side * side, shapes::grid(side));
  const auto wide = naive::directed<std::uint64_t>(side * side, shapes::grid(side));
  for (const unsigned count : {2u, 1u}) {
    if (tests::sanitized && count == 1) break;
    const tests::with_threads now(count);
    for (const std::uint64_t source : {side * side / 2 + 200, std::uint64_t{0}, side * side - 1}) {
      EXPECT_EQ(verified_bfs(grid, source, {.distances = false}).reached, side * side);
      if (tests::sanitized) break;
    }
    EXPECT_EQ(verified_bfs(grid, 0).eccentricity, 2 * side - 2);
    EXPECT_EQ(verified_bfs(wide, 0).eccentricity, 2 * side - 2);
  }
}

TEST(bfs, of_a_grid_goes_no_deeper_than_asked) {
  const auto grid = naive::undirected(90'000, shapes::grid(300));
  const tests::with_threads now(2);
  for (const std::uint32_t depth : {191u, 208u, 209u, 250u, 273u, 597u}) {
    EXPECT_EQ(verified_bfs(grid, 0, {.depth = depth}).eccentricity, depth);
  }
}

TEST(bfs, of_a_grid_of_arcs_to_the_right_and_down) {
  const std::uint64_t side = 300;
  const auto arcs = shapes::grid(side);
  const tests::with_threads now(2);
  EXPECT_EQ(verified_bfs(naive::directed(side * side, arcs, false), 0).eccentricity, 2 * side - 2);
  const auto wide = naive::directed<std::uint64_t>(side * side, arcs);
  EXPECT_EQ(verified_bfs(wide, 0).reached, side * side);
  EXPECT_EQ(verified_bfs(wide, side * side - 1).reached, 1u);
  EXPECT_EQ(backward_bfs(wide, side * side - 1).reached, side * side);
  const auto both = undirected_bfs(wide, side);
  EXPECT_NO_THROW(verify_bfs(naive::undirected<std::uint64_t>(side * side, arcs), side, both));
}

TEST(bfs, of_paths_that_meet) {
  // From the middle, 400 paths of 60 vertices; at the end of one of them 400 more; and paths that cannot be reached.
  pairs edges;
  const auto paths_from = [&edges](std::uint64_t middle, std::uint64_t first) {
    for (std::uint64_t p = 0; p < 400; ++p) {
      edges.emplace_back(middle, first + p * 60);
      for (std::uint64_t v = 1; v < 60; ++v) edges.emplace_back(first + p * 60 + v - 1, first + p * 60 + v);
    }
  };
  paths_from(0, 1);
  paths_from(60, 24'001);
  paths_from(48'001, 48'002);
  const auto graph = naive::undirected(72'002, edges);
  const tests::with_threads now(2);
  const auto result = verified_bfs(graph, 0);
  EXPECT_EQ(result.reached, 48'001u);
  EXPECT_EQ(result.eccentricity, 120u);
  EXPECT_EQ(verified_bfs(graph, 48'001).reached, 24'001u);
}

TEST(bfs, of_a_grid_with_a_crowd_behind_it) {
  pairs edges = shapes::grid(300);
  for (const auto& [u, v] : naive::random_pairs(60'000, 900'000, 1)) edges.emplace_back(u + 90'000, v + 90'000);
  edges.emplace_back(45'000, 90'000);
  const auto graph = naive::undirected(150'000, edges);
  const tests::with_threads now(2);
  EXPECT_GE(verified_bfs(graph, 0).bottom_up, 1u);
  EXPECT_GE(verified_bfs(graph, 120'000).bottom_up, 1u);
}

TEST(bfs, of_grids_inside_of_a_loop) {
  const auto grid = naive::undirected(90'000, shapes::grid(300));
  const tests::with_threads now(2);
  std::atomic<std::uint64_t> reached{0};
  parallel_for(0u, 4u, [&](unsigned i) { reached += bfs(grid, i).reached; });
  EXPECT_EQ(reached.load(), 4 * 90'000u);
}

TEST(bfs, of_a_grid_stops_on_its_way) {
  struct impatient final : progress {
    std::stop_source stop;
    void begin(std::string_view, std::uint64_t, std::string_view) override {}
    void advance(std::uint64_t vertices) override {
      if ((seen += vertices) > 45'000) stop.request_stop();
    }
    std::uint64_t seen = 0;
  };
  const auto grid = naive::undirected(90'000, shapes::grid(300));
  const tests::with_threads now(2);
  impatient watch;
  EXPECT_THROW(bfs(grid, 0, {}, {.report = &watch, .stop = watch.stop.get_token()}), cancelled);
}

TEST(bfs, stops_when_asked) {
  std::stop_source source;
  source.request_stop();
  const auto graph = naive::undirected(100, shapes::path(100));
  EXPECT_THROW(bfs(graph, 0, {}, {.report = nullptr, .stop = source.get_token()}), cancelled);
}

TEST(verify_bfs, finds_every_kind_of_fault) {
  const auto graph = naive::undirected(6, {{0, 1}, {1, 2}, {2, 3}, {0, 4}});
  const auto broken = [&](auto change) {
    auto result = bfs(graph, 0);
    change(result);
    EXPECT_THROW(verify_bfs(graph, 0, result), wrong_result);
  };
  broken([](auto& r) { r.distances[3] = 2; });
  broken([](auto& r) { r.distances[5] = 1; });
  broken([](auto& r) { r.parents[3] = 1; });  // not joined by an arc
  broken([](auto& r) { r.parents[1] = 2; });  // joined by an arc, but farther away
  broken([](auto& r) { r.parents[2] = r.no_parent; });
  broken([](auto& r) { r.parents[5] = 0; });
  broken([](auto& r) { --r.reached; });
  broken([](auto& r) { ++r.eccentricity; });
}

}  // namespace
}  // namespace callisto::graph
