// Places the circles of a drawing.
#include <callisto/app/graph/drawing.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/graph/label.hpp>
#include <callisto/graph/layout/layout.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <variant>

namespace callisto::app {
namespace {

/// Members of a community that a hint names.
constexpr std::size_t members_in_hints = 5;
/// Lines of a smaller share of the most edges between two communities are left out: they are hardly seen.
constexpr double least_drawn = 0.005;
/// The most circles among which overlapping circles are moved apart, which takes the square of their number.
constexpr std::size_t most_spread = 400;
constexpr std::uint32_t not_shown = std::numeric_limits<std::uint32_t>::max();

/// Returns by vertex the place of its group in the first `count` of `largest`, or not_shown.
machine::page_array<std::uint32_t> places_of(const machine::page_array<std::uint64_t>& of,
                                             const community_sizes& largest, std::size_t count) {
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

/// Brings what is far out nearer, within a square around the middle.
void draw_in(std::vector<drawn_vertex>& circles, double side) {
  const double half = side / 2;
  double farthest = 0;
  for (const drawn_vertex& c : circles) farthest = std::max(farthest, std::hypot(c.x, c.y));
  if (farthest == 0) return;
  for (drawn_vertex& c : circles) {
    const double part = std::hypot(c.x, c.y) / farthest;
    const double scale = part == 0 ? 0 : half / farthest / std::sqrt(part);
    c.x *= scale;
    c.y *= scale;
  }
}

/// Moves and scales the circles to a square around the middle.
void fit(std::vector<drawn_vertex>& circles, double side) {
  constexpr double far = std::numeric_limits<double>::max();
  double left = far;
  double right = -far;
  double top = far;
  double bottom = -far;
  for (const drawn_vertex& c : circles) {
    left = std::min(left, c.x);
    right = std::max(right, c.x);
    top = std::min(top, c.y);
    bottom = std::max(bottom, c.y);
  }
  const double longest = std::max(right - left, bottom - top);
  const double scale = longest > 0 ? side / longest : 1;
  for (drawn_vertex& c : circles) {
    c.x = (c.x - (left + right) / 2) * scale;
    c.y = (c.y - (top + bottom) / 2) * scale;
  }
}

/// Moves a few circles that overlap apart, within a square around the middle.
void spread(std::vector<drawn_vertex>& circles, double side) {
  const double half = side / 2;
  constexpr int sweeps = 200;
  constexpr double gap = 3;
  if (circles.size() > most_spread) return;
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
void lay_out(graph_drawing& drawing, const std::vector<graph::layout_edge>& edges, const drawing_look& look,
             const graph::run_control& context) {
  drawing.shown = drawing.vertices.size();
  const std::vector<graph::layout_point> at =
      graph::force_layout(static_cast<std::uint32_t>(drawing.shown), edges, 300, context);
  for (std::size_t i = 0; i < drawing.shown; ++i) {
    drawing.vertices[i].x = at[i].x;
    drawing.vertices[i].y = at[i].y;
  }
  draw_in(drawing.vertices, look.side);
  spread(drawing.vertices, look.side);
}

/// Adds places to a drawing of vertices: the given ones, or by the layout of `edges` with communities seen.
void lay_out_vertices(graph_drawing& drawing, const std::vector<graph::layout_edge>& edges,
                      const machine::page_array<std::uint64_t>& of, const drawing_look& look,
                      const graph::run_control& context) {
  drawing.shown = drawing.vertices.size();
  std::vector<graph::layout_point> at(look.places.begin(), look.places.end());
  if (at.empty()) {
    std::vector<std::uint32_t> groups;
    for (std::size_t v = 0; v < drawing.shown && look.coloured; ++v)
      groups.push_back(static_cast<std::uint32_t>(of[v]));
    at = graph::grouped_layout(static_cast<std::uint32_t>(drawing.shown), edges, groups, look.how, context);
  }
  for (std::size_t i = 0; i < drawing.shown; ++i) {
    drawing.vertices[i].x = at[i].x;
    drawing.vertices[i].y = at[i].y;
  }
  fit(drawing.vertices, look.side);
  if (look.places.empty()) spread(drawing.vertices, look.side);
}

/// Names the `labels` largest circles.
template <class Name>
void name_largest(graph_drawing& drawing, std::size_t labels, const Name& name) {
  std::vector<std::size_t> order(drawing.vertices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(labels, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double left = drawing.vertices[a].radius;
                      const double right = drawing.vertices[b].radius;
                      return left > right || (left == right && a < b);
                    });
  for (std::size_t i = 0; i < count; ++i) drawing.vertices[order[i]].label = name(order[i]);
}

template <class Vertex>
graph_drawing vertices_of(const graph::any_graph& any, const graph::csr_graph<Vertex>& g,
                          const machine::page_array<std::uint64_t>& of, const community_sizes& largest,
                          const drawing_look& look, const graph::run_control& context) {
  graph_drawing drawing;
  const machine::page_array<std::uint32_t> place = places_of(of, largest, std::min(largest.size(), svg_group_colours));
  const auto score = [&](std::uint64_t v) {
    return look.scores.empty() ? static_cast<double>(arcs_of(g, v)) : look.scores[v];
  };
  double most = 0;
  for (std::uint64_t v = 0; v < g.vertices(); ++v) most = std::max(most, score(v));
  // Circles of mean size cover a tenth of the square.
  const double mean = std::sqrt(0.1 * look.side * look.side / std::numbers::pi / static_cast<double>(g.vertices()));
  const double smallest = std::clamp(mean / 3, 0.6, 4.0);
  const double widest = std::clamp(mean * 2, 2.0, 20.0);
  double heaviest = 0;
  if (look.weights) {
    for (std::size_t i = 0; i < g.out().weights.size(); ++i) heaviest = std::max(heaviest, g.out().weights[i]);
  }
  std::vector<graph::layout_edge> edges;
  for (std::uint64_t v = 0; v < g.vertices(); ++v) {
    drawn_vertex circle;
    const double part = most > 0 ? std::max(0.0, score(v)) / most : 0;
    circle.radius = smallest + (widest - smallest) * std::sqrt(part);
    circle.colour = !look.colours.empty() ? look.colours[v]
                    : !look.coloured      ? 0
                                          : std::min<std::size_t>(place[v], svg_group_colours);
    circle.name = one_line(label_of(any, v).text());
    circle.hint = fmt::format("{}: {}", label_of(any, v).text(), counted(arcs_of(g, v), "arc"));
    if (!look.names.empty() && !look.names[v].empty()) circle.hint = look.names[v] + ", " + circle.hint;
    if (!look.words.empty() && !look.words[v].empty()) circle.hint += "; " + look.words[v];
    if (!look.scores.empty()) circle.hint += fmt::format(", {} {:.4g}", look.score, score(v));
    if (look.coloured) circle.hint += fmt::format("; in the community of {}", label_of(any, of[v]).text());
    drawing.vertices.push_back(std::move(circle));
    for (std::uint64_t e = g.out().offsets[v]; e != g.out().offsets[v + 1]; ++e) {
      const Vertex w = g.out().targets[e];
      if (w == v || (!g.directed() && w < v)) continue;
      const double weight = heaviest > 0 ? std::max(0.0, g.out().weights[e]) / heaviest : 1;
      edges.push_back({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w), std::max(weight, 0.01)});
      drawing.edges.push_back({static_cast<std::size_t>(v), static_cast<std::size_t>(w), weight, g.directed()});
    }
  }
  // Many lines are thin ones.
  const double width = std::clamp(40 / std::sqrt(static_cast<double>(drawing.edges.size()) + 1), 0.15, 1.0);
  for (drawn_edge& e : drawing.edges) {
    e.width = heaviest > 0 ? width * (0.4 + std::round(e.width * 16) / 16 * 3) : width;
    e.arrow = e.arrow && drawing.edges.size() <= most_arrows;
  }
  name_largest(drawing, look.labels,
               [&](std::size_t v) { return look.names.empty() ? drawing.vertices[v].name : one_line(look.names[v]); });
  lay_out_vertices(drawing, edges, of, look, context);
  return drawing;
}

template <class Vertex>
graph_drawing communities_of(const graph::any_graph& any, const graph::csr_graph<Vertex>& g,
                             const machine::page_array<std::uint64_t>& of, const community_sizes& largest,
                             const drawing_look& look, const graph::shared_control& context) {
  graph_drawing drawing;
  drawing.communities = true;
  graph::partners* const among = context.among;
  const std::size_t count = std::min(largest.size(), look.communities);
  const machine::page_array<std::uint32_t> place = places_of(of, largest, count);
  std::vector<std::uint64_t> between(count * count);  // arcs, by the places of both ends
  parallel_for(among == nullptr ? 0 : among->first(), among == nullptr ? g.vertices() : among->last(),
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
  if (among != nullptr) {
    const std::vector<std::uint64_t> all = among->lists_of_all(between);
    for (std::size_t i = 0; i != between.size(); ++i) {
      between[i] = 0;
      for (std::size_t p = 0; p != among->count(); ++p) between[i] += all[p * between.size() + i];
    }
    if (!among->tells()) return {};
  }
  const std::vector<std::vector<std::uint64_t>> members = leading_members(any, of, largest, count, members_in_hints);
  const auto biggest = static_cast<double>(largest.front().second);
  std::uint64_t most = 1;
  for (std::size_t i = 0; i < count; ++i) {
    drawn_vertex circle;
    circle.radius = 2 + look.side / 17 * std::sqrt(static_cast<double>(largest[i].second) / biggest);
    circle.colour = look.coloured ? i : 0;
    circle.name = one_line(label_of(any, largest[i].first).text());
    std::vector<vertex_label> names;
    for (const std::uint64_t v : members[i]) names.push_back(label_of(any, v));
    circle.hint = fmt::format("community of {}, {}: {}{}", label_of(any, largest[i].first).text(),
                              counted(largest[i].second, "member"), list_words(names),
                              largest[i].second > names.size() ? ", ..." : "");
    drawing.vertices.push_back(std::move(circle));
    for (std::size_t j = 0; j < i; ++j) most = std::max(most, between[i * count + j] + between[j * count + i]);
  }
  std::vector<graph::layout_edge> edges;
  std::vector<bool> joined(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      const std::uint64_t arcs = between[i * count + j] + between[j * count + i];
      if (arcs == 0) continue;
      joined[i] = joined[j] = true;
      const double part = static_cast<double>(arcs) / static_cast<double>(most);
      edges.push_back({i, j, std::sqrt(part)});
      if (part >= least_drawn) drawing.edges.push_back({i, j, 0.3 + 7 * part});
    }
  }
  // Communities without edges to other communities would fly away and leave little room for the rest.
  constexpr double string = 0.1;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (!joined[i]) edges.push_back({0, i, string});
  }
  name_largest(drawing, look.labels, [&](std::size_t i) { return one_line(label_of(any, largest[i].first).text()); });
  lay_out(drawing, edges, look, context);
  return drawing;
}

}  // namespace

graph_drawing draw_vertices(const graph::any_graph& graph, const machine::page_array<std::uint64_t>& of,
                            const community_sizes& largest, const drawing_look& look,
                            const graph::run_control& context) {
  return std::visit(
      [&](const auto& g) {
        return g.vertices() == 0 ? graph_drawing() : vertices_of(graph, g, of, largest, look, context);
      },
      graph);
}

graph_drawing draw_communities(const graph::any_graph& graph, const machine::page_array<std::uint64_t>& of,
                               const community_sizes& largest, const drawing_look& look,
                               const graph::shared_control& context) {
  if (largest.empty()) return {};
  return std::visit([&](const auto& g) { return communities_of(graph, g, of, largest, look, context); }, graph);
}

std::vector<std::vector<std::uint64_t>> leading_members(const graph::any_graph& graph,
                                                        const machine::page_array<std::uint64_t>& of,
                                                        const community_sizes& largest, std::size_t count,
                                                        std::size_t most) {
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
