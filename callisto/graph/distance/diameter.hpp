// The diameter: how many edges the two vertices farthest apart are apart.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>

namespace callisto::graph {

struct diameter_options {
  /// Searches to do at most; at least 5 are done on a graph with edges.
  std::uint64_t searches = std::numeric_limits<std::uint64_t>::max();
};

struct diameter_result {
  std::uint32_t lower = 0;  ///< there are two vertices so far apart
  std::uint32_t upper = 0;  ///< and none farther: the diameter is known if this is no larger
  std::uint64_t from = 0;   ///< one of these two vertices
  std::uint64_t to = 0;     ///< the other
  std::uint64_t searches = 0;
  std::uint64_t vertices = 0;  ///< of the component
};

/// The diameter of the largest connected component of `graph`, arcs counting in either direction; of an empty graph 0.
///
/// Method: four sweeps (Magnien, Latapy and Habib 2009; Crescenzi et al. 2013) find two vertices far apart and one
/// midway between them. From that one iFUB (Crescenzi, Grossi, Habib, Lanzi and Marino, TCS 2013) searches from the
/// vertices farthest from it, level by level inwards: two vertices that are both nearer than i are less than 2 i apart.
/// On most real graphs a few dozen searches are enough; on grids and the like it takes as many as there are vertices,
/// unless options.searches ends it with bounds.
///
/// Memory: what components() and undirected_bfs() need. The bounds depend on the graph and the options alone. Reports
/// searches as progress. Throws usage_error for a directed graph without the rows of its in-edges, cancelled, and
/// std::bad_alloc.
template <class Vertex>
CALLISTO_API diameter_result diameter(const csr_graph<Vertex>& graph, const diameter_options& options = {},
                                      const run_control& control = {});

namespace needs {
/// Bytes that diameter() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t diameter(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
