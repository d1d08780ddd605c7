// Shortest paths where weights may be negative: the algorithm of Bellman and Ford.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/sssp/sssp.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

struct bellman_ford_result {
  /// Distances as of sssp(); `eccentricity` is the largest distance, `relaxations` the arcs looked at.
  sssp_result paths;
  /// A cycle with a negative sum of weights that the source reaches, each vertex followed by its successor; the
  /// distances mean nothing then. Empty if there is none.
  std::vector<std::uint64_t> negative_cycle;
  std::uint64_t rounds = 0;
};

/// Finds the least sum of weights on a path from `source` to each vertex; weights may be negative. An undirected edge
/// of negative weight is a negative cycle: it can be walked to and fro.
///
/// Method: Bellman (1958) and Ford (1956), in rounds: the vertices with distances that have changed relax their arcs,
/// in parallel. A round uses the distances at its beginning, so that rounds, distances and the cycle depend on the
/// graph alone. After 64 rounds vertices also keep parents. A cycle among the parents is a negative cycle (Cherkassky
/// and Goldberg, Math. Programming 1999); it is looked for whenever the rounds have doubled.
///
/// A cycle counts as negative only if the sum of its weights, added up in long double, is.
///
/// Time: arcs times the arcs of the longest shortest path at most. Memory: 8 bytes a vertex, which become the result,
/// and 24 for each vertex that a round changes. Throws usage_error if `source` is not a vertex; weight_error for a
/// weight that is infinite or no number; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API bellman_ford_result bellman_ford(const csr_graph<Vertex>& graph, std::uint64_t source,
                                              const run_control& control = {});

}  // namespace callisto::graph
