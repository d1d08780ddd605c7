// The pass over the rows that computes graph_statistics.
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>

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
      if (i > 0 && row[i] == row[i - 1]) ++sums.repeated_arcs;
    }
    for_each_simple_neighbour(graph, v, [&](Vertex w) {
      if (w > v) ++sums.edges;
    });
  }
  return sums;
}

template <class Vertex>
graph_statistics statistics_of(const csr_graph<Vertex>& graph, const run_control& control) {
  if (graph.vertices() == 0) return {};
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which its statistics count");
  const graph_statistics nothing{.out = no_degrees, .in = no_degrees};
  graph_statistics result = parallel_reduce(
      std::uint64_t{0}, graph.vertices(), nothing,
      [&](std::uint64_t first, std::uint64_t last, const graph_statistics& running) {
        return add_vertices(graph, first, last, running);
      },
      combine, loop_options{.stop = control.stop});
  control.check();
  result.vertices = graph.vertices();
  result.arcs = graph.arcs();
  result.out.mean = static_cast<double>(graph.arcs()) / static_cast<double>(graph.vertices());
  result.in.mean = result.out.mean;
  return result;
}

}  // namespace

std::uint64_t csr_bytes(const any_graph& graph) noexcept {
  return std::visit([](const auto& g) { return row_bytes(g.out()) + (g.directed() ? row_bytes(g.in()) : 0); }, graph);
}

graph_statistics compute_statistics(const any_graph& graph, const run_control& control) {
  graph_statistics result = std::visit([&](const auto& g) { return statistics_of(g, control); }, graph);
  result.bytes = csr_bytes(graph);
  return result;
}

}  // namespace callisto::graph
