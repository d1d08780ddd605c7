// The limits of sharing: how jobs divide contexts, take turns, and stand aside. They change times, never which jobs may
// run. All jobs of a machine have the same values: they compute the same slices.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstdint>

namespace callisto::cosched {

/// Slices, thresholds and windows. Times are in nanoseconds.
struct sharing_limits {
  /// A time slice is long beside a hand-over and the caches that it costs.
  static constexpr std::uint64_t longest_turn = 25'000'000;  ///< ns; 1.54 (sharing.turns.99)
  /// A round is short beside the second in which each job is to have at least half of its share, also when jobs come
  /// and go, which shifts the slices, and when a job that does not answer wastes some. Slices are shorter where many
  /// jobs wait (64 jobs on 2 contexts: 6 ms of 200).
  static constexpr std::uint64_t longest_round = 200'000'000;  ///< ns; 1.54 (sharing.turns.99)
  /// The least slice for any weight: time enough for the job's thread to wake, for the previous job's thread to leave,
  /// and for useful work.
  static constexpr std::uint64_t least_turn = 4'000'000;  ///< ns; flat
  /// How often a job that waits for a busy holder checks that the holder is alive. Survivors get the contexts of a dead
  /// job within 100 ms.
  static constexpr std::uint64_t watch_period = 50'000'000;  ///< ns; 1.17 (sharing.crowd.99)
  /// The window over which the rate of a job's own use counts.
  static constexpr std::uint64_t own_window = 100'000'000;  ///< ns; 1.81 (sharing.turns.99)
  /// The window of a job with a small share is longer, by this: it has eight slices of the system's in it, some 3 ms
  /// each, since in a window of one a job is idle or greedy by chance.
  static constexpr std::uint64_t own_slices = 25'000'000;  ///< ns; 1.81 (sharing.turns.99)
  /// But it is at most this long.
  static constexpr std::uint64_t longest_own_window = 1'000'000'000;  ///< ns; flat
  /// The window of the outsiders' use. The kernel counts busy time in ticks of 10 ms.
  static constexpr std::uint64_t outsiders_window = 300'000'000;  ///< ns; 1.27 (sharing.crowd.99)
  /// The window of a light job without a thread that has nothing to do: one of 200 loops, one each 5 ms, waits.
  static constexpr std::uint64_t light_window = 1'200'000'000;  ///< ns; 3.73 (sharing.asleep.99)
  /// The part of its share that a job must use to be no light one. Two thresholds, so that a job near them does not
  /// change its mind often.
  static constexpr double heavy_above = 0.5;  ///< share; 6.23 (sharing.turns.99)
  /// A light job uses less than this part: one that uses half of its share already keeps other jobs waiting for a good
  /// part of the time.
  static constexpr double light_below = 0.25;  ///< share; 2.05 (sharing.turns.99)
  /// A job stands aside if outsiders use more than this number of its contexts: a thread that outsiders hold up holds
  /// up its loop, however many threads the loop has.
  static constexpr double outsiders_contexts = 2.4;  ///< contexts; flat
  /// But that is at most this share of its contexts: of few contexts the number above would be all.
  static constexpr double most_outsiders = 0.15;  ///< share; 1.11 (sharing.turns.99)
  /// And at least this share: of many contexts the number above is less than what busy time is known to.
  static constexpr double least_outsiders = 0.05;  ///< share; flat
  /// The most jobs that take turns on a context: as many as have slices of the longest length.
  static constexpr double most_turns = 8;  ///< jobs; 4.17 (sharing.turns.99)
  /// Processor time of a process at rest in a time of P_low: its waiting threads wake now and then.
  static constexpr std::uint64_t looking_up = 100'000;  ///< ns; not simulated
};

}  // namespace callisto::cosched
