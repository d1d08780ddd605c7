// Routes: paths as long as those of plain searches, whatever the graph; native files that hold them; damage is found.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/pair/routes.hpp>
#include <callisto/graph/verify/pair.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace callisto::graph {
namespace {

/// A weight of an edge, the same in both directions.
std::uint64_t drawn_below(std::uint64_t u, std::uint64_t v, std::uint64_t bound) {
  return below(counter_random(std::min(u, v))(std::max(u, v)), bound);
}
double lengths_to_nine(std::uint64_t u, std::uint64_t v) { return static_cast<double>(1 + drawn_below(u, v, 9)); }
double often_zero(std::uint64_t u, std::uint64_t v) { return static_cast<double>(drawn_below(u, v, 3) / 2); }
double thirds(std::uint64_t u, std::uint64_t v) { return static_cast<double>(1 + drawn_below(u, v, 1000)) / 3; }

template <class Vertex>
void expect_same_lengths(const csr_graph<Vertex>& graph, std::uint64_t step = 1) {
  const pair_options options{.weighted = graph.weighted()};
  const routes_of<Vertex> routes = make_routes(graph, options);
  EXPECT_NO_THROW(check_routes(graph, routes));
  for (std::uint64_t u = 0; u < graph.vertices(); u += step) {
    for (std::uint64_t v = u % 3; v < graph.vertices(); v += step) {
      const pair_result plain = path_between(graph, u, v, options);
      const pair_result found = path_between(graph, routes, u, v);
      ASSERT_EQ(found.path.vertices.empty(), plain.path.vertices.empty());
      ASSERT_DOUBLE_EQ(found.path.length, plain.path.length) << u << " to " << v;
      ASSERT_NO_THROW(verify_path_between(graph, u, v, options, found.path));
    }
  }
}

TEST(routes, random_graphs) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const naive::pairs arcs = naive::random_pairs(30, 35 + 8 * seed, seed);
    expect_same_lengths(naive::directed(30, arcs));
    expect_same_lengths(naive::undirected<std::uint64_t>(30, arcs));
    for (auto* const weight : {lengths_to_nine, often_zero, thirds}) {
      expect_same_lengths(naive::weighted(naive::directed<std::uint64_t>(30, arcs), weight));
      expect_same_lengths(naive::weighted(naive::undirected(30, arcs), weight));
    }
  }
}

TEST(routes, shapes) {
  expect_same_lengths(naive::undirected(0, {}));
  expect_same_lengths(naive::undirected(3, {}));
  expect_same_lengths(naive::undirected(60, shapes::path(60)));
  expect_same_lengths(naive::undirected(101, shapes::star(100)), 7);
  expect_same_lengths(naive::weighted(naive::undirected(400, shapes::grid(20)), thirds), 13);
  expect_same_lengths(naive::undirected(400, shapes::grid(20)), 13);
}

TEST(routes, vertices_of_many_neighbours_stay_in_the_core) {
  naive::pairs edges = shapes::clique(140);
  for (std::uint64_t v = 140; v < 160; ++v) edges.emplace_back(v - 140, v);
  EXPECT_EQ(make_routes(naive::undirected(160, edges), {}).core(), 139U);
  expect_same_lengths(naive::weighted(naive::undirected(160, edges), lengths_to_nine), 19);
  for (const auto& [u, v] : naive::pairs(edges)) edges.emplace_back(v, u);
  expect_same_lengths(naive::weighted(naive::directed(160, edges), thirds), 19);
}

TEST(routes, a_path_meets_little_of_a_grid) {
  const auto grid = naive::weighted(naive::undirected(3600, shapes::grid(60)), thirds);
  const auto routes = make_routes(grid, {.weighted = true});
  const pair_result plain = path_between(grid, 0, 3599, {.weighted = true});
  const pair_result found = path_between(grid, routes, 0, 3599);
  EXPECT_DOUBLE_EQ(found.path.length, plain.path.length);
  EXPECT_LT(3 * found.looked_at, plain.looked_at);
}

TEST(routes, a_grid_of_equal_lengths_stays_thin) {
  // Most pairs of a grid have many shortest paths, and their witnesses are far away: a missed one is a needless
  // shortcut.
  constexpr std::uint64_t side = tests::sanitized ? 24 : 90;
  const auto grid = naive::undirected(side * side, shapes::grid(side));
  const auto routes = make_routes(grid, {});
  EXPECT_EQ(routes.core(), 0U);
  EXPECT_LT(routes.arcs(), 6 * side * side);
  EXPECT_NO_THROW(check_routes(grid, routes));
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::uint64_t u = below(counter_random(1)(i), side * side);
    const std::uint64_t v = below(counter_random(2)(i), side * side);
    const auto apart = [](std::uint64_t a, std::uint64_t b) { return a < b ? b - a : a - b; };
    const pair_result found = path_between(grid, routes, u, v);
    EXPECT_EQ(found.path.length, static_cast<double>(apart(u / side, v / side) + apart(u % side, v % side)));
    EXPECT_NO_THROW(verify_path_between(grid, u, v, {}, found.path));
  }
}

TEST(routes, wrong_calls_are_refused) {
  const auto graph = naive::undirected(10, shapes::path(10));
  const auto routes = make_routes(graph, {});
  EXPECT_THROW(path_between(graph, routes, 10, 0), usage_error);
  EXPECT_THROW(path_between(naive::undirected(9, shapes::path(9)), routes, 0, 1), usage_error);
  EXPECT_THROW(make_routes(graph, {.weighted = true}), usage_error);
  EXPECT_THROW(
      make_routes(naive::weighted(naive::undirected(2, {{0, 1}}), [](auto, auto) { return -1.0; }), {.weighted = true}),
      usage_error);
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class Vertex>
void expect_kept(csr_graph<Vertex> graph) {
  const machine::scratch_folder folder;
  const std::string path = folder.file("routes.cg");
  const bool weighted = graph.weighted();
  const any_graph any(std::move(graph));
  const auto& g = std::get<csr_graph<Vertex>>(any);
  any_routes made = make_routes(g, {.weighted = weighted});
  write_native(any, made, path);
  EXPECT_EQ(content_of(path)[8], 7);
  EXPECT_NO_THROW(open_native(path, native_check::content));
  const std::optional<any_routes> held = open_routes(path);
  ASSERT_TRUE(held);
  const auto& before = std::get<routes_of<Vertex>>(made);
  const auto& after = std::get<routes_of<Vertex>>(*held);
  EXPECT_EQ(before.weighted, after.weighted);
  EXPECT_EQ(before.directed, after.directed);
  EXPECT_TRUE(std::ranges::equal(before.places, after.places));
  for (auto rows : {&routes_of<Vertex>::up, &routes_of<Vertex>::down}) {
    EXPECT_TRUE(std::ranges::equal((before.*rows).offsets, (after.*rows).offsets));
    const auto bytes_of = [&](const routes_of<Vertex>& of) {
      return std::as_bytes(std::span((of.*rows).arcs.data(), (of.*rows).arcs.size()));
    };
    EXPECT_TRUE(std::ranges::equal(bytes_of(before), bytes_of(after)));
  }
  // A file without routes is as it was before there were any.
  write_native(any, path);
  EXPECT_LT(content_of(path)[8], 7);
  EXPECT_FALSE(open_routes(path));
}

TEST(routes, native_files_keep_them) {
  const naive::pairs arcs = naive::random_pairs(50, 120, 3);
  expect_kept(naive::directed(50, arcs));
  expect_kept(naive::weighted(naive::directed<std::uint64_t>(50, arcs), thirds));
  expect_kept(naive::weighted(naive::undirected(50, arcs), lengths_to_nine));
  expect_kept(naive::undirected<std::uint64_t>(1, {}));
}

TEST(routes, damage_is_found) {
  const machine::scratch_folder folder;
  const std::string path = folder.file("routes.cg");
  const naive::pairs arcs = naive::random_pairs(40, 90, 5);
  const any_graph any(naive::weighted(naive::directed(40, arcs), thirds));
  const auto& g = std::get<csr_graph<std::uint32_t>>(any);
  write_native(any, make_routes(g, {.weighted = true}), path);
  const std::string whole = content_of(path);
  unsigned found = 0;
  for (std::size_t s = 0; s < 17; ++s) {
    std::uint32_t kind = 0;
    std::uint64_t place[2];
    const std::size_t entry = (s < 8 ? 64 : 72) + 32 * s;
    std::memcpy(&kind, whole.data() + entry, sizeof kind);
    std::memcpy(place, whole.data() + entry + 8, sizeof place);
    if (kind < 13) continue;
    ++found;
    for (std::uint64_t i = 0; i < 24; ++i) {
      std::string bytes = whole;
      bytes[place[0] + below(counter_random(s)(i), place[1])] ^= static_cast<char>(1U << i % 8);
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
      EXPECT_THROW(open_native(path, native_check::content), input_error);
      std::optional<any_routes> held;
      try {
        held = open_routes(path);
      } catch (const input_error&) {
        continue;
      }
      // Only the checksums tell of all damage. A search that meets it ends with a message, or with some path.
      for (std::uint64_t v = 0; v < 40; v += 3) {
        try {
          path_between(g, std::get<routes_of<std::uint32_t>>(*held), v, 39 - v);
        } catch (const input_error& e) {
          EXPECT_EQ(std::string(e.what()).find(path + ": damaged routes: "), 0U) << e.what();
          EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
        }
      }
    }
  }
  EXPECT_EQ(found, 5U);
}

}  // namespace
}  // namespace callisto::graph
