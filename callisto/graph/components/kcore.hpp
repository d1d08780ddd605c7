// The k-core decomposition: how deep in the graph every vertex lies.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct kcore_result {
  /// By vertex: the largest k such that the k-core has it. The k-core is the largest subgraph in which every vertex has
  /// at least k neighbours.
  machine::page_array<std::uint32_t> coreness;
  std::uint32_t degeneracy = 0;  ///< the largest coreness
  std::uint64_t innermost = 0;   ///< vertices of that coreness
};

/// Computes the coreness of every vertex of the simple undirected graph underlying `graph`: directions are dropped,
/// repeated edges count once, self-loops not at all. The result depends on the graph alone.
///
/// Method: peeling (Seidman 1983; Batagelj and Zaversnik 2003). Vertices with at most k neighbours left are removed;
/// when there are none, k grows. Threads peel a round together, and each goes on with the vertices that its own work
/// brought down to k (PKC: Kabir and Madduri 2017). Vertices near k wait in buckets by their number of neighbours left
/// (Julienne: Dhulipala, Blelloch and Shun, SPAA'17), so that a round looks at no other vertices.
///
/// Cost: two looks at each arc, and one at each vertex for every 64 values of k below its coreness. Memory: 4 bytes a
/// vertex for the result, and 4 (8 with 64-bit vertices) for each vertex that is left or waits. Reports vertices as
/// progress. Throws usage_error if a vertex has nearly 2^32 neighbours or a directed graph lacks the rows of its
/// in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API kcore_result kcore(const csr_graph<Vertex>& graph, const run_control& control = {});

namespace needs {
/// Returns the bytes that kcore() took at most, beyond the graph, on all graphs tried; its lists have no useful bound.
CALLISTO_API std::uint64_t kcore(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
