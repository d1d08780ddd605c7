// The steps by which all ranks begin, cancel and end their phases.
#pragma once

#include <callisto/global/messages/activity.hpp>
#include <callisto/global/session/wave.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace callisto::global {

/// The end of a phase, over the tree of ranks (wave.hpp). `Rank` is the rank:
///
///   failure                 a type: the first exception of a phase, of the lowest rank; take(failure) keeps the first
///   lock()                  the lock of all below
///   quiet()                 the sums of the rank if it has no task (quiet_sums())
///   latest_phase(), hear_of_phase(p)   the latest phase that the rank has heard of, modulo 2^32
///   show_cancelled(b)       tells tasks whether their phase is cancelled
///   report(sums, failure)   lets take_report() be called at the parent; likewise:
///   tell_next()             take_next_wave() at the children
///   tell_end(failure)       take_end() at the children
///   nudge(), wake_main()    let core 0 look around, and main go on
///
/// 1. *Main:* calls begin(), begins tasks, then waits with expect_end() until is_over().
/// 2. *Core 0 of a quiet rank that has its children's reports:* adds its own sums, and tells its parent
///    (report_if_quiet(), take_report()).
/// 3. *Rank 0:* tells its children of the next wave or of the end (take_next_wave(), take_end()), which tell theirs.
/// 4. *Main, woken:* calls finish(), which returns what failed.
template <machine::policy M, class Rank>
class phase_protocol {
  using order = machine::order;
  using failure = typename Rank::failure;

 public:
  phase_protocol(Rank& rank, const rank_tree& tree) noexcept : rank_(rank), search_(tree) {}

  // Main's steps.
  void begin() { runs_.store(1, order::relaxed); }  // relaxed: a hint
  void expect_end() {
    const std::scoped_lock guard(rank_.lock());
    waiting_ = true;
  }
  bool is_over() {
    const std::scoped_lock guard(rank_.lock());
    return over_;
  }
  failure finish() {
    const std::scoped_lock guard(rank_.lock());
    waiting_ = false;
    over_ = false;
    runs_.store(0, order::relaxed);  // relaxed: a hint
    return std::exchange(outcome_, {});
  }

  /// True between begin() and finish(), as a hint.
  bool is_running() const noexcept { return runs_.load(order::relaxed) != 0; }  // relaxed: a hint

  /// Keeps a failure of the phase of the running tasks, unless a lower rank has failed; returns true if it keeps it.
  bool note(failure of) {
    const std::scoped_lock guard(rank_.lock());
    return (running_phase() == phase_ ? failure_ : next_failure_).take(std::move(of));
  }
  /// Returns the phase of the tasks that run here now.
  std::uint64_t running() {
    const std::scoped_lock guard(rank_.lock());
    return running_phase();
  }
  /// Cancels a phase at this rank; false if it is already.
  bool cancel(std::uint64_t of) {
    const std::scoped_lock guard(rank_.lock());
    if (cancelled_phase_ >= of) return false;
    cancelled_phase_ = of;
    show_cancelled();
    return true;
  }

  /// Reports to the parent, or decides, if the rank is quiet. True if so. Core 0.
  bool report_if_quiet() {
    wave::step step = wave::step::wait;
    activity_sums sums;
    failure told;
    {
      const std::scoped_lock guard(rank_.lock());
      if (!waiting_ || over_ || !search_.is_due()) return false;
      const auto own = rank_.quiet();
      if (!own) return false;
      step = search_.add_own(*own);
      sums = search_.sums();
      told = failure_;
      if (step == wave::step::next_wave) search_.begin_next();
    }
    if (step == wave::step::report) {
      rank_.report(sums, told);
    } else if (step == wave::step::next_wave) {
      rank_.tell_next();
    } else if (step == wave::step::end) {
      take_end(std::move(told));
    }
    return true;
  }

  // Messages about a wave name no phase: a child reports when it was asked to, or at the begin of the next phase.
  void take_report(const activity_sums& sums, failure of) {
    {
      const std::scoped_lock guard(rank_.lock());
      search_.take_report(sums);
      failure_.take(std::move(of));
    }
    rank_.nudge();
  }
  void take_next_wave() {
    {
      const std::scoped_lock guard(rank_.lock());
      search_.begin_next();
    }
    rank_.tell_next();
    rank_.nudge();
  }
  void take_end(failure of) {
    const failure told = of;
    {
      const std::scoped_lock guard(rank_.lock());
      over_ = true;
      // This rank may have the original.
      outcome_ = of.rank == failure_.rank ? std::move(failure_) : std::move(of);
      failure_ = std::exchange(next_failure_, {});
      search_.begin_phase();
      phase_ = phase_ + 1;
      rank_.hear_of_phase(static_cast<std::uint32_t>(phase_));
      show_cancelled();
    }
    rank_.wake_main();
    // Afterwards: a child that is told may report for the next phase at once, to another core.
    rank_.tell_end(told);
  }

  // For reports; under the lock.
  bool is_waiting() const { return waiting_; }
  std::uint64_t phase() const { return phase_; }
  const wave& search() const noexcept { return search_; }

 private:
  /// Returns the phase of the tasks that run here now: this rank's or, once another rank was in the next one, that.
  /// Nothing of this rank's is under way then. Under the lock.
  std::uint64_t running_phase() const {
    const std::uint64_t own = phase_;
    return own + (static_cast<std::int32_t>(rank_.latest_phase() - static_cast<std::uint32_t>(own)) > 0 ? 1 : 0);
  }
  /// Says what tasks are to know. Under the lock.
  void show_cancelled() { rank_.show_cancelled(cancelled_phase_ == running_phase()); }

  Rank& rank_;
  machine::atomic_of<M, std::uint32_t> runs_{0};
  // Under the rank's lock:
  machine::plain_of<M, std::uint64_t> phase_{0};  ///< the phase that runs, or the next one
  machine::plain_of<M, bool> waiting_{false};     ///< main waits for the end
  machine::plain_of<M, bool> over_{false};        ///< the phase that main waits for has ended
  wave search_;
  failure failure_;                               ///< in `phase_`: the lowest rank's, as far as this rank knows
  failure outcome_;                               ///< of the phase that is over
  failure next_failure_;                          ///< in the next phase, which other ranks have begun
  std::optional<std::uint64_t> cancelled_phase_;  ///< the last one
};

}  // namespace callisto::global
