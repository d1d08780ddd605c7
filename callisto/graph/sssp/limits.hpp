// The limits of shortest paths. They change times, never distances.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <callisto/loop/loop_cost.hpp>

#include <cstdint>

namespace callisto::graph {

/// How delta-stepping chooses its buckets, and which phase relaxes what.
struct delta_limits {
  /// Arcs of a vertex, on average, from which on splitting off heavy arcs pays: shorter paths exist than along the
  /// heaviest four fifths of the arcs.
  static constexpr double least_degree_to_split = 12;  ///< arcs; 1.71 (sssp.kronecker)
  /// The share of arcs that are light where they are split. Tuned on Kronecker and uniform graphs of scale 20.
  static constexpr double share_of_light_arcs = 0.2;  ///< share; 1.29 (sssp.kronecker)
  /// Arcs of a vertex that are no heavier than the width of a bucket, on average (Meyer and Sanders, section 5: the
  /// width is in inverse proportion to the degree).
  static constexpr double arcs_within_bucket = 0.5;  ///< arcs; 1.23 (sssp.kronecker)
  /// Arcs that one thread relaxes alone: less work than sharing it would take.
  static constexpr double few_arcs = loop::loop_cost;  ///< arcs; flat
  /// Phase 1 relaxes up to this share of the arcs with the unsplit rows: many sources reach little. Heavy arcs take
  /// part, since the source's only arc may be heavy.
  static constexpr std::uint64_t arcs_before_preparing = 512;  ///< share; flat
  /// Phase 2 relaxes up to this share: in a directed graph many sources reach a part only. If the search has come
  /// farther than a light arc weighs, as on web graphs, heavy arcs lie on shortest paths, and splitting would save
  /// little.
  static constexpr std::uint64_t arcs_before_gathering = 8;  ///< share; flat
  /// Factor of the width of buckets in a search that goes on with unsplit rows: narrower ones would hold too few
  /// entries for several threads.
  static constexpr double wider = 8;  ///< factor; flat
  /// Entries of a bucket that is emptied in supersteps (supersteps.hpp), in graphs below `least_degree_to_split`. With
  /// fewer entries one thread alone is faster. With more the cost of a loop is small. Above that degree some vertices
  /// have very many arcs, which loops share more evenly.
  static constexpr std::uint64_t least_to_begin_supersteps = 64;  ///< entries; flat
  static constexpr std::uint64_t least_to_go_on = 32;             ///< entries; flat
  static constexpr std::uint64_t most_in_supersteps = 32'768;     ///< entries; flat
  /// More threads find nothing to do in buckets of these sizes.
  static constexpr unsigned most_threads_in_supersteps = 16;  ///< threads; flat
  /// Entries of a bucket that is not copied together.
  static constexpr std::uint64_t least_in_place = 4096;  ///< entries; flat
  /// Vertices and arcs that the leader looks at alone.
  static constexpr std::uint64_t vertices_for_one = loop::loop_cost;  ///< vertices; flat
  static constexpr std::uint64_t arcs_for_one = 4 * loop::loop_cost;  ///< arcs; 1.11 (sssp.grid)
};

}  // namespace callisto::graph
