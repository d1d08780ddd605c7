// Brandes' algorithm for edges, with paths that count arcs.
#pragma once

#include <callisto/graph/betweenness/scale.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Sums the dependencies of the pairs from `sources` on arcs; with `squares` their squares, too. A thread searches from
/// one source at a time. Of repeated arcs it uses the first. The graph has less than 2^32 - 1 vertices and its in-rows.
/// Throws cancelled.
template <class Vertex>
source_sums search_edges(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources, bool squares,
                         const run_control& control);

/// Returns the bytes that these searches take at most.
std::uint64_t bytes_for_edges(const any_graph& graph, bool squares) noexcept;

}  // namespace callisto::graph
