// Triangles and clustering of a dealt graph: oriented rows go round.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/triangles/triangles.hpp>

namespace callisto::cluster {

/// Counts the triangles as graph::count_triangles() does, together with control.among: the same numbers, everywhere.
///
/// 1. All processes rank all vertices by degree; each orients the rows of its vertices.
/// 2. In as many rounds as there are processes, each gets the oriented rows of another one, and intersects its own rows
///    with these.
///
/// Cost: that of count_triangles(), divided; each process sends its oriented rows to each other one. Memory: 16 bytes a
/// vertex for ranks and offsets (24 with 64-bit vertices) and 8 more in a round; 4 (8) to 20 (24) bytes for each edge
/// of the process, and the same for one other process. Throws usage_error for a directed graph without the rows of its
/// in-edges; cancelled; std::bad_alloc.
graph::triangles_result count_triangles(const graph::any_graph& graph, const graph::shared_control& control);

/// Computes the clustering as graph::clustering() does, in the same way. All coefficients where the result is told;
/// elsewhere those of the process' own vertices. The last bits of `average` depend on the number of processes, too.
/// Memory: 24 bytes a vertex more, and 0.5 MiB a thread.
template <class Vertex>
graph::clustering_result clustering(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control);

}  // namespace callisto::cluster
