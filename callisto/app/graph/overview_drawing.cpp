// Draws a small graph, or the communities of a large one.
#include <callisto/app/graph/overview_drawing.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/graph/label.hpp>
#include <callisto/graph/layout/layout.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <variant>

namespace callisto::app {
namespace {

using size_list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

constexpr std::uint64_t most_vertices = 300;
constexpr std::uint64_t most_arcs = 4000;
constexpr std::size_t most_communities = 40;
/// Lines of a smaller share of the most edges between two communities are left out: they are hardly seen.
constexpr double least_drawn = 0.005;
constexpr std::uint32_t not_shown = std::numeric_limits<std::uint32_t>::max();

/// Returns by vertex the place of its group in the first `count` of `largest`, or not_shown.
machine::page_array<std::uint32_t> places_of(const machine::page_array<std::uint64_t>& of, const size_list& largest,
                                             std::size_t count) {
  machine::page_array<std::uint32_t> by_name(of.size());
  std::fill(by_name.begin(), by_name.end(), not_shown);
  for (std::size_t i = 0; i < count; ++i) by_name[largest[i].first] = static_cast<std::uint32_t>(i);
  machine::page_array<std::uint32_t> place(of.size());
  parallel_for(std::uint64_t{0}, std::uint64_t{of.size()}, [&](std::uint64_t v) { place[v] = by_name[of[v]]; });
  return place;
}

template <class Vertex>
std::uint64_t arcs_of(const graph::csr_graph<Vertex>& g, std::uint64_t v) {
  return g.out().degree(v) + (g.directed() && g.has_in() ? g.in().degree(v) : 0);
}

/// Moves circles that overlap apart, within a square around the middle; what is far out comes nearer first.
void spread(std::vector<drawn_vertex>& circles) {
  constexpr double half = 220;
  constexpr int sweeps = 200;
  constexpr double gap = 3;
  double farthest = 0;
  for (const drawn_vertex& c : circles) farthest = std::max(farthest, std::hypot(c.x, c.y));
  if (farthest == 0) return;
  for (drawn_vertex& c : circles) {
    const double part = std::hypot(c.x, c.y) / farthest;
    const double scale = part == 0 ? 0 : half / farthest / std::sqrt(part);
    c.x *= scale;
    c.y *= scale;
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t i = 0; i < circles.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        drawn_vertex& a = circles[i];
        drawn_vertex& b = circles[j];
        const double apart = std::max(std::hypot(a.x - b.x, a.y - b.y), 1e-6);
        const double lack = a.radius + b.radius + gap - apart;
        if (lack <= 0) continue;
        const double x = (a.x - b.x) / apart * lack / 2;
        const double y = (a.y - b.y) / apart * lack / 2;
        a.x = std::clamp(a.x + x, -half, half);
        a.y = std::clamp(a.y + y, -half, half);
        b.x = std::clamp(b.x - x, -half, half);
        b.y = std::clamp(b.y - y, -half, half);
      }
    }
  }
}

/// Adds places to a drawing by the layout of `edges`.
void lay_out(overview_drawing& drawing, const std::vector<graph::layout_edge>& edges,
             const graph::run_control& context) {
  drawing.shown = drawing.vertices.size();
  const std::vector<graph::layout_point> at =
      graph::force_layout(static_cast<std::uint32_t>(drawing.shown), edges, 300, context);
  for (std::size_t i = 0; i < drawing.shown; ++i) {
    drawing.vertices[i].x = at[i].x;
    drawing.vertices[i].y = at[i].y;
  }
  spread(drawing.vertices);
}

template <class Vertex>
overview_drawing draw_vertices(const graph::any_graph& any, const graph::csr_graph<Vertex>& g,
                               const machine::page_array<std::uint64_t>& of, const size_list& largest,
                               const graph::run_control& context) {
  overview_drawing drawing;
  const machine::page_array<std::uint32_t> place = places_of(of, largest, largest.size());
  std::vector<graph::layout_edge> edges;
  for (std::uint64_t v = 0; v < g.vertices(); ++v) {
    const std::uint64_t arcs = arcs_of(g, v);
    drawn_vertex circle;
    circle.radius = 3 + 1.2 * std::sqrt(static_cast<double>(arcs));
    circle.colour = place[v];
    if (g.vertices() <= 60) circle.label = one_line(label_of(any, v).text());
    circle.hint = fmt::format("vertex {}, {}; in the community of {}", label_of(any, v), counted(arcs, "arc"),
                              label_of(any, of[v]));
    drawing.vertices.push_back(std::move(circle));
    for (const Vertex w : g.out().row(v)) {
      if (w == v || (!g.directed() && w < v)) continue;
      edges.push_back({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w), 1});
      drawing.edges.push_back({static_cast<std::size_t>(v), static_cast<std::size_t>(w), 1});
    }
  }
  lay_out(drawing, edges, context);
  return drawing;
}

template <class Vertex>
overview_drawing draw_communities(const graph::any_graph& any, const graph::csr_graph<Vertex>& g,
                                  const machine::page_array<std::uint64_t>& of, const size_list& largest,
                                  const graph::run_control& context) {
  overview_drawing drawing;
  drawing.communities = true;
  const std::size_t count = std::min(largest.size(), most_communities);
  const machine::page_array<std::uint32_t> place = places_of(of, largest, count);
  std::vector<std::uint64_t> between(count * count);  // arcs, by the places of both ends
  parallel_for(std::uint64_t{0}, g.vertices(),
               [&](std::uint64_t v) {
                 if (place[v] == not_shown) return;
                 for (const Vertex w : g.out().row(v)) {
                   if (place[w] == not_shown || place[w] == place[v]) continue;
                   // relaxed: the end of the loop orders the sums.
                   std::atomic_ref(between[place[v] * count + place[w]]).fetch_add(1, std::memory_order_relaxed);
                 }
               },
               {.stop = context.stop});
  context.check();
  const auto biggest = static_cast<double>(largest.front().second);
  std::uint64_t most = 1;
  for (std::size_t i = 0; i < count; ++i) {
    drawn_vertex circle;
    circle.radius = 2 + 26 * std::sqrt(static_cast<double>(largest[i].second) / biggest);
    circle.colour = i;
    if (i < 12 && circle.radius >= 10) circle.label = one_line(label_of(any, largest[i].first).text());
    circle.hint = fmt::format("community of {}, {}", label_of(any, largest[i].first),
                              with_separators(largest[i].second) + " vertices");
    drawing.vertices.push_back(std::move(circle));
    for (std::size_t j = 0; j < i; ++j) most = std::max(most, between[i * count + j] + between[j * count + i]);
  }
  std::vector<graph::layout_edge> edges;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      const std::uint64_t arcs = between[i * count + j] + between[j * count + i];
      if (arcs == 0) continue;
      const double part = static_cast<double>(arcs) / static_cast<double>(most);
      edges.push_back({i, j, std::sqrt(part)});
      if (part >= least_drawn) drawing.edges.push_back({i, j, 0.3 + 7 * part});
    }
  }
  lay_out(drawing, edges, context);
  return drawing;
}

}  // namespace

overview_drawing draw_overview(const graph::any_graph& graph, const machine::page_array<std::uint64_t>& of,
                               const size_list& largest, const graph::run_control& context) {
  if (largest.empty()) return {};
  return std::visit(
      [&](const auto& g) {
        return g.vertices() <= most_vertices && g.arcs() <= most_arcs
                   ? draw_vertices(graph, g, of, largest, context)
                   : draw_communities(graph, g, of, largest, context);
      },
      graph);
}

std::vector<std::vector<std::uint64_t>> leading_members(const graph::any_graph& graph,
                                                        const machine::page_array<std::uint64_t>& of,
                                                        const size_list& largest, std::size_t count, std::size_t most) {
  count = std::min(count, largest.size());
  std::vector<std::vector<std::uint64_t>> members(count);
  const machine::page_array<std::uint32_t> place = places_of(of, largest, count);
  std::visit(
      [&](const auto& g) {
        for (std::uint64_t i = 0; i < g.vertices(); ++i) {
          const std::uint64_t v = g.by_label(i);
          if (place[v] == not_shown) continue;
          std::vector<std::uint64_t>& best = members[place[v]];
          // Equally many arcs: the smaller label stays first.
          const auto at =
              std::find_if(best.begin(), best.end(), [&](std::uint64_t w) { return arcs_of(g, w) < arcs_of(g, v); });
          if (at == best.end() && best.size() == most) continue;
          best.insert(at, v);
          if (best.size() > most) best.pop_back();
        }
      },
      graph);
  return members;
}

}  // namespace callisto::app
