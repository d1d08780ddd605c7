// Eccentricities: how far away the farthest vertex is, from every vertex.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>

namespace callisto::graph {

/// Which way paths follow arcs.
enum class path_direction { both, out, in };

struct eccentricity_options {
  path_direction along = path_direction::both;
  bool weighted = false;  ///< a path is as long as its weights' sum; otherwise as its number of arcs
};

struct eccentricity_result {
  /// By vertex: the largest of the distances from it to the vertices that it reaches; with path_direction::in, of the
  /// distances to it.
  machine::page_array<double> eccentricities;
  double diameter = 0;          ///< the largest
  double radius = 0;            ///< the smallest in the largest component: a weak one for `both`, else a strong one
  std::uint64_t periphery = 0;  ///< vertices with the largest
  std::uint64_t center = 0;     ///< vertices with the smallest in that component
  machine::page_array<char> central;  ///< by vertex: 1 for vertices that `center` counts
  std::uint64_t searches = 0;
};

/// Finds the eccentricity of every vertex. Distances to vertices that are not reached do not count; so the
/// eccentricities of a graph that is not connected are the eccentricities of its components.
///
/// Methods:
/// - Paths along arcs of either direction: the bounding algorithm of Takes and Kosters (Algorithms 2013). A search from
///   v bounds the eccentricity of each w: it is at least the distance of v and w, and ecc(v) less that distance; at
///   most ecc(v) and that distance. Searches begin by turns at the largest upper and the smallest lower bound, until
///   bounds meet. On most real graphs some hundred searches suffice.
/// - Vertices that bounds do not settle soon, small components, and paths in one direction: a search from each vertex,
///   64 at once on each thread (MS-BFS: Then et al., PVLDB'14).
/// - Weighted: the same with delta-stepping in undirected graphs, and Dijkstra's algorithm, a search a thread. If
///   weights are not whole, results may be off by a 1e-12th.
///
/// Memory: 25 bytes a vertex, and for searches what bfs() or sssp() need and 28 bytes a vertex and thread. Reports
/// vertices as progress. Throws usage_error if weights are asked for and there are none, and for a directed graph
/// without the rows of its in-edges; weight_error for a negative weight; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API eccentricity_result eccentricities(const csr_graph<Vertex>& graph,
                                                const eccentricity_options& options = {},
                                                const run_control& control = {});

namespace needs {
/// Returns the bytes that eccentricities() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t eccentricities(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
