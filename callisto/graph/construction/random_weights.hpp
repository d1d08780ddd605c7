// Random weights, distributed as in the GAP benchmark.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <utility>

namespace callisto::graph {

/// Returns the graph with weights drawn uniformly from 1, 2, .. 255, as in the GAP benchmark; they replace weights that
/// the graph has. The weight of an edge depends on the seed and the numbers of its ends alone; the order of the ends
/// counts only in a directed graph. Memory: 2 bytes for each stored arc. Throws cancelled and std::bad_alloc.
CALLISTO_API any_graph with_random_weights(any_graph&& graph, std::uint64_t seed, const run_control& control = {});

/// The meaning of the entries of rows.
struct arc_meaning {
  bool directed = false;
  bool reversed = false;  ///< row v holds the sources of arcs to v, not the targets of arcs from v
};

/// Returns the weights that with_random_weights() gives to the arcs in the rows of the vertices [of.first, of.second).
/// Throws cancelled and std::bad_alloc.
template <class Vertex>
CALLISTO_API weight_array::short_form draw_random_weights(const adjacency<Vertex>& rows,
                                                          const std::pair<std::uint64_t, std::uint64_t>& of,
                                                          arc_meaning meaning, std::uint64_t seed,
                                                          const run_control& control);

namespace needs {
/// Bytes that with_random_weights() takes beyond the graph: its weights.
CALLISTO_API std::uint64_t random_weights(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
