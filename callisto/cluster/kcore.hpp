// The k-core decomposition of a dealt graph.
#pragma once

#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>

namespace callisto::cluster {

/// Finds the coreness of every vertex as graph::kcore() does, together with control.among: the same numbers. All of
/// them where the result is told; elsewhere those of the process' own vertices. The sums are everywhere.
///
/// 1. Each process peels its own vertices of at most k neighbours left, until it has none.
/// 2. For each other vertex that lost neighbours, it tells the process that has it how many.
/// 3. If that brought no vertex down to k, k grows to the least number of neighbours left.
///
/// Cost: two looks at each arc, and three exchanges a round. Memory: 8 bytes a vertex, and 4 (8 with 64-bit vertices)
/// for each own vertex that is left or waits. Throws as graph::kcore() does.
template <class Vertex>
graph::kcore_result kcore(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control);

}  // namespace callisto::cluster
