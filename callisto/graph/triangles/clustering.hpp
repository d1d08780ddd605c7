// Clustering coefficients: the share of pairs of a vertex's neighbours that are neighbours themselves.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct clustering_result {
  machine::page_array<std::uint64_t> triangles;  ///< by vertex: triangles with this corner
  /// By vertex: triangles / pairs of neighbours (Watts and Strogatz 1998); 0 with fewer than two neighbours.
  machine::page_array<double> coefficients;
  std::uint64_t total = 0;  ///< triangles of the graph
  double average = 0;       ///< mean of the coefficients of all vertices
  double transitivity = 0;  ///< 3 * total / pairs of neighbours of all vertices
};

/// Computes the clustering of the simple undirected graph underlying `graph`: directions are dropped, repeated edges
/// count once, self-loops not at all. Triangles and coefficients depend on the graph alone; the last bits of `average`
/// also on how threads shared the work.
///
/// Cost and memory: as for count_triangles(), and a step for each triangle, 24 bytes a vertex, and 0.5 MiB a thread.
/// Throws usage_error for a directed graph without the rows of its in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API clustering_result clustering(const csr_graph<Vertex>& graph, const run_control& control = {});

namespace needs {
/// Returns the bytes that clustering() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t clustering(const any_graph& graph);
}  // namespace needs

}  // namespace callisto::graph
