// Triangles and clustering of a dealt graph: oriented rows go round.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/triangles/triangles.hpp>

namespace callisto::cluster {

/// Counts the triangles as graph::count_triangles() does, together with control.among: the same numbers, everywhere.
///
/// 1. Each process ranks its vertices by degree among those of all; vertices with one arc are left out. It orients the
///    rows of its vertices. All processes have the ranks.
/// 2. In as many rounds as there are processes, each gets the oriented rows of another one, and intersects its own rows
///    with these.
///
/// Cost: that of count_triangles(), divided; each process sends its oriented rows to each other one. Memory: 4 bytes a
/// vertex for ranks (8 with 64-bit vertices) and 1 for places; 24 bytes for each own vertex; 4 (8) to 20 (24) bytes for
/// each edge of the process, and the same for one other process. Throws usage_error for a directed graph without the
/// rows of its in-edges; cancelled; std::bad_alloc.
graph::triangles_result count_triangles(const graph::any_graph& graph, const graph::shared_control& control);

/// Computes the clustering as graph::clustering() does, in the same way. All coefficients and triangles where the
/// result is told; elsewhere those of the process' own vertices. The last bits of `average` depend on the number of
/// processes, too. Memory: 16 bytes a vertex more, 16 for each vertex of the result, and 0.5 MiB a thread.
template <class Vertex>
graph::clustering_result clustering(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control);

}  // namespace callisto::cluster
