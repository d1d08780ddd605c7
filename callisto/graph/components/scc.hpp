// Strongly connected components: which vertices reach each other.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

namespace callisto::graph {

/// The strongly connected components of `graph`: two vertices are in one if there are paths from each to the other. Of
/// an undirected graph they are its connected components. The result depends on the graph alone.
///
/// Method, as most graphs have one large component and many of one vertex (Hong, Rodia and Olukotun, SC'13): vertices
/// without arcs from or to others are trimmed while that gets rid of many; what the vertex of most arcs reaches and is
/// reached by, found by two breadth-first searches, is one component (forward-backward: Fleischer, Hendrickson and
/// Pinar, 2000); the rest is left to Tarjan's algorithm (1972), which is sequential.
///
/// Cost: about two breadth-first searches, and a sequential look at the arcs of the vertices that are left. Memory: 4
/// bytes a vertex for the result (8 with 64-bit vertices), and 29 (41) while it works. Reports vertices as progress.
/// Throws usage_error for a directed graph without the rows of its in-edges, cancelled, and std::bad_alloc.
template <class Vertex>
CALLISTO_API component_map<Vertex> strong_components(const csr_graph<Vertex>& graph, const run_control& control = {});

namespace needs {
/// Bytes that strong_components() and component_sizes() take at most beyond the graph, their results included.
CALLISTO_API std::uint64_t strong_components(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
