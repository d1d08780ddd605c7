// The phases of a rank: how they are cancelled, and how all ranks find their end.
#pragma once

#include <callisto/global/messages/activity.hpp>
#include <callisto/global/session/collective_order.hpp>
#include <callisto/global/session/failure.hpp>
#include <callisto/global/session/rank_parts.hpp>
#include <callisto/global/session/wave.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace callisto::global {

/// The end of a phase, over the tree of ranks (wave.hpp):
///
/// 1. *Main:* calls begin(), begins tasks, then waits with expect_end() until is_over().
/// 2. *Core 0 of a quiet rank that has its children's reports:* adds its own sums, and tells its parent
///    (report_if_quiet(), take_report()).
/// 3. *Rank 0:* tells its children of the next wave or of the end (take_next_wave(), take_end()), which tell theirs.
/// 4. *Main, woken:* calls finish(), which returns what failed.
///
/// A failure cancels the phase: the rank that has it tells all other ranks.
class phase_control {
 public:
  phase_control(rank_parts& rank, collective_order& order) noexcept : rank_(rank), order_(order), search_(rank.tree) {}

  // Main's steps.
  void begin();
  void expect_end();
  bool is_over();
  phase_failure finish();

  /// True between begin() and finish(), as a hint.
  bool is_running() const noexcept;
  /// Keeps a failure, if it is of a lower rank than what is known, and cancels the phase that runs.
  void note_failure(phase_failure failure);
  /// Cancels the phase that runs, in all ranks.
  void broadcast_cancel();
  /// Reports to the parent, or decides, if the rank is quiet. True if so. Core 0.
  bool report_if_quiet();
  /// Appends what main waits for, in a line that begins with `me`. Under the rank's lock.
  void describe(std::string& text, const std::string& me) const;

 private:
  bool cancel(std::uint64_t of);
  void show_cancelled();
  std::uint64_t running_phase() const;
  void take_report(int child, const told_collective& at, const activity_sums& sums, phase_failure failure);
  void take_next_wave();
  void take_end(phase_failure failure);
  void tell_children_next();
  void tell_children_end(const phase_failure& failure);

  rank_parts& rank_;
  collective_order& order_;
  std::atomic<bool> runs_{false};
  // Under the rank's lock:
  std::uint64_t phase_ = 0;  ///< the phase that runs, or the next one
  bool waiting_ = false;     ///< main waits for the end
  bool over_ = false;        ///< the phase that main waits for has ended
  wave search_;
  phase_failure failure_;                         ///< in `phase_`: the lowest rank's, as far as this rank knows
  phase_failure outcome_;                         ///< of the phase that is over
  phase_failure next_failure_;                    ///< in the next phase, which other ranks have begun
  std::optional<std::uint64_t> cancelled_phase_;  ///< the last one
};

}  // namespace callisto::global
