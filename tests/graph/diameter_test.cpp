// The diameter against closed formulas and searches from every vertex.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/distance/diameter.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stop_token>

namespace callisto::graph {
namespace {

using naive::pairs;

template <class Vertex>
diameter_result verified_diameter(const csr_graph<Vertex>& graph, const diameter_options& options = {},
                                  std::uint64_t checks = 1'000) {
  const diameter_result result = diameter(graph, options);
  EXPECT_NO_THROW(verify_diameter(graph, result, checks));
  return result;
}

TEST(diameter, of_nothing_and_of_single_vertices) {
  EXPECT_EQ(verified_diameter(naive::undirected(0, {})).upper, 0u);
  EXPECT_EQ(verified_diameter(naive::undirected(1, {{0, 0}})).upper, 0u);
  EXPECT_EQ(verified_diameter(naive::undirected(7, {})).vertices, 1u);
}

TEST(diameter, of_shapes) {
  const auto star = verified_diameter(naive::undirected(10'001, shapes::star(10'000)), {}, 3);
  EXPECT_EQ(star.lower, 2u);
  EXPECT_EQ(star.upper, 2u);
  EXPECT_LE(star.searches, 6u);
  constexpr std::uint64_t length = tests::sanitized ? 30'000 : 1'000'000;
  const auto path = verified_diameter(naive::undirected(length, shapes::path(length)), {}, 1);
  EXPECT_EQ(path.lower, length - 1);
  EXPECT_EQ(path.upper, length - 1);
  EXPECT_LE(path.searches, 10u);
  EXPECT_EQ(verified_diameter(naive::undirected(100, shapes::clique(100))).upper, 1u);
  const auto grid = verified_diameter(naive::undirected(400, shapes::grid(20)));
  EXPECT_EQ(grid.lower, 38u);
  EXPECT_EQ(grid.upper, 38u);
}

TEST(diameter, is_that_of_the_largest_component) {
  pairs edges = shapes::clique(200);
  for (const auto& [u, v] : shapes::path(150)) edges.emplace_back(u + 200, v + 200);
  const auto found = verified_diameter(naive::undirected(400, edges));
  EXPECT_EQ(found.upper, 1u);
  EXPECT_EQ(found.vertices, 200u);
}

TEST(diameter, says_what_it_knows_when_it_may_not_search_on) {
  const auto grid = verified_diameter(naive::undirected(2'500, shapes::grid(50)), {.searches = 5});
  EXPECT_LT(grid.lower, grid.upper);
  EXPECT_LE(grid.searches, 5u);
}

TEST(diameter, of_random_graphs_is_exact) {
  for (const unsigned seed : {1u, 2u}) {
    for (const std::size_t edges : {250u, 350u, 750u, 3'000u}) {
      const pairs all = naive::random_pairs(300, edges, seed);
      const auto found = verified_diameter(naive::undirected(300, all));
      EXPECT_EQ(found.lower, found.upper);
      EXPECT_EQ(verified_diameter(naive::directed<std::uint64_t>(300, all)).upper, found.upper);
    }
  }
}

TEST(diameter, refuses_a_graph_without_in_edges) {
  EXPECT_THROW(diameter(naive::directed(3, {{0, 1}}, false)), usage_error);
}

TEST(diameter, stops_when_asked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(diameter(naive::undirected(9, shapes::path(9)), {}, {.report = nullptr, .stop = source.get_token()}),
               cancelled);
}

TEST(verify_diameter, finds_every_kind_of_fault) {
  const auto graph = naive::undirected(7, shapes::path(5));
  const auto broken = [&](auto change) {
    auto result = diameter(graph);
    change(result);
    EXPECT_THROW(verify_diameter(graph, result), wrong_result);
  };
  broken([](auto& r) { r.lower = r.upper = 3; });
  broken([](auto& r) { r.upper = 5, r.lower = 5; });
  broken([](auto& r) { r.lower = 5; });
  broken([](auto& r) { r.to = 2; });
  broken([](auto& r) { r.vertices = 7; });
}

}  // namespace
}  // namespace callisto::graph
