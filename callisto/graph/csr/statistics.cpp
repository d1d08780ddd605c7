// The pass over the rows that computes graph_statistics.
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/graph/csr/statistics_among.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace callisto::graph {
namespace {

template <class Vertex>
std::uint64_t row_bytes(const adjacency<Vertex>& rows) noexcept {
  return rows.offsets.size() * sizeof(std::uint64_t) + rows.targets.size() * sizeof(Vertex) + rows.weights.bytes();
}

/// The neutral element of combine_degrees().
constexpr degree_summary no_degrees{.min = ~std::uint64_t{0}, .mean = 0, .max = 0};

void add_degree(degree_summary& summary, std::uint64_t degree) noexcept {
  summary.min = std::min(summary.min, degree);
  summary.max = std::max(summary.max, degree);
}

degree_summary combine_degrees(degree_summary a, const degree_summary& b) noexcept {
  a.min = std::min(a.min, b.min);
  a.max = std::max(a.max, b.max);
  return a;
}

/// Combines sums and extremes of disjoint sets of vertices. statistics_of() fills in sizes and means.
graph_statistics combine(graph_statistics a, const graph_statistics& b) noexcept {
  a.self_loops += b.self_loops;
  a.repeated_arcs += b.repeated_arcs;
  a.repeated_loops += b.repeated_loops;
  a.edges += b.edges;
  a.out = combine_degrees(a.out, b.out);
  a.in = combine_degrees(a.in, b.in);
  a.isolated += b.isolated;
  a.dangling += b.dangling;
  return a;
}

template <class Vertex>
graph_statistics add_vertices(const csr_graph<Vertex>& graph, std::uint64_t first, std::uint64_t last,
                              graph_statistics sums) {
  for (std::uint64_t v = first; v < last; ++v) {
    const auto row = graph.out().row(v);
    const std::uint64_t in_degree = graph.in().degree(v);
    add_degree(sums.out, row.size());
    add_degree(sums.in, in_degree);
    if (row.empty()) {
      ++sums.dangling;
      if (in_degree == 0) ++sums.isolated;
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == v) ++sums.self_loops;
      if (i > 0 && row[i] == row[i - 1]) {
        ++sums.repeated_arcs;
        if (row[i] == v) ++sums.repeated_loops;
      }
    }
    for_each_simple_neighbour(graph, v, [&](Vertex w) {
      if (w > v) ++sums.edges;
    });
  }
  return sums;
}

template <class Vertex>
graph_statistics statistics_of(const csr_graph<Vertex>& graph, const shared_control& control) {
  if (graph.vertices() == 0) return {};
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which its statistics count");
  const graph_statistics nothing{.out = no_degrees, .in = no_degrees};
  const std::uint64_t first_vertex = control.among == nullptr ? 0 : control.among->first();
  const std::uint64_t last_vertex = control.among == nullptr ? graph.vertices() : control.among->last();
  graph_statistics result = parallel_reduce(
      first_vertex, last_vertex, nothing,
      [&](std::uint64_t first, std::uint64_t last, const graph_statistics& running) {
        return add_vertices(graph, first, last, running);
      },
      combine, loop_options{.stop = control.stop});
  control.check();
  if (control.among != nullptr) {
    const std::vector<graph_statistics> all = control.among->all_of(result);
    result = nothing;
    for (const graph_statistics& part : all) result = combine(result, part);
  }
  result.vertices = graph.vertices();
  result.arcs = graph.arcs();
  result.out.mean = static_cast<double>(graph.arcs()) / static_cast<double>(graph.vertices());
  result.in.mean = result.out.mean;
  return result;
}

/// Sums over the arcs of the simple graph: of degrees where they begin and where they end.
struct degree_sums {
  __extension__ using wide = unsigned __int128;  // exact: the result does not depend on threads
  std::uint64_t arcs = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  wide from_squares = 0;
  wide to_squares = 0;
  wide products = 0;
  degree_summary at_from = no_degrees;
  degree_summary at_to = no_degrees;

  void add(std::uint64_t x, std::uint64_t y) noexcept {
    ++arcs;
    from += x;
    to += y;
    from_squares += wide{x} * x;
    to_squares += wide{y} * y;
    products += wide{x} * y;
    add_degree(at_from, x);
    add_degree(at_to, y);
  }
  friend degree_sums operator+(degree_sums a, const degree_sums& b) noexcept {
    a.arcs += b.arcs;
    a.from += b.from;
    a.to += b.to;
    a.from_squares += b.from_squares;
    a.to_squares += b.to_squares;
    a.products += b.products;
    a.at_from = combine_degrees(a.at_from, b.at_from);
    a.at_to = combine_degrees(a.at_to, b.at_to);
    return a;
  }
};

double correlation(const degree_sums& s) noexcept {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (s.arcs == 0 || s.at_from.min == s.at_from.max || s.at_to.min == s.at_to.max) return none;
  const auto n = static_cast<long double>(s.arcs);
  const auto x = static_cast<long double>(s.from);
  const auto y = static_cast<long double>(s.to);
  const long double both = n * static_cast<long double>(s.products) - x * y;
  const long double of_x = n * static_cast<long double>(s.from_squares) - x * x;
  const long double of_y = n * static_cast<long double>(s.to_squares) - y * y;
  return static_cast<double>(both / std::sqrt(of_x * of_y));
}

template <class Vertex>
double assortativity_of(const csr_graph<Vertex>& graph, const shared_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which assortativity needs");
  const std::uint64_t n = graph.vertices();
  const std::uint64_t first_vertex = control.among == nullptr ? 0 : control.among->first();
  const std::uint64_t last_vertex = control.among == nullptr ? n : control.among->last();
  const auto degrees_of = [&](const adjacency<Vertex>& rows) {
    machine::page_array<std::uint64_t> degrees(n);
    const bool complete =
        parallel_for(first_vertex, last_vertex,
                     [&](std::uint64_t v) { for_each_simple_in(rows.row(v), v, [&](Vertex) { ++degrees[v]; }); },
                     {.stop = control.stop});
    if (!complete) throw cancelled();
    if (control.among != nullptr) control.among->share(degrees.data(), control.among->bounds());
    return degrees;
  };
  const machine::page_array<std::uint64_t> out = degrees_of(graph.out());
  const machine::page_array<std::uint64_t> in =
      graph.directed() ? degrees_of(graph.in()) : machine::page_array<std::uint64_t>();
  const std::uint64_t* const to = graph.directed() ? in.data() : out.data();
  degree_sums sums = parallel_reduce(
      first_vertex, last_vertex, degree_sums{},
      [&](std::uint64_t first, std::uint64_t last, degree_sums running) {
        for (std::uint64_t v = first; v < last; ++v) {
          for_each_simple_in(graph.out().row(v), v, [&](Vertex w) { running.add(out[v], to[w]); });
        }
        return running;
      },
      std::plus<>(), loop_options{.stop = control.stop});
  control.check();
  if (control.among != nullptr) sums = control.among->sum(sums);
  return correlation(sums);
}

/// Returns the distinct arcs without loops: of an undirected graph each edge twice.
std::uint64_t simple_arcs(const graph_statistics& s) noexcept {
  return s.arcs - s.self_loops - (s.repeated_arcs - s.repeated_loops);
}

}  // namespace

double density(const graph_statistics& statistics, bool directed) noexcept {
  const auto n = static_cast<double>(statistics.vertices);
  if (statistics.vertices < 2) return 0;
  const auto joined =
      directed ? static_cast<double>(simple_arcs(statistics)) : 2 * static_cast<double>(statistics.edges);
  return joined / (n * (n - 1));
}

double reciprocity(const graph_statistics& statistics, bool directed) noexcept {
  const std::uint64_t arcs = simple_arcs(statistics);
  if (arcs == 0) return std::numeric_limits<double>::quiet_NaN();
  if (!directed) return 1;
  return 2 * static_cast<double>(arcs - statistics.edges) / static_cast<double>(arcs);
}

double degree_assortativity(const any_graph& graph, const run_control& control) {
  return degree_assortativity_among(graph, {control});
}

double degree_assortativity_among(const any_graph& graph, const shared_control& control) {
  return std::visit([&](const auto& g) { return assortativity_of(g, control); }, graph);
}

std::uint64_t csr_bytes(const any_graph& graph) noexcept {
  return std::visit([](const auto& g) { return row_bytes(g.out()) + (g.directed() ? row_bytes(g.in()) : 0); }, graph);
}

graph_statistics compute_statistics(const any_graph& graph, const run_control& control) {
  return statistics_among(graph, {control, nullptr});
}

graph_statistics statistics_among(const any_graph& graph, const shared_control& control) {
  graph_statistics result = std::visit([&](const auto& g) { return statistics_of(g, control); }, graph);
  result.bytes = csr_bytes(graph);
  return result;
}

}  // namespace callisto::graph
