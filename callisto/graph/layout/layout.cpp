// The layout by forces.
#include <callisto/graph/layout/layout.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace callisto::graph {
namespace {

/// The angle between neighbours on the spiral: no two vertices fall on one line for long (Vogel 1979).
constexpr double golden_angle = 2.399963229728653;
/// The pull to the middle, as a share of the distance from it.
constexpr double gravity = 0.05;
/// Below this distance vertices push as if they were so far apart.
constexpr double least_distance = 1e-3;

struct neighbour {
  std::uint32_t vertex;
  double weight;
};

struct neighbour_rows {
  std::vector<std::size_t> begins;
  std::vector<neighbour> all;
};

neighbour_rows rows_of(std::uint32_t vertices, std::span<const layout_edge> edges) {
  neighbour_rows rows{std::vector<std::size_t>(std::size_t{vertices} + 1), {}};
  for (const layout_edge& e : edges) {
    if (std::max(e.from, e.to) >= vertices) {
      throw usage_error(fmt::format("an edge from {} to {} of {} vertices", e.from, e.to, vertices));
    }
    ++rows.begins[e.from + std::size_t{1}];
    ++rows.begins[e.to + std::size_t{1}];
  }
  std::partial_sum(rows.begins.begin(), rows.begins.end(), rows.begins.begin());
  rows.all.resize(rows.begins.back());
  std::vector<std::size_t> at(rows.begins.begin(), rows.begins.end() - 1);
  for (const layout_edge& e : edges) {
    rows.all[at[e.from]++] = {e.to, e.weight};
    rows.all[at[e.to]++] = {e.from, e.weight};
  }
  return rows;
}

}  // namespace

std::vector<layout_point> force_layout(std::uint32_t vertices, std::span<const layout_edge> edges, unsigned iterations,
                                       const run_control& control) {
  const neighbour_rows rows = rows_of(vertices, edges);
  std::vector<layout_point> now(vertices);
  std::vector<layout_point> next(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const double radius = std::sqrt(v + 0.5);
    now[v] = {radius * std::cos(golden_angle * v), radius * std::sin(golden_angle * v)};
  }
  const double hottest = 0.1 * std::sqrt(static_cast<double>(vertices)) + 0.1;
  if (control.report != nullptr) control.report->begin("layout", iterations, "iterations");
  for (unsigned i = 0; i < iterations; ++i) {
    const double temperature = hottest * (1 - static_cast<double>(i) / iterations);
    parallel_for(std::uint32_t{0}, vertices,
                 [&](std::uint32_t v) {
                   const layout_point mine = now[v];
                   double x = -gravity * mine.x;
                   double y = -gravity * mine.y;
                   for (std::uint32_t w = 0; w < vertices; ++w) {
                     const double dx = mine.x - now[w].x;
                     const double dy = mine.y - now[w].y;
                     const double push = 1 / std::max(dx * dx + dy * dy, least_distance);
                     x += dx * push;
                     y += dy * push;
                   }
                   for (std::size_t a = rows.begins[v]; a != rows.begins[v + std::size_t{1}]; ++a) {
                     const double dx = mine.x - now[rows.all[a].vertex].x;
                     const double dy = mine.y - now[rows.all[a].vertex].y;
                     const double pull = rows.all[a].weight * std::sqrt(dx * dx + dy * dy);
                     x -= dx * pull;
                     y -= dy * pull;
                   }
                   const double force = std::sqrt(x * x + y * y);
                   const double step = force <= temperature ? 1 : temperature / force;
                   next[v] = {mine.x + x * step, mine.y + y * step};
                 },
                 {.stop = control.stop});
    control.check();
    now.swap(next);
    if (control.report != nullptr) control.report->advance(1);
  }
  return now;
}

}  // namespace callisto::graph
