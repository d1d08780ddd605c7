// The degree distribution of a graph: how many vertices have each degree.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// The number of vertices that have a degree.
struct degree_count {
  std::uint64_t degree;
  std::uint64_t vertices;
  friend bool operator==(const degree_count&, const degree_count&) = default;
};

/// The degrees that occur, ascending, each with its number of vertices.
using degree_counts = std::vector<degree_count>;

struct degree_distribution {
  degree_counts out;     ///< out-degrees, in stored arcs
  degree_counts in;      ///< equal to `out` if the graph is undirected
  degree_counts simple;  ///< numbers of neighbours in the underlying simple undirected graph
};

/// Counts the degrees of all vertices, in parallel; reads every row once or twice. Memory: 16 bytes for each degree
/// that occurs; for each thread 96 KiB, and 8 bytes for each of its vertices with more than 4,095 arcs. Reports
/// vertices as progress. Throws usage_error for a directed graph without the rows of its in-edges, cancelled, and
/// std::bad_alloc.
CALLISTO_API degree_distribution count_degrees(const any_graph& graph, const run_control& control = {});

/// Returns the sum of d * (d - 1) / 2, the pairs of neighbours of a vertex of degree d, over all vertices. For the
/// degrees of a simple graph it is the number of paths of two edges. Exact below 2^53.
CALLISTO_API double wedges(const degree_counts& degrees) noexcept;

namespace needs {
/// Bytes that count_degrees() and compute_statistics() take at most beyond the graph.
CALLISTO_API std::uint64_t degrees(const any_graph& graph);
}  // namespace needs

}  // namespace callisto::graph
