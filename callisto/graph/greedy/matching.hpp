// A maximal matching: edges of which no two share a vertex, and to which none can be added.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>

namespace callisto::graph {

struct matching_options {
  bool heaviest_first = false;  ///< take edges by falling weight; otherwise weights play no part
  std::uint64_t seed = 1;       ///< of the order of edges, or of edges of equal weight
};

template <class Vertex>
struct matching_result {
  static constexpr Vertex single = std::numeric_limits<Vertex>::max();

  machine::page_array<Vertex> partners;  ///< by vertex: the other end of its edge; single: it has none
  std::uint64_t edges = 0;
  double weight = 0;  ///< of these edges, 1 each in a graph without weights; repeated edges count with the heaviest
  std::uint64_t rounds = 0;
};

/// Finds the matching that a sequential loop over the edges finds, in a random order or by falling weight: an edge is
/// taken unless one of its ends is matched. Heaviest first, its weight is at least half of the largest possible one
/// (Avis 1983); either way it has at least half as many edges as the largest matching. Directions and loops play no
/// part.
///
/// Method: locally first edges (Preis 1999; Manne and Bisseling 2007; Blelloch, Fineman and Shun, SPAA'12). Each vertex
/// points along its first edge to an unmatched neighbour; vertices that point at each other are matched, and vertices
/// that pointed at them choose again. The result depends on the graph and the options alone.
///
/// Memory: 12 bytes a vertex (24 with 64-bit vertices). Reports vertices as progress. Throws usage_error if
/// heaviest_first is asked for and the graph has no weights, and for a directed graph without the rows of its in-edges;
/// weight_error for a weight that is negative or no number; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API matching_result<Vertex> maximal_matching(const csr_graph<Vertex>& graph,
                                                      const matching_options& options = {},
                                                      const run_control& control = {});

namespace needs {
/// Returns the bytes that maximal_matching() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t maximal_matching(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
