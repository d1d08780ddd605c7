// Checks of shortest paths with parents, of paths to targets, and of negative cycles.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/sssp/bellman_ford.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>
#include <span>

namespace callisto::graph {

/// Checks distances and parents, of weights of any sign, by what only shortest paths fulfil: no arc leads to a vertex
/// faster than its distance; each parent's arc is as long as the two distances differ; parents lead to the source.
/// Takes a byte a vertex. Throws wrong_result.
template <class Vertex>
CALLISTO_API void verify_shortest_paths(const csr_graph<Vertex>& graph, std::uint64_t source,
                                        const distance_map& distances, const parent_map<Vertex>& parents);

/// Checks paths to targets: arcs of the graph that add up to the distance, which is that of Dijkstra's algorithm with a
/// heap. Takes 8 bytes a vertex. Throws wrong_result.
template <class Vertex>
CALLISTO_API void verify_target_paths(const csr_graph<Vertex>& graph, std::uint64_t source,
                                      std::span<const std::uint64_t> targets, const target_paths& result);

}  // namespace callisto::graph
