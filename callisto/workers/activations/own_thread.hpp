// An activation's own thread: the lender of its identity, upon which the activation goes on while it often blocks in
// the system. docs/explanation/blocking.md has the reasons.
#pragma once

#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::workers {

template <machine::policy M>
class worker;

/// Data of an activation about its own thread. For the thread that runs the activation, and handlers of signals there.
template <machine::policy M>
class own_thread {
 public:
  /// Number of stops in a row, without a block in between, after which the activation needs a thread no longer.
  static constexpr unsigned most_calm_stops = 16;
  /// It goes back as well if it blocks less often than this between two ticks (runaway_timer::begin_own_thread()).
  static constexpr std::uint64_t least_blocks = 2;
  /// It stays with the workers for 20 ms then, and up to a second if it has blocked less often than this.
  static constexpr std::uint64_t blocks_worth_it = 100;
  static constexpr std::uint64_t first_pauses_per_second = 50;

  /// The lender of the identity that the activation carries; null: none.
  machine::thread_identity* identity = nullptr;
  /// The worker that works there; null: the set has no such threads. Made with the activation.
  std::unique_ptr<worker<M>> works_as;

  /// True while the activation runs there.
  bool exists() const noexcept { return exists_; }
  /// True if the activation was found blocked, and leaves its worker for that.
  bool is_wanted() const noexcept { return is_wanted_; }
  /// In the handler of a tick that found the activation blocked, at `now` in M::ticks(): true if it can go on there.
  bool want(std::uint64_t now) noexcept {
    is_wanted_ = identity != nullptr && works_as != nullptr && !exists_ && now - left_at_ >= pause_;
    return is_wanted_;
  }

  /// True if the activation, which is called, can go on there; it leaves its worker for that.
  bool want_for_call() noexcept {
    is_wanted_ = identity != nullptr && works_as != nullptr && !exists_;
    return is_wanted_;
  }

  /// On the thread, which has taken the activation up. `in_handler`: in the handler that it was left in. `mask`: the
  /// activation's mask of signals; null: it has none.
  void begin(runaway_timer& timer, void* activation, bool in_handler, const std::uint64_t* mask) noexcept {
    ticks_ = timer.begin_own_thread(activation, in_handler, mask);
    exists_ = true;
    is_wanted_ = false;
    calm_stops_ = 0;
    began_with_ = seen_by_stop_ = seen_by_tick_ = timer.times_blocked();
  }
  /// On the thread, which the activation is about to leave.
  void end(runaway_timer& timer) noexcept {
    exists_ = false;
    timer.end_own_thread(ticks_);
  }

  /// At a stop: true if the activation had better go back to the workers.
  bool is_calm(std::uint64_t blocks) noexcept {
    calm_stops_ = blocks == seen_by_stop_ ? calm_stops_ + 1 : 0;
    return calm_stops_ >= most_calm_stops;
  }
  /// It has slept at a stop, which does not count as a block.
  void has_slept(std::uint64_t blocks) noexcept { seen_by_stop_ = blocks; }

  /// At a tick: true if the activation computes, or watches a flag, more than it blocks. Its stops count as blocks
  /// here. Then it goes back to the workers, and stays there for a time, each time twice as long: threads that wait for
  /// each other by flags need them.
  bool computes(std::uint64_t blocks) noexcept {
    if (blocks - std::exchange(seen_by_tick_, blocks) >= least_blocks) return false;
    const std::uint64_t first = M::ticks_per_second() / first_pauses_per_second;
    pause_ = blocks - began_with_ >= blocks_worth_it ? first : std::clamp(2 * pause_, first, M::ticks_per_second());
    left_at_ = M::ticks();
    return true;
  }

 private:
  bool exists_ = false;
  bool is_wanted_ = false;
  unsigned calm_stops_ = 0;
  runaway_timer::own_ticks ticks_;
  std::uint64_t seen_by_stop_ = 0;
  std::uint64_t seen_by_tick_ = 0;
  std::uint64_t began_with_ = 0;
  std::uint64_t pause_ = 0;    ///< with the workers, in M::ticks(), since
  std::uint64_t left_at_ = 0;  ///< it went back to them
};

}  // namespace callisto::workers
