// Checks of biconnected components and topological orders.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/components/biconnected.hpp>
#include <callisto/graph/components/topological.hpp>
#include <callisto/graph/components/transitive_reduction.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>

namespace callisto::graph {

// Each check throws wrong_result if the result is wrong.

/// Checks blocks by the depth-first search of Hopcroft and Tarjan (1973). Takes 40 bytes an edge and 30 a vertex.
template <class Vertex>
CALLISTO_API void verify_biconnected(const csr_graph<Vertex>& graph, const biconnected_result<Vertex>& result);

/// Checks that the order has each vertex once and all arcs lead forward, and that each vertex of a layer but the first
/// has an arc from the layer before; or that the cycle's arcs exist.
template <class Vertex>
CALLISTO_API void verify_topological_order(const csr_graph<Vertex>& graph, const topological_result<Vertex>& result);

/// Checks that the reduction has arcs of the graph alone; and of up to `checked` vertices, spread evenly, that it
/// reaches what the graph reaches from them, and none of their arcs' ends without that arc.
template <class Vertex>
CALLISTO_API void verify_transitive_reduction(const csr_graph<Vertex>& graph, const arc_list& reduction,
                                              std::uint64_t checked);

}  // namespace callisto::graph
