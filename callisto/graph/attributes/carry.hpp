// Columns that follow their vertices and edges into another graph.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <memory>

namespace callisto::graph {

/// Which of the edges that became one gives its values.
enum class giver {
  lightest,  ///< the lightest, of equal weights the first; without weights the first
  heaviest,  ///< the heaviest, of equal weights the first; without weights the first
  first,     ///< the first in the list
  each,      ///< all edges stay: each gives its own
};

/// The ends and weights of listed edges, which a build takes from the list.
template <class Vertex>
struct listed_edges {
  machine::page_array<edge<Vertex>> ends;
  machine::page_array<double> weights;  ///< empty if all weigh the same
};

/// Returns the edges of a list.
template <class Vertex>
listed_edges<Vertex> edges_of_list(const edge_list<Vertex>& list, const run_control& control);

/// Returns the columns of `listed` for the edges of `graph`, which was built from the edges `from`.
template <class Vertex>
std::shared_ptr<const graph_attributes> attributes_of_built(const csr_graph<Vertex>& graph,
                                                            const std::shared_ptr<const graph_attributes>& listed,
                                                            const listed_edges<Vertex>& from, giver which,
                                                            const run_control& control);

/// Returns the columns of `from` for `to`. Vertex v of `from` is vertex now[v] of `to`; a number beyond all vertices if
/// `to` has none. Vertices keep the order of their labels. An empty `now`: vertices keep their numbers.
template <class Vertex>
CALLISTO_API std::shared_ptr<const graph_attributes> carried(const csr_graph<Vertex>& from, const csr_graph<Vertex>& to,
                                                             const machine::page_array<Vertex>& now, giver which,
                                                             const run_control& control);

/// Returns the edges of a graph as a list, with its labels, names and columns, in the order of their numbers. Labels of
/// the graph must ascend with its vertices.
template <class Vertex>
CALLISTO_API edge_list<Vertex> listed(const csr_graph<Vertex>& graph, const run_control& control);

}  // namespace callisto::graph
