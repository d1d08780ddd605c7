// Random weights, distributed as in the GAP benchmark.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// Returns the graph with weights drawn uniformly from 1, 2, .. 255, as in the GAP benchmark; they replace weights that
/// the graph has. The weight of an edge depends on the seed and the numbers of its ends alone; the order of the ends
/// counts only in a directed graph. Memory: 2 bytes for each stored arc. Throws cancelled and std::bad_alloc.
CALLISTO_API any_graph with_random_weights(any_graph&& graph, std::uint64_t seed, const run_control& control = {});

namespace needs {
/// Bytes that with_random_weights() takes beyond the graph: its weights.
CALLISTO_API std::uint64_t random_weights(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
