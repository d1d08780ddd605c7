// The phases of a rank: how they are cancelled, and how all ranks find their end.
#pragma once

#include <callisto/global/messages/activity.hpp>
#include <callisto/global/session/collective_order.hpp>
#include <callisto/global/session/failure.hpp>
#include <callisto/global/session/phase_protocol.hpp>
#include <callisto/global/session/rank_parts.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace callisto::global {

/// The phases of a rank, by the steps of phase_protocol. A failure cancels the phase: the rank that has it tells all
/// other ranks.
class phase_control {
 public:
  phase_control(rank_parts& rank, collective_order& order) noexcept;

  // Main's steps.
  void begin() { steps_.begin(); }
  void expect_end() { steps_.expect_end(); }
  bool is_over() { return steps_.is_over(); }
  phase_failure finish() { return steps_.finish(); }

  /// True between begin() and finish(), as a hint.
  bool is_running() const noexcept { return steps_.is_running(); }
  /// Keeps a failure, if it is of a lower rank than what is known, and cancels the phase that runs.
  void note_failure(phase_failure failure);
  /// Cancels the phase that runs, in all ranks.
  void broadcast_cancel();
  /// Reports to the parent, or decides, if the rank is quiet. True if so. Core 0.
  bool report_if_quiet();
  /// Appends what main waits for, in a line that begins with `me`. Under the rank's lock.
  void describe(std::string& text, const std::string& me) const;

 private:
  /// The rank, as phase_protocol asks for it.
  class hands {
   public:
    using failure = phase_failure;

    hands(rank_parts& rank, collective_order& order) noexcept : rank_(rank), order_(order) {}

    std::mutex& lock() noexcept { return rank_.lock; }
    std::optional<activity_sums> quiet();
    std::uint32_t latest_phase() const noexcept;
    void hear_of_phase(std::uint32_t phase) noexcept { rank_.context.hear_of_phase(phase); }
    void show_cancelled(bool is_cancelled) noexcept;
    void report(const activity_sums& sums, const phase_failure& of);
    void tell_next();
    void tell_end(const phase_failure& of);
    void nudge() { rank_.cores[0]->nudge(); }
    void wake_main() { wake(rank_.cores[0]->root()); }

   private:
    rank_parts& rank_;
    collective_order& order_;
    told_collective in_;  ///< main's operation when the rank was quiet
  };

  rank_parts& rank_;
  collective_order& order_;
  hands hands_;
  phase_protocol<machine::native, hands> steps_;
};

}  // namespace callisto::global
