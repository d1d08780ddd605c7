// Clustering coefficients in which arcs have directions, weights or both.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct valued_clustering_options {
  bool directed = false;  ///< triangles count once for each way to choose directed arcs for their edges
  bool weighted = false;  ///< a triangle counts with the geometric mean of its weights, by the largest weight
};

struct valued_clustering_result {
  machine::page_array<double> coefficients;  ///< by vertex
  double average = 0;                        ///< over all vertices; 0 if there are none
};

/// Computes the clustering coefficient of every vertex, as NetworkX's clustering() does.
///
/// - Directed (Fagiolo, Phys. Rev. E 2007): the number of directed triangles through a vertex, divided by the number of
///   directed triangles that its arcs could be part of: with `d` arcs in either direction and `b` neighbours in both,
///   2 (d (d - 1) - 2 b).
/// - Weighted (Onnela et al., Phys. Rev. E 2005): the sum over its triangles of the cube root of the product of their
///   weights, each divided by the graph's largest, by the pairs of its neighbours.
/// - Both: cube roots in place of ones.
///
/// Loops play no part; of repeated arcs the first counts, which is the lightest. In an undirected graph, and without
/// `directed` also in a directed one, arcs count as edges; of two opposite weighted arcs then the heavier counts. The
/// result depends on the graph alone, to the last bit.
///
/// Method: triangles by the forward algorithm with marks; a triangle adds to its lowest vertex and to two of its edges,
/// which one thread has alone, and vertices add up their edges at the end. Memory: 44 bytes an edge and 24 a vertex,
/// and 4 (8) a vertex and thread. Reports vertices as progress. Throws usage_error if weights are asked for and there
/// are none, and for a directed graph without the rows of its in-edges; weight_error for a weight that is negative or
/// no number; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API valued_clustering_result valued_clustering(const csr_graph<Vertex>& graph,
                                                        const valued_clustering_options& options,
                                                        const run_control& control = {});

namespace needs {
/// Returns the bytes that valued_clustering() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t valued_clustering(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
