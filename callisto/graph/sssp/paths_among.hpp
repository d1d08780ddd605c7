// Parents and paths for searches by several processes.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/sssp/paths.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace callisto::graph {

/// Finds the parents as shortest_path_parents() does, together with control.among: each process finds those of its
/// vertices; all parents come to the process that tells. The weights are at least 0, and every process has all
/// distances. If only arcs without length lead to vertices, the process that tells gets these arcs.
template <class Vertex>
CALLISTO_API parent_map<Vertex> shortest_path_parents_among(const csr_graph<Vertex>& graph, std::uint64_t source,
                                                            const distance_map& distances,
                                                            const shared_control& control);

/// Returns what paths_to() returns if its first search, on one thread, gets to all targets; nothing if it does not.
template <class Vertex>
CALLISTO_API std::optional<target_paths> paths_nearby(const csr_graph<Vertex>& graph, std::uint64_t source,
                                                      std::span<const std::uint64_t> targets);

}  // namespace callisto::graph
