// The k-core decomposition: how deep in the graph every vertex lies.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct kcore_result {
  /// By vertex: the largest k for which it belongs to the k-core, the largest subgraph in which every vertex has at
  /// least k neighbours.
  machine::page_array<std::uint32_t> coreness;
  std::uint32_t degeneracy = 0;  ///< the largest of them
  std::uint64_t innermost = 0;   ///< vertices that have it
};

/// The coreness of every vertex of the simple undirected graph underlying `graph`: directions are dropped, repeated
/// edges count once, self-loops not at all. The result depends on the graph alone.
///
/// Method: peeling (Seidman 1983; Batagelj and Zaversnik 2003): while there are vertices with at most k neighbours left
/// they go, and k grows when there are none. Threads peel a round together and follow what falls to k themselves (PKC:
/// Kabir and Madduri 2017); vertices near k wait in buckets by what they have left (Julienne: Dhulipala, Blelloch and
/// Shun, SPAA'17), so that no round looks at the others.
///
/// Cost: each arc is looked at twice, each vertex once more for every 64 values of k that it outlives. Memory: 4 bytes
/// a vertex for the result, and 4 (8 with 64-bit vertices) for each that is left or waits. Reports vertices as
/// progress. Throws usage_error if a vertex has 2^32 neighbours or a directed graph lacks the rows of its in-edges,
/// cancelled, and std::bad_alloc.
template <class Vertex>
CALLISTO_API kcore_result kcore(const csr_graph<Vertex>& graph, const run_control& control = {});

namespace needs {
/// Bytes that kcore() took at most, beyond the graph, on all graphs tried; its lists have no useful bound.
CALLISTO_API std::uint64_t kcore(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
