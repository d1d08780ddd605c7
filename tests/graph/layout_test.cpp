// The layout: neighbours near each other, the same on any number of threads, and what it refuses.
#include "../refusal.hpp"

#include <callisto/graph/layout/layout.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns two cliques of `size` vertices with an edge between them.
std::vector<layout_edge> two_cliques(std::uint32_t size) {
  std::vector<layout_edge> edges{{0, size}};
  for (std::uint32_t u = 0; u < size; ++u) {
    for (std::uint32_t v = 0; v < u; ++v) {
      edges.push_back({u, v});
      edges.push_back({u + size, v + size});
    }
  }
  return edges;
}

double distance(const layout_point& a, const layout_point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

TEST(layout, draws_members_of_a_clique_near_each_other) {
  constexpr std::uint32_t size = 12;
  const std::vector<layout_point> at = force_layout(2 * size, two_cliques(size));
  double inside = 0;
  double across = 1e9;
  for (std::uint32_t u = 1; u < size; ++u) {
    for (std::uint32_t v = 1; v < size; ++v) {
      inside = std::max(inside, distance(at[u], at[v]));
      across = std::min(across, distance(at[u], at[v + size]));
    }
  }
  EXPECT_LT(inside, across);
}

TEST(layout, keeps_vertices_apart_and_in_sight) {
  for (const std::uint32_t vertices : {0u, 1u, 2u, 300u}) {
    const std::vector<layout_point> at = force_layout(vertices, {});
    ASSERT_EQ(at.size(), vertices);
    for (std::uint32_t u = 0; u < vertices; ++u) {
      EXPECT_LT(std::hypot(at[u].x, at[u].y), 10 * std::sqrt(vertices) + 1);
      for (std::uint32_t v = 0; v < u; ++v) EXPECT_GT(distance(at[u], at[v]), 0.1);
    }
  }
}

TEST(layout, is_the_same_on_any_number_of_threads) {
  const unsigned before = threads();
  set_threads(1);
  const std::vector<layout_point> one = force_layout(80, two_cliques(40));
  for (const unsigned many : {2u, 5u}) {
    set_threads(many);
    const std::vector<layout_point> found = force_layout(80, two_cliques(40));
    for (std::size_t v = 0; v < one.size(); ++v) {
      EXPECT_EQ(found[v].x, one[v].x);
      EXPECT_EQ(found[v].y, one[v].y);
    }
  }
  set_threads(before);
}

TEST(layout, refuses_edges_of_no_vertex_and_stops_when_asked) {
  const std::vector<layout_edge> wrong{{0, 2}};
  EXPECT_NE(tests::refusal([&] { force_layout(2, wrong); }).find("from 0 to 2"), std::string::npos);
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(force_layout(3, {}, 10, {.report = nullptr, .stop = source.get_token()}), cancelled);
}

}  // namespace
}  // namespace callisto::graph
