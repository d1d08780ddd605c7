// Weights for graphs that have none, as the GAP benchmark draws them.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// The same graph with weights drawn from 1, 2, .. 255 in place of whatever weights it had: uniform, as those of the
/// GAP benchmark are. The weight of an edge depends on the seed and the numbers of its ends alone, of an undirected one
/// whatever their order. Takes 2 bytes for each stored arc. Throws cancelled and std::bad_alloc.
CALLISTO_API any_graph with_random_weights(any_graph&& graph, std::uint64_t seed, const run_control& control = {});

namespace needs {
/// Bytes that with_random_weights() takes: those of the weights.
CALLISTO_API std::uint64_t random_weights(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
