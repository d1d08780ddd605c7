// The layout by forces, from coarse to fine.
#include <callisto/graph/layout/coarsening.hpp>
#include <callisto/graph/layout/layout.hpp>
#include <callisto/graph/layout/repulsion.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace callisto::graph {
namespace {

using layout_detail::layout_level;
using layout_detail::repulsion;

/// The angle between neighbours on a spiral: no two vertices fall on one line for long (Vogel 1979).
constexpr double golden_angle = 2.399963229728653;
/// The pull to the middle, as a share of the distance from it.
constexpr double gravity = 0.05;
/// Work of a level, as far as `fewest_iterations` allow: a larger level has fewer iterations. A unit is the move of a
/// vertex without its pulls: the pulls of `arcs_a_move` arcs cost as much.
constexpr double most_work = 2.5e6;
constexpr double arcs_a_move = 12;
constexpr unsigned fewest_iterations = 30;
/// Iterations between two sorts of the vertices by place; the boxes around them are always right.
constexpr unsigned sort_interval = 4;

layout_level finest_level(std::uint32_t vertices, std::span<const layout_edge> edges) {
  layout_level level;
  level.masses.assign(vertices, 1);
  level.begins.resize(std::size_t{vertices} + 1);
  for (const layout_edge& e : edges) {
    if (std::max(e.from, e.to) >= vertices) {
      throw usage_error(fmt::format("an edge from {} to {} of {} vertices", e.from, e.to, vertices));
    }
    ++level.begins[e.from + std::size_t{1}];
    ++level.begins[e.to + std::size_t{1}];
  }
  std::partial_sum(level.begins.begin(), level.begins.end(), level.begins.begin());
  level.neighbours.resize(level.begins.back());
  std::vector<std::size_t> at(level.begins.begin(), level.begins.end() - 1);
  for (const layout_edge& e : edges) {
    level.neighbours[at[e.from]++] = {e.to, e.weight};
    level.neighbours[at[e.to]++] = {e.from, e.weight};
  }
  return level;
}

layout_point on_spiral(double turn, double radius) {
  return {radius * std::cos(golden_angle * turn), radius * std::sin(golden_angle * turn)};
}

unsigned iterations_of(const layout_level& level, unsigned iterations) {
  const double work = static_cast<double>(level.size()) + static_cast<double>(level.neighbours.size()) / arcs_a_move;
  const double affordable = most_work / std::max(work, 1.0);
  return std::clamp(static_cast<unsigned>(std::min<double>(affordable, iterations)),
                    std::min(fewest_iterations, iterations), iterations);
}

/// Moves the vertices of a level `iterations` times, at first by up to `hottest`.
void relax(const layout_level& level, std::vector<layout_point>& now, unsigned iterations, double hottest,
           const run_control& control) {
  const auto vertices = static_cast<std::uint32_t>(level.size());
  std::vector<layout_point> next(vertices);
  repulsion pushes(level.masses);
  for (unsigned i = 0; i < iterations; ++i) {
    const double temperature = hottest * (1 - static_cast<double>(i) / iterations);
    if (i % sort_interval == 0) pushes.sort(now, control);
    pushes.update(now, control);
    parallel_for(std::size_t{0}, pushes.blocks(),
                 [&](std::size_t b) {
                   pushes.for_each(b, [&](std::uint32_t v, double x, double y) {
                     const layout_point mine = now[v];
                     x -= gravity * mine.x;
                     y -= gravity * mine.y;
                     for (std::size_t a = level.begins[v]; a != level.begins[v + std::size_t{1}]; ++a) {
                       const layout_point& other = now[level.neighbours[a].vertex];
                       const double dx = mine.x - other.x;
                       const double dy = mine.y - other.y;
                       const double pull = level.neighbours[a].weight / level.masses[v] * std::sqrt(dx * dx + dy * dy);
                       x -= dx * pull;
                       y -= dy * pull;
                     }
                     const double force = std::sqrt(x * x + y * y);
                     const double step = force <= temperature ? 1 : temperature / force;
                     next[v] = {mine.x + x * step, mine.y + y * step};
                   });
                 },
                 {.stop = control.stop});
    control.check();
    now.swap(next);
    if (control.report != nullptr) control.report->advance(vertices);
  }
}

/// Returns places for a finer level: the members of a coarse vertex lie on a spiral around its place.
std::vector<layout_point> refined(const std::vector<layout_point>& coarse, const std::vector<std::uint32_t>& parents) {
  std::vector<std::uint32_t> placed(coarse.size());
  std::vector<layout_point> places(parents.size());
  for (std::size_t v = 0; v < places.size(); ++v) {
    const std::uint32_t p = parents[v];
    const std::uint32_t before = placed[p]++;
    // Spirals of different turns, so that two coarse vertices at one place do not put theirs on the same points.
    const layout_point aside = on_spiral(before + 0.37 * p, 0.5 * std::sqrt(before + 0.1));
    places[v] = {coarse[p].x + aside.x, coarse[p].y + aside.y};
  }
  return places;
}

}  // namespace

std::vector<layout_point> force_layout(std::uint32_t vertices, std::span<const layout_edge> edges, unsigned iterations,
                                       const run_control& control) {
  std::vector<layout_level> levels;
  levels.push_back(finest_level(vertices, edges));
  while (auto coarser = layout_detail::coarsened(levels.back())) {
    control.check();
    levels.push_back(std::move(*coarser));
  }
  std::uint64_t moves = 0;
  for (const layout_level& level : levels) moves += std::uint64_t{iterations_of(level, iterations)} * level.size();
  if (control.report != nullptr) control.report->begin("layout", moves, "moves");

  std::vector<layout_point> now(levels.back().size());
  double within = 0;  // mass inside the spiral so far
  for (std::size_t v = 0; v < now.size(); ++v) {
    now[v] = on_spiral(static_cast<double>(v), std::sqrt(within + 0.5));
    within += levels.back().masses[v];
  }
  const auto all = static_cast<double>(vertices);
  double hottest = 0.1 * std::sqrt(all) + 0.1;
  for (std::size_t i = levels.size(); i-- != 0;) {
    relax(levels[i], now, iterations_of(levels[i], iterations), hottest, control);
    if (i == 0) break;
    now = refined(now, levels[i - 1].parents);
    // About twice the distance of neighbours on the coarser level.
    hottest = std::min(hottest, 2 * std::sqrt(all / static_cast<double>(levels[i].size())) + 0.1);
    levels.pop_back();
  }
  return now;
}

}  // namespace callisto::graph
