// Communities by several processes, each with the rows of some vertices.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/csr/partners.hpp>

#include <cstdint>

namespace callisto::graph {

/// Finds the communities as communities() does, together with control.among: the same ones, at all processes. Each
/// process decides for the vertices of its rows; the communities of all vertices are replicated. Coarse graphs are
/// divided anew, and replicated once they are small.
///
/// Cost: that of communities(), divided; besides up to 64 exchanges in each round, in which each process gets what all
/// have decided. Memory: needs::communities_among(). Throws as communities(); usage_error also for a directed graph
/// without the rows of its in-edges.
CALLISTO_API communities_result communities_among(const any_graph& graph, const communities_options& options,
                                                  const shared_control& control);

/// Returns the resolution as usual_resolution() does, at all processes; to the last bits, if weights are not whole.
CALLISTO_API double usual_resolution_among(const any_graph& graph, community_quality quality,
                                           const shared_control& control);

namespace needs {
/// Returns the bytes that a process takes at most beyond its part of the graph, its result included.
CALLISTO_API std::uint64_t communities_among(const any_graph& graph, const communities_options& options,
                                             const partners& among) noexcept;
}  // namespace needs

}  // namespace callisto::graph
