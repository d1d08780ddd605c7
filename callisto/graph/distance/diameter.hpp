// The diameter: the largest distance of two vertices, in edges.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>

namespace callisto::graph {

struct diameter_options {
  /// Most searches to do; at least 5 are done in a graph with edges.
  std::uint64_t searches = std::numeric_limits<std::uint64_t>::max();
};

struct diameter_result {
  std::uint32_t lower = 0;  ///< two vertices are so far apart
  std::uint32_t upper = 0;  ///< no two are farther; if it equals `lower`, the diameter is known
  std::uint64_t from = 0;   ///< one of the two vertices that are `lower` apart
  std::uint64_t to = 0;     ///< the second of these vertices
  std::uint64_t searches = 0;
  std::uint64_t vertices = 0;  ///< of the largest component
};

/// Finds the diameter of the largest connected component of `graph`, or bounds of it. Arcs count in both directions. In
/// an empty graph it is 0.
///
/// Method: four sweeps (Magnien, Latapy and Habib 2009; Crescenzi et al. 2013) find two vertices far apart and a vertex
/// midway between them. From the middle, iFUB (Crescenzi, Grossi, Habib, Lanzi and Marino, TCS 2013) searches from the
/// farthest vertices, level by level inwards: two vertices that are both nearer than i are less than 2 i apart. On most
/// real graphs a few dozen searches are enough. Grids and the like take as many as they have vertices, unless
/// options.searches ends it with bounds.
///
/// Memory: that of components() and undirected_bfs(). The bounds depend on the graph and the options alone. Reports
/// searches as progress. Throws usage_error for a directed graph without the rows of its in-edges; cancelled;
/// std::bad_alloc.
template <class Vertex>
CALLISTO_API diameter_result diameter(const csr_graph<Vertex>& graph, const diameter_options& options = {},
                                      const run_control& control = {});

namespace needs {
/// Returns the bytes that diameter() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t diameter(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
