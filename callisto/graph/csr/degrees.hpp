// How the degrees of a graph are distributed: how many vertices have each.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// So many vertices have this degree.
struct degree_count {
  std::uint64_t degree;
  std::uint64_t vertices;
  friend bool operator==(const degree_count&, const degree_count&) = default;
};

/// The degrees that occur, ascending, and how often.
using degree_counts = std::vector<degree_count>;

struct degree_distribution {
  degree_counts out;     ///< in stored arcs
  degree_counts in;      ///< the same as `out` in an undirected graph
  degree_counts simple;  ///< neighbours in the underlying simple undirected graph
};

/// Reads every row once or twice, in parallel. Memory: 16 bytes for each degree that occurs, and for every thread 96
/// KiB and 8 bytes for each of its vertices that have more than 4,095 arcs. Reports vertices as progress. Throws
/// usage_error for a directed graph without the rows of its in-edges, cancelled, and std::bad_alloc.
CALLISTO_API degree_distribution count_degrees(const any_graph& graph, const run_control& control = {});

/// The pairs of neighbours of the vertices of these degrees, d * (d - 1) / 2 each: the paths of two edges, if they are
/// the degrees of a simple graph. Exact below 2^53.
CALLISTO_API double wedges(const degree_counts& degrees) noexcept;

namespace needs {
/// Bytes that count_degrees() and compute_statistics() take at most beyond the graph.
CALLISTO_API std::uint64_t degrees(const any_graph& graph);
}  // namespace needs

}  // namespace callisto::graph
