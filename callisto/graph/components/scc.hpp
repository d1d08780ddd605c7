// Strongly connected components: which vertices reach each other.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

namespace callisto::graph {

/// Finds the strongly connected components of `graph`: two vertices are in one if there is a path from each vertex to
/// the other vertex. Of an undirected graph they are its connected components. The result depends on the graph alone.
///
/// Method, for graphs with one large component and many of one vertex (Hong, Rodia and Olukotun, SC'13):
/// 1. Trim vertices without arcs from other vertices, or to other vertices, while a round trims many.
/// 2. The vertex of most arcs is in a large component: the vertices that it reaches and is reached by, found by two
///    breadth-first searches (forward-backward: Fleischer, Hendrickson and Pinar, 2000).
/// 3. Tarjan's algorithm (1972), which is sequential, does the rest.
///
/// Cost: about two breadth-first searches, and a sequential look at the arcs of the vertices left. Memory: 4 bytes a
/// vertex for the result (8 with 64-bit vertices), and 29 (41) at work. Reports vertices as progress. Throws
/// usage_error for a directed graph without the rows of its in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API component_map<Vertex> strong_components(const csr_graph<Vertex>& graph, const run_control& control = {});

namespace needs {
/// Returns the bytes that strong_components() and component_sizes() take at most beyond the graph, results included.
CALLISTO_API std::uint64_t strong_components(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
