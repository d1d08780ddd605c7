// Connected components: which vertices are connected by paths.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {

/// By vertex: the smallest vertex of its component.
template <class Vertex>
using component_map = machine::page_array<Vertex>;

/// Finds the connected components of `graph`; of a directed one the weakly connected components, in which arcs count in
/// both directions. The result depends on the graph alone.
///
/// Method: sampling, then finishing (ConnectIt: Dhulipala, Hong and Shun, VLDB'21). If a vertex of an undirected graph
/// neighbours many of all other vertices, a direction-optimizing search from it is the sample. Otherwise each vertex
/// first joins its smallest and its largest neighbour; Afforest (Sutton, Ben-Nun and Barak, IPDPS'18) joins the first
/// two, which more often lead to the same set. The finish joins all neighbours of the vertices outside the largest
/// component known by then, in a forest; trees hang from their smallest vertices (Shiloach and Vishkin 1982).
///
/// Cost: about a breadth-first search. Memory: 4 bytes a vertex for the result (8 with 64-bit vertices), and what bfs()
/// needs. Reports vertices as progress. Throws usage_error for a directed graph without the rows of its in-edges;
/// cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API component_map<Vertex> components(const csr_graph<Vertex>& graph, const run_control& control = {});

/// Returns the components of a map, each as its smallest vertex and its number of vertices: largest first, equal ones
/// by vertex. Takes 8 bytes a vertex.
template <class Vertex>
CALLISTO_API std::vector<std::pair<std::uint64_t, std::uint64_t>> component_sizes(const component_map<Vertex>& map,
                                                                                  const run_control& control = {});

namespace needs {
/// Returns the bytes that components() and component_sizes() take at most beyond the graph, their results included.
CALLISTO_API std::uint64_t components(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
