// Renumbering the vertices of a graph.
#include <callisto/graph/attributes/carry.hpp>
#include <callisto/graph/construction/radix_sort.hpp>
#include <callisto/graph/csr/degree_ranking.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/graph/triangles/orient.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <variant>

namespace callisto::graph {
namespace {

/// Calls f(v) for each v in [0, count), in parallel. Throws cancelled.
void over_placed(std::uint64_t count, const run_control& control, auto f,
                 std::source_location where = std::source_location::current()) {
  if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control.stop}, where)) throw cancelled();
}

/// Loop body: sorts renumbered rows. Repeats stay, weighted ones by ascending weight, as build_graph() leaves them.
template <class Vertex, class Weight>
struct sort_rows_loop {
  using sorter = radix_sorter<Vertex, Weight>;

  adjacency<Vertex>& rows;
  unsigned bits;

  void fork(sorter&) noexcept {}
  void work(sorter& mine, std::uint64_t v) const {
    const auto first = rows.offsets[v];
    const auto size = static_cast<std::size_t>(rows.degree(v));
    Vertex* const keys = rows.targets.data() + first;
    if constexpr (std::is_same_v<Weight, no_weight>) {
      mine.sort({keys, nullptr}, size, 0, bits);
    } else {
      Weight* const weights = rows.weights.template data<Weight>() + first;
      mine.sort({keys, weights}, size, 0, bits);
      for (std::size_t i = 0; i < size;) {
        std::size_t j = i + 1;
        while (j < size && keys[j] == keys[i]) ++j;
        if (j - i > 1) {
          std::sort(weights + i, weights + j,
                    [](Weight x, Weight y) { return std::strong_order(x, y) == std::strong_ordering::less; });
        }
        i = j;
      }
    }
  }
  void join(sorter&) noexcept {}
};

/// A permutation of the vertices.
template <class Vertex>
struct numbering {
  machine::page_array<Vertex> order;  ///< by new number: the old number
  machine::page_array<Vertex> place;  ///< by old number: the new number
};

/// Returns renumbered and sorted rows.
template <class Vertex, class Weight>
adjacency<Vertex> renumbered(const adjacency<Vertex>& old, const numbering<Vertex>& numbers,
                             const run_control& control) {
  const std::uint64_t vertices = numbers.order.size();
  adjacency<Vertex> rows;
  rows.offsets = machine::page_array<std::uint64_t>(vertices + 1);
  rows.targets = machine::page_array<Vertex>(old.targets.size());
  constexpr bool weighted = !std::is_same_v<Weight, no_weight>;
  if constexpr (weighted) rows.weights = machine::page_array<Weight>(old.targets.size());
  over_placed(vertices, control, [&](std::uint64_t v) { rows.offsets[v + 1] = old.degree(numbers.order[v]); });
  for (std::uint64_t v = 0; v < vertices; ++v) rows.offsets[v + 1] += rows.offsets[v];
  over_placed(vertices, control, [&](std::uint64_t v) {
    const std::uint64_t from = old.offsets[numbers.order[v]];
    const std::uint64_t size = rows.degree(v);
    for (std::uint64_t i = 0; i < size; ++i) {
      rows.targets[rows.offsets[v] + i] = numbers.place[old.targets[from + i]];
    }
    if constexpr (weighted) {
      std::copy_n(old.weights.template data<Weight>() + from, size,
                  rows.weights.template data<Weight>() + rows.offsets[v]);
    }
  });
  using loop_type = sort_rows_loop<Vertex, Weight>;
  loop_type loop{rows, static_cast<unsigned>(std::bit_width(vertices - 1))};
  if (!parallel_for<loop_type, typename loop_type::sorter, std::uint64_t>(loop, 0, vertices, {.stop = control.stop})) {
    throw cancelled();
  }
  return rows;
}

/// Returns the graph in which vertex v is vertex numbers.order[v] of `graph`. `by_label`: the new vertices by ascending
/// label.
template <class Vertex>
csr_graph<Vertex> renumbered(const csr_graph<Vertex>& graph, const numbering<Vertex>& numbers,
                             machine::page_array<Vertex> by_label, const run_control& control) {
  const auto rows_of = [&](const adjacency<Vertex>& rows) {
    if (!graph.weighted()) return renumbered<Vertex, no_weight>(rows, numbers, control);
    return graph.has_short_weights() ? renumbered<Vertex, short_weight>(rows, numbers, control)
                                     : renumbered<Vertex, double>(rows, numbers, control);
  };
  auto out = rows_of(graph.out());
  auto in = graph.directed() && graph.has_in() ? rows_of(graph.in()) : adjacency<Vertex>();
  machine::page_array<std::uint64_t> labels(graph.vertices());
  over_placed(graph.vertices(), control, [&](std::uint64_t v) { labels[v] = graph.label(numbers.order[v]); });
  auto result = surveyed(
      csr_graph<Vertex>(graph.directed(), std::move(out), std::move(in), std::move(labels), 0, std::move(by_label))
          .with_names(graph.names()),
      control);
  auto attributes = carried(graph, result, numbers.place, giver::each, control);
  return std::move(result).with_attributes(std::move(attributes));
}

template <class Vertex>
csr_graph<Vertex> hubs_first_of(const csr_graph<Vertex>& graph, const run_control& control) {
  const std::uint64_t vertices = graph.vertices();
  degree_ranking<Vertex> ranking(graph);
  rank_vertices(ranking, control);
  numbering<Vertex> numbers{machine::page_array<Vertex>(vertices), machine::page_array<Vertex>(vertices)};
  machine::page_array<Vertex> by_label(vertices);
  over_placed(vertices, control, [&](std::uint64_t v) {
    numbers.order[v] = ranking.vertex(v);
    numbers.place[ranking.vertex(v)] = static_cast<Vertex>(v);
  });
  over_placed(vertices, control, [&](std::uint64_t i) { by_label[i] = numbers.place[graph.by_label(i)]; });
  return renumbered(graph, numbers, std::move(by_label), control);
}

template <class Vertex>
csr_graph<Vertex> in_label_order_of(const csr_graph<Vertex>& graph, const run_control& control) {
  const std::uint64_t vertices = graph.vertices();
  numbering<Vertex> numbers{machine::page_array<Vertex>(vertices), machine::page_array<Vertex>(vertices)};
  over_placed(vertices, control, [&](std::uint64_t i) {
    numbers.order[i] = static_cast<Vertex>(graph.by_label(i));
    numbers.place[graph.by_label(i)] = static_cast<Vertex>(i);
  });
  return renumbered(graph, numbers, {}, control);
}

}  // namespace

any_graph hubs_first(const any_graph& graph, const run_control& control) {
  return std::visit(
      [&](const auto& g) -> any_graph {
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, which its order needs");
        if (g.vertices() == 0) return std::remove_cvref_t<decltype(g)>(g.directed(), {}, {}, {}, 0);
        return hubs_first_of(g, control);
      },
      graph);
}

any_graph in_label_order(const any_graph& graph, const run_control& control) {
  return std::visit([&](const auto& g) -> any_graph { return in_label_order_of(g, control); }, graph);
}

bool gains_by_hubs_first(const any_graph& graph, const run_control& control) {
  // Smaller graphs lie in caches as they are.
  constexpr std::uint64_t least_vertices = std::uint64_t{1} << 18;
  constexpr std::uint64_t least_arcs = std::uint64_t{1} << 22;
  constexpr std::uint64_t few = 64;        // hubs are this share of the vertices
  constexpr double most_arcs = 0.5;        // lead to hubs
  constexpr double near_arcs = 0.25;       // lead to vertices nearby: the order that there is has a meaning
  constexpr std::uint64_t rows = 1 << 14;  // that are looked at
  return std::visit(
      [&]<class Vertex>(const csr_graph<Vertex>& g) {
        const std::uint64_t n = g.vertices();
        if (n < least_vertices || g.arcs() < least_arcs || !g.has_in() || !g.by_label().empty()) return false;
        // By the power of two of its degree, how many vertices there are, and how many arcs.
        struct counts {
          std::array<std::uint64_t, 65> vertices{};
          std::array<std::uint64_t, 65> arcs{};
          counts operator+(const counts& o) const {
            counts all = *this;
            for (std::size_t i = 0; i < all.arcs.size(); ++i) {
              all.vertices[i] += o.vertices[i];
              all.arcs[i] += o.arcs[i];
            }
            return all;
          }
        };
        const adjacency<Vertex>& in = g.in();
        const counts by_degree = parallel_reduce(
            std::uint64_t{0}, n, counts{},
            [&](std::uint64_t first, std::uint64_t last, counts found) {
              for (std::uint64_t v = first; v < last; ++v) {
                const auto group = static_cast<std::size_t>(std::bit_width(in.degree(v)));
                ++found.vertices[group];
                found.arcs[group] += in.degree(v);
              }
              return found;
            },
            std::plus<>(), loop_options{.stop = control.stop});
        control.check();
        std::uint64_t hubs = 0;
        double to_hubs = 0;
        for (std::size_t group = 65; group-- != 1;) {
          const std::uint64_t some = by_degree.vertices[group];
          if (some == 0) continue;
          const std::uint64_t room = n / few - hubs;
          const double share = some <= room ? 1 : static_cast<double>(room) / static_cast<double>(some);
          to_hubs += share * static_cast<double>(by_degree.arcs[group]);
          hubs += std::min(some, room);
          if (hubs == n / few) break;
        }
        if (to_hubs < most_arcs * static_cast<double>(g.arcs())) return false;
        std::uint64_t looked = 0;
        std::uint64_t near = 0;
        for (std::uint64_t v = 0; v < n; v += n / rows) {
          for (const Vertex w : g.out().row(v)) {
            ++looked;
            near += (w < v ? v - w : w - v) < n / few ? 1 : 0;
          }
        }
        return static_cast<double>(near) < near_arcs * static_cast<double>(looked);
      },
      graph);
}

std::uint64_t needs::reorder(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t short_weights = sizeof(short_weight) * s.m * (s.directed ? 2 : 1);
  return csr_bytes(graph) + (8 + 3 * s.v) * s.n + (s.w == sizeof(double) ? short_weights : 0);
}

}  // namespace callisto::graph
