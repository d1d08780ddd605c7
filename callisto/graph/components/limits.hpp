// The limits of connected components. They change times, never components.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstdint>

namespace callisto::graph {

/// How the sample is found, the vertices that need not look at their arcs.
struct component_limits {
  /// If the hub, the vertex of most arcs, neighbours at least 1 / hub_share of the vertices that have arcs, a search
  /// from it is the sample. The search then spans most of the graph and reads few arcs, because most unreached vertices
  /// find a neighbour of the hub at the first try. Hubs of Kronecker graphs have one in 10 at scale 20; hubs of social
  /// networks have one in 30 and fewer, which is too few.
  static constexpr std::uint64_t hub_share = 24;  ///< share; flat
  /// Vertices ahead for which data is prefetched. Only an end of each row is read, and neighbours lie anywhere, so that
  /// the processor's own prefetching helps little.
  static constexpr std::uint64_t soon = 16;  ///< vertices; flat
};

}  // namespace callisto::graph
