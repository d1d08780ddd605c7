// The limits of PageRank. They change times, and the order in which rounding errors add up.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstdint>

namespace callisto::graph {

/// How the vertices are cut into blocks, and when a sweep may be the last.
struct pagerank_limits {
  /// A graph of few vertices has at least this many blocks, if they do not become too small: work for all threads.
  static constexpr std::uint64_t least_blocks = 64;  ///< blocks; 1.23 (pagerank.grid)
  /// Vertices of a block: the least, the most where that makes few blocks, and the most in any graph. In large blocks
  /// more arcs stay inside; small ones give work to more threads.
  static constexpr std::uint64_t least_block = 64;    ///< vertices; 1.19 (pagerank.grid)
  static constexpr std::uint64_t usual_block = 1024;  ///< vertices; 1.11 (pagerank.grid)
  static constexpr std::uint64_t most_block = 4096;   ///< vertices; flat
  /// A block with more than this share of the arcs, such as that of the hubs where these come first, would keep other
  /// threads waiting: it is cut into least ones.
  static constexpr std::uint64_t heavy_share = 64;  ///< share; 1.13 (pagerank.grid)
  /// A sum over the vertices is made of the sums of blocks: vertices of a block, at least, and blocks, at most. The
  /// caller adds the sums of blocks one by one.
  static constexpr std::uint64_t least_sum_block = 64;      ///< vertices; 1.30 (pagerank.grid)
  static constexpr std::uint64_t most_sum_blocks = 65'536;  ///< blocks; flat
  /// If a change is this many times the tolerance, the next sweep may be the last.
  static constexpr double near_tolerance = 4;  ///< factor; flat
};

}  // namespace callisto::graph
