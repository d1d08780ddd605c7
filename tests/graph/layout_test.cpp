// The layout: neighbours near each other, the same on any number of threads, and what it refuses.
#include "../refusal.hpp"

#include <callisto/graph/layout/grouped.hpp>
#include <callisto/graph/layout/layout.hpp>
#include <callisto/graph/layout/repulsion.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
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

/// Edges of `blocks` blocks of `size` vertices: each vertex draws `inside` neighbours in its block and `across`
/// anywhere.
std::vector<layout_edge> planted(std::uint32_t blocks, std::uint32_t size, unsigned inside, unsigned across) {
  std::mt19937_64 random(7);
  std::vector<layout_edge> edges;
  for (std::uint32_t v = 0; v < blocks * size; ++v) {
    for (unsigned i = 0; i < inside; ++i) {
      edges.push_back({v, v / size * size + static_cast<std::uint32_t>(random() % size)});
    }
    for (unsigned i = 0; i < across; ++i) {
      edges.push_back({v, static_cast<std::uint32_t>(random() % (std::uint64_t{blocks} * size))});
    }
  }
  return edges;
}

/// The share of vertices among the nearest `k` of each vertex that are in its group.
double nearest_in_group(const std::vector<layout_point>& at, const std::vector<std::uint32_t>& groups, std::size_t k) {
  std::size_t own = 0;
  for (std::size_t v = 0; v < at.size(); ++v) {
    std::vector<std::pair<double, std::size_t>> near;
    for (std::size_t w = 0; w < at.size(); ++w) {
      if (w != v) near.emplace_back(distance(at[v], at[w]), w);
    }
    std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(k - 1), near.end());
    for (std::size_t i = 0; i < k; ++i) own += groups[near[i].second] == groups[v] ? 1 : 0;
  }
  return static_cast<double>(own) / static_cast<double>(at.size() * k);
}

TEST(layout, forty_blocks_are_forty_clumps) {
  constexpr std::uint32_t size = 15;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t v = 0; v < 40 * size; ++v) groups.push_back(v / size * size);
  const std::vector<layout_edge> edges = planted(40, size, 5, 3);
  const auto forces = grouped_layout(40 * size, edges, groups, clumps::never);
  const auto mended = grouped_layout(40 * size, edges, groups);
  EXPECT_LT(nearest_in_group(forces, groups, 10), 0.8);
  EXPECT_GT(nearest_in_group(mended, groups, 10), 0.95);
  EXPECT_GT(share_in_own_clump(mended, groups), 0.95);
  EXPECT_EQ(mended, grouped_layout(40 * size, edges, groups));
}

TEST(layout, a_mesh_stays_a_mesh) {
  constexpr std::uint32_t side = 20;
  std::vector<layout_edge> edges;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t v = 0; v < side * side; ++v) {
    if (v % side != 0) edges.push_back({v, v - 1});
    if (v >= side) edges.push_back({v, v - side});
    groups.push_back(v / side / 5 * 4 + v % side / 5);
  }
  EXPECT_EQ(grouped_layout(side * side, edges, groups), grouped_layout(side * side, edges, groups, clumps::never));
}

TEST(layout, components_do_not_overlap) {
  // A clique of 40, 30 pairs, 20 triangles and 25 single vertices.
  std::vector<layout_edge> edges;
  std::vector<std::uint32_t> component;
  std::uint32_t number = 0;
  for (const auto& [count, size] : {std::pair(1u, 40u), std::pair(30u, 2u), std::pair(20u, 3u), std::pair(25u, 1u)}) {
    for (std::uint32_t c = 0; c < count; ++c, ++number) {
      const auto first = static_cast<std::uint32_t>(component.size());
      for (std::uint32_t v = 0; v < size; ++v) {
        for (std::uint32_t w = 0; w < v; ++w) edges.push_back({first + v, first + w});
        component.push_back(number);
      }
    }
  }
  const auto at = grouped_layout(static_cast<std::uint32_t>(component.size()), edges, {});
  struct extent {
    layout_point low{1e9, 1e9};
    layout_point high{-1e9, -1e9};
    void add(const layout_point& p) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
  };
  std::vector<extent> boxes(number);
  extent all;
  for (std::size_t v = 0; v < at.size(); ++v) {
    boxes[component[v]].add(at[v]);
    all.add(at[v]);
  }
  for (std::uint32_t a = 0; a < number; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      const bool apart = boxes[a].low.x > boxes[b].high.x || boxes[b].low.x > boxes[a].high.x ||
                         boxes[a].low.y > boxes[b].high.y || boxes[b].low.y > boxes[a].high.y;
      EXPECT_TRUE(apart) << a << " and " << b;
    }
  }
  const double width = all.high.x - all.low.x;
  const double height = all.high.y - all.low.y;
  EXPECT_LT(std::max(width, height), 2 * std::min(width, height));
}

TEST(layout, groups_and_ends_must_fit) {
  const std::vector<layout_edge> wrong{{0, 5}};
  EXPECT_THROW(grouped_layout(3, wrong, {}), usage_error);
  const std::vector<std::uint32_t> two{0, 1};
  EXPECT_THROW(grouped_layout(3, {}, two), usage_error);
  EXPECT_TRUE(grouped_layout(0, {}, {}).empty());
}

}  // namespace
}  // namespace callisto::graph
