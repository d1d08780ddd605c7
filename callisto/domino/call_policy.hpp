// When the leader of a run calls other threads: soon, unless calls of the last runs were in vain.
//
// To call them costs some 100 us of processor time where their contexts work for other jobs by then: the leader and the
// threads that it wakes ask for these, and stop asking at the run's end.
#pragma once

#include <callisto/domino/limits.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace callisto::domino {

/// One thread at a time uses it: the leader of the run.
class call_policy {
 public:
  /// Returns the nanoseconds for which the run that begins works on the leader's thread alone.
  std::uint64_t alone_for() noexcept {
    const bool tries = vain_ != 0 && ++runs_ % domino_limits::runs_to_try == 0;
    return domino_limits::alone_ns << (tries ? 0 : vain_);
  }

  /// Learns from a run that has called threads: how many tasks the leader ran from then on, how many tasks the called
  /// threads have run since the computation was made, how many threads were called, and how long the run took. The
  /// calls were in vain if threads ran less than an eighth of the tasks, or if the leader ran next to none: then a
  /// called thread had the leader's context, and no other one. To a run that takes far longer than longest(), calls
  /// cost nothing that counts.
  void note(std::uint64_t own_tasks, std::uint64_t tasks_of_helpers, unsigned called,
            std::uint64_t nanoseconds) noexcept {
    const std::uint64_t theirs = tasks_of_helpers - std::exchange(seen_, tasks_of_helpers);
    const bool in_vain = theirs == 0 || theirs < own_tasks / 7 || own_tasks < theirs / (8 * std::uint64_t{called});
    vain_ = !in_vain || nanoseconds > 2 * longest() ? 0 : std::min(vain_ + 1, domino_limits::most_vain);
  }

  /// The longest time that a run works alone.
  static std::uint64_t longest() noexcept { return domino_limits::alone_ns << domino_limits::most_vain; }

 private:
  unsigned vain_ = 0;  ///< calls in a row that were in vain
  unsigned runs_ = 0;
  std::uint64_t seen_ = 0;  ///< tasks of helpers until the last note()
};

}  // namespace callisto::domino
