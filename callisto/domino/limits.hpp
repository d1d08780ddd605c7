// The limits of Domino. They change times, never which tasks run.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstdint>

namespace callisto::domino {

/// When tasks are walked over instead of queued, how many a thread holds, and when other threads are called.
struct domino_limits {
  /// Time after which a run that has tasks for other threads wakes them.
  static constexpr std::uint64_t alone_ns = 20'000;  ///< ns; flat
  /// alone_ns doubles with each call in vain, at most this many times.
  static constexpr unsigned most_vain = 6;  ///< doublings; bounds what the next run may lose to 1.3 ms
  /// One run of this many calls after alone_ns in spite of calls in vain: threads may have contexts again.
  static constexpr unsigned runs_to_try = 16;  ///< runs; bounds the price of calls in vain to a sixteenth
  /// Fewer indices are never walked over.
  static constexpr std::uint64_t least_walked = 4096;  ///< indices; 1.10 (domino.components)
  /// A phase is dense if one of this many indices is marked: where a walk costs less than a queue of tasks
  /// (docs/results/domino.md).
  static constexpr std::uint64_t dense_share = 16;  ///< share; 1.21 (domino.components)
  /// A thread takes as many tasks into its hold as it runs in this time: other threads can ask for the rest.
  static constexpr std::uint64_t hold_ns = 10'000;  ///< ns; flat
  /// One hold in this many is timed, which costs as much as two or three tasks.
  static constexpr unsigned measured_holds = 8;  ///< holds; 1.11 (domino.components)
};

}  // namespace callisto::domino
