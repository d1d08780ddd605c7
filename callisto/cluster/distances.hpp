// Distances in a dealt graph: 64 searches at once, a bit for each.
#pragma once

#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/distance/distances.hpp>

namespace callisto::cluster {

/// Samples the distances as graph::sample_distances() does, together with control.among: the same numbers, everywhere.
/// `map`: the components, at all processes.
///
/// Up to 64 searches go from level to level together: each process looks at the arcs of its vertices that some search
/// has not reached, and all processes share what was reached.
///
/// Cost: for each 64 sources and each level, a look at such arcs, and 8 bytes a vertex to each process. Memory: 8 bytes
/// a vertex, and 16 for each vertex of the process. Throws usage_error for a directed graph without the rows of its
/// in-edges; cancelled; std::bad_alloc.
template <class Vertex>
graph::distance_sample sample_distances(const graph::csr_graph<Vertex>& graph, const graph::component_map<Vertex>& map,
                                        const graph::distances_options& options, const graph::shared_control& control);

}  // namespace callisto::cluster
