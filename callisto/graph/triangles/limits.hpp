// The limits of counting triangles. They change times, never counts.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstdint>

namespace callisto::graph {

/// Which way two rows are intersected, and which graphs are ranked first.
struct triangle_limits {
  /// A row is also kept as a bitmap if one bit in this many is set. A word then stands for half a probe or more, and
  /// bitmaps take at most 16 bytes an edge.
  static constexpr std::uint64_t bitmap_share = 128;  ///< bits; flat
  /// Words that are intersected in the time of one probe: 4 with a 64-bit population count, 16 with AVX-512.
  static constexpr std::uint64_t words_per_probe = 8;  ///< words; flat
  /// Graphs in which no vertex has more arcs are not ranked: their rows are merged as they are.
  static constexpr std::uint64_t few_neighbours = 16;  ///< arcs; flat
};

}  // namespace callisto::graph
