// Connected components of a dealt graph: a forest a rank, merged in pairs.
#pragma once

#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>

namespace callisto::cluster {

/// Finds the components as graph::components() does, together with control.among: the same map, where the result is
/// told; elsewhere it has no meaning.
///
/// 1. Each process joins the ends of the arcs in its rows in a forest over all vertices.
/// 2. In rounds, every second process sends its forest to the one before, which joins it to its own.
///
/// Cost: one look at every arc, and log2(processes) rounds of at most two vertices a vertex. Memory: one vertex number
/// a vertex, and two more for each forest that arrives.
template <class Vertex>
graph::component_map<Vertex> components(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control);

}  // namespace callisto::cluster
