// Vectors of vertices that learn to tell which vertices walks visit near each other: node2vec.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/walks/random_walks.hpp>

#include <cstdint>

namespace callisto::graph {

struct node2vec_options {
  std::uint32_t dimensions = 128;
  walk_options walks = {};     ///< their length, p, q, whether by weight; and the seed of all
  std::uint64_t each = 10;     ///< walks from each vertex
  std::uint32_t window = 10;   ///< steps between near vertices on a walk, at most; nearer vertices make more pairs
  std::uint32_t negative = 5;  ///< vertices drawn at random for each pair, which are not near
  double rate = 0.025;         ///< length of the first steps of learning; later ones fall to nearly 0
};

/// Returns the vectors of all vertices in a row. Vertices that walks visit near each other, or near the same ones, have
/// vectors of large products. The result depends on the graph and the options alone, not on the number of threads.
///
/// Method: node2vec (Grover and Leskovec, KDD'16), that is, walks of second order, and the skip-gram model with
/// negative samples (Mikolov et al. 2013) on them. Vertices are dealt to 16 parts; a pair lies in the cell of both its
/// parts. Cells without a part in common learn at once, each on one thread, with samples of the cell's part (GraphVite:
/// Zhu, Xu, Qu and Tang, WWW'19), so that threads never meet.
///
/// Cost: each * length * window * (1 + negative) products of vectors a vertex, about. Memory: needs::node2vec().
/// Reports walks as progress. Throws usage_error for options out of range; what random_walker throws; cancelled;
/// std::bad_alloc.
template <class Vertex>
CALLISTO_API machine::page_array<float> node2vec(const csr_graph<Vertex>& graph, const node2vec_options& options = {},
                                                 const run_control& control = {});

namespace needs {
/// Returns the bytes that node2vec() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t node2vec(const any_graph& graph, const node2vec_options& options) noexcept;
}  // namespace needs

}  // namespace callisto::graph
