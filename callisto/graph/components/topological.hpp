// Topological order: the vertices of an acyclic directed graph so that arcs lead forward.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

template <class Vertex>
struct topological_result {
  machine::page_array<Vertex> order;  ///< the vertices, by layer, then by vertex; empty if there is a cycle
  /// By vertex: the arcs of the longest path that ends there. Arcs lead to higher layers.
  machine::page_array<Vertex> layer;
  std::uint64_t layers = 0;          ///< how many there are: the vertices of the longest path
  std::vector<std::uint64_t> cycle;  ///< if not empty: each vertex has an arc to the next, the last to the first

  bool acyclic() const noexcept { return cycle.empty(); }
};

/// Finds the layers of a directed graph, or a cycle if there is one; a self-loop is a cycle. The result depends on the
/// graph alone.
///
/// Method: Kahn (1962), a layer at a time: all vertices without arcs from vertices left are removed together.
///
/// Cost: two looks at each arc. Memory: needs::topological_order().
/// Reports vertices as progress. Throws usage_error for an undirected graph with edges, or one without the rows of its
/// in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API topological_result<Vertex> topological_order(const csr_graph<Vertex>& graph,
                                                          const run_control& control = {});

namespace needs {
/// Returns the bytes that topological_order() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t topological_order(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
