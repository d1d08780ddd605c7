// Transitive reduction: the fewest arcs of an acyclic graph that leave all that can be reached.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {

/// The arcs, ascending by their begin, then by their end.
using arc_list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Returns the transitive reduction of an acyclic graph: the arcs (u, v) without another path from u to v (Aho, Garey
/// and Ullman 1972). Repeated arcs count once. `layer`: by vertex, as topological_order() has it.
///
/// Method: for each vertex, a search from its successors in turn, nearest layers first, through layers up to that of
/// the farthest; a successor that was met before is needless. Threads take vertices.
///
/// Cost: at worst n times m; on graphs of narrow reach in proportion to the arcs. Memory:
/// needs::transitive_reduction(). Reports vertices as progress. Throws cancelled, and std::bad_alloc.
template <class Vertex>
CALLISTO_API arc_list transitive_reduction(const csr_graph<Vertex>& graph, const machine::page_array<Vertex>& layer,
                                           const run_control& control = {});

namespace needs {
/// Returns the bytes that transitive_reduction() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t transitive_reduction(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
