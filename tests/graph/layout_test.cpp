// The layout: neighbours near each other, the same on any number of threads, and what it refuses.
#include "../refusal.hpp"

#include <callisto/graph/layout/layout.hpp>
#include <callisto/graph/layout/repulsion.hpp>
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

/// Returns a grid, a star and vertices without edges: levels of every kind.
std::vector<layout_edge> grid_and_star(std::uint32_t side) {
  std::vector<layout_edge> edges;
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      if (x + 1 < side) edges.push_back({y * side + x, y * side + x + 1});
      if (y + 1 < side) edges.push_back({y * side + x, (y + 1) * side + x});
    }
  }
  const std::uint32_t hub = side * side;
  for (std::uint32_t leaf = hub + 1; leaf <= hub + 300; ++leaf) edges.push_back({leaf, hub});
  return edges;
}

TEST(layout, unfolds_a_large_grid) {
  constexpr std::uint32_t side = 40;
  const std::vector<layout_edge> edges = grid_and_star(side);
  const std::vector<layout_point> at = force_layout(side * side + 400, edges);
  double longest = 0;
  for (const layout_edge& e : edges) {
    if (e.to != side * side) longest = std::max(longest, distance(at[e.from], at[e.to]));
  }
  const std::uint32_t last = side - 1;
  EXPECT_GT(distance(at[0], at[last * side + last]), 8 * longest);
  EXPECT_GT(distance(at[last], at[last * side]), 8 * longest);
}

TEST(layout, of_many_levels_is_the_same_on_any_number_of_threads) {
  const unsigned before = threads();
  const std::vector<layout_edge> edges = grid_and_star(20);
  set_threads(1);
  const std::vector<layout_point> one = force_layout(800, edges, 40);
  set_threads(3);
  const std::vector<layout_point> three = force_layout(800, edges, 40);
  set_threads(before);
  for (std::size_t v = 0; v < one.size(); ++v) {
    EXPECT_EQ(three[v].x, one[v].x);
    EXPECT_EQ(three[v].y, one[v].y);
  }
}

TEST(layout, pushes_as_all_pairs_do) {
  constexpr std::uint32_t count = 1000;
  std::vector<layout_point> at(count);
  std::vector<double> masses(count);
  for (std::uint32_t v = 0; v < count; ++v) {
    at[v] = {std::sqrt(v) * std::cos(2.4 * v), std::sqrt(v) * std::sin(2.4 * v)};
    masses[v] = 1 + v % 5;
  }
  layout_detail::repulsion pushes(masses);
  pushes.sort(at, {});
  pushes.update(at, {});
  std::uint32_t seen = 0;
  for (std::size_t b = 0; b < pushes.blocks(); ++b) {
    pushes.for_each(b, [&](std::uint32_t v, double x, double y) {
      ++seen;
      double all_x = 0;
      double all_y = 0;
      double size = 0;
      for (std::uint32_t w = 0; w < count; ++w) {
        if (w == v) continue;
        const double dx = at[v].x - at[w].x;
        const double dy = at[v].y - at[w].y;
        const double square = dx * dx + dy * dy;
        all_x += masses[w] * dx / square;
        all_y += masses[w] * dy / square;
        size += masses[w] / std::sqrt(square);
      }
      EXPECT_LT(std::hypot(x - all_x, y - all_y), 0.05 * size) << v;
    });
  }
  EXPECT_EQ(seen, count);
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
