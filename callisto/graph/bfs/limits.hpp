// The limits of breadth-first search. They change times and parents, never distances.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <callisto/loop/loop_cost.hpp>

#include <cstdint>

namespace callisto::graph {

/// When a level is searched in which way.
struct bfs_limits {
  /// A bottom-up level looks at every vertex. It pays only if more than vertices/beta arcs leave the frontier (Beamer
  /// et al., section 5).
  static constexpr std::uint64_t beta = 24;  ///< share; flat
  /// It pays only if more than a share 1/alpha of the unexplored arcs leave the frontier. The paper has 14. Here the
  /// level before a bottom-up one is a flood, which costs less than a top-down level, so that 6 is best
  /// (docs/notebook/2026-11-23-instructions-not-pages.md).
  static constexpr std::uint64_t alpha = 6;  ///< share; 1.74 (bfs.kronecker)
  /// Arcs that one thread follows alone. Alone it claims no vertex by an atomic instruction, and finds in its
  /// own cache what it wrote a level before.
  static constexpr std::uint64_t few_arcs = 2 * loop::loop_cost;  ///< arcs; flat
  /// After this many consecutive levels of at most `few_arcs` arcs, more are expected, and levels run in supersteps.
  static constexpr std::uint32_t small_levels = 16;  ///< levels; flat
  /// Vertices of a level with which supersteps begin and end. With fewer, one thread alone is faster.
  static constexpr std::uint64_t least_to_begin_supersteps = 192;  ///< vertices; 1.19 (bfs.grid)
  static constexpr std::uint64_t least_to_go_on = 96;              ///< vertices; 1.15 (bfs.grid)
  /// Supersteps end if a level has more vertices than this, or `growth` times as many as the first: the graph's middle
  /// may be worth a bottom-up search.
  static constexpr std::uint64_t most_in_supersteps = 32'768;  ///< vertices; flat
  static constexpr std::uint64_t growth = 4;                   ///< factor; flat
  /// Supersteps of one loop: a fraction of a millisecond. Between loops threads may leave for other jobs, and join.
  static constexpr std::uint64_t supersteps_of_loop = 64;  ///< supersteps; flat
  /// Entries of a level that a thread of supersteps takes at a time: about 0.2 us that other threads may wait.
  static constexpr std::uint64_t superstep_piece = 16;  ///< entries; flat
  /// Supersteps that a search in straight lines prefetches ahead. One superstep or six vertices ahead is too late
  /// (docs/notebook/2026-11-24-bfs-straight-on.md).
  static constexpr std::uint64_t rounds_ahead = 5;  ///< supersteps; flat
  /// More threads find nothing to do in levels of these sizes.
  static constexpr unsigned most_threads_in_supersteps = 16;  ///< threads; flat
};

}  // namespace callisto::graph
