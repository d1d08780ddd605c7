// The tick policy of one thread: how often its runaway timer ticks, and which ticks end a turn. Pure: no clock, no
// atomics, no system call; the set of workers (activations/worker_set.hpp) tells it what a tick found and does what it
// says. Times are in M::ticks() of the set's machine.
//
// clang-format off
//   state    rate                entered                                   left
//   -------  ------------------  ----------------------------------------  -------------------------------------
//   usual    usual               demand arises, or a tick finds it, and    calm: to rare
//                                the set is not calm                       a tick finds a wait: to eager
//   rare     rare                a tick finds the set calm                 no longer calm: to usual
//                                                                          a tick finds a wait: to eager
//   eager    quick               a tick finds a wait                       16 ticks without one: to usual or rare
//   resting  none, slow, slower  the third tick in a row without demand    demand arises: to usual or rare
// clang-format on
//
// Calm: for a tenth of a second ticks have found nothing that could not have been found later, no job came or went, and
// the set used one context. A worker is never rare if another job may ask for its context: that job waits for the
// answer. Resting is `none`, but `slow` if another job may ask for the context (`slower` for a calm attached thread).
// Crowded: other processes compete for the processors. Then no thread is rare, resting is `slow`, the known spin sites
// count at every tick, and a tick without demand still looks for a wait (activations/descheduled_peer_wait.hpp).
//
// A tick ends the turn of what it interrupts if the context is wanted, if that waits, or if the turn has lasted
// `turn_ticks` since the first tick that found it.
#pragma once

#include <callisto/workers/preemption/interruption.hpp>
#include <callisto/workers/preemption/tick_rate.hpp>

#include <cstdint>
#include <utility>

namespace callisto::workers {

/// The state of one thread's ticks. For that thread, and handlers of signals on it.
class tick_policy {
 public:
  /// Ticks of an activation that computes, in one turn.
  static constexpr std::uint64_t ticks_in_turn = 4;
  static constexpr unsigned idle_ticks_before_rest = 3;
  static constexpr unsigned eager_ticks_after_wait = 16;
  /// A set is calm after a tenth of a second.
  static constexpr std::uint64_t calms_per_second = 10;
  /// A thread that was busy for less than 200 us was so briefly, before any tick of the usual rate.
  static constexpr std::uint64_t briefs_per_second = 5000;

  /// True if the set has been without a reason for soon ticks for long enough.
  static constexpr bool is_calm(std::uint64_t since_reason, std::uint64_t ticks_per_second) noexcept {
    return since_reason > ticks_per_second / calms_per_second;
  }
  /// True if what a tick found is a reason for ticks to come soon. Of several contexts one may have more to do than
  /// another, which turns even out.
  static constexpr bool is_reason(bool waits, unsigned contexts_used) noexcept { return waits || contexts_used > 1; }

  /// The rate where there is demand: usual or rare.
  static constexpr tick_rate demanded(bool calm, bool crowded, bool worker_may_be_asked) noexcept {
    return calm && !crowded && !worker_may_be_asked ? tick_rate::rare : tick_rate::usual;
  }
  /// The rate where there is none. `watched`: it is crowded, or another job may ask for the thread's context.
  static constexpr tick_rate resting(bool watched, tick_rate demanded) noexcept {
    if (!watched) return tick_rate::none;
    return demanded == tick_rate::rare ? tick_rate::slower : tick_rate::slow;
  }

  static constexpr bool is_brief(std::uint64_t busy, std::uint64_t ticks_per_second) noexcept {
    return busy < ticks_per_second / briefs_per_second;
  }

  /// The thread has something to do from now on.
  void arrive() noexcept { eager_ticks_ = 0; }
  /// The thread, an attached one, pauses after it was busy for `busy` M::ticks().
  void pause(std::uint64_t busy, std::uint64_t per_second) noexcept { was_brief_ = is_brief(busy, per_second); }
  /// Whether the thread was busy for so short a time before its last pause that no tick was due in it. Then the first
  /// tick may come late: to start a timer that is due soon, and to stop it, takes longer than many a region.
  bool was_brief() const noexcept { return was_brief_; }
  /// The thread has started its own timer at this rate, which demanded() returned.
  void start(tick_rate rate) noexcept { is_rare_ = rate == tick_rate::rare; }

  enum class demand : std::uint8_t {
    present,
    absent,
    absent_for_long,  ///< the timer is to rest
  };
  /// A tick: counts those in a row that found no demand.
  demand count(bool has_demand) noexcept {
    if (has_demand) {
      idle_ticks_ = 0;
      return demand::present;
    }
    if (++idle_ticks_ < idle_ticks_before_rest) return demand::absent;
    idle_ticks_ = 0;
    eager_ticks_ = 0;
    return demand::absent_for_long;
  }

  /// The evidence of one tick about the thread.
  struct sighting {
    bool asks_sites = false;    ///< the thread waits if it is at a known spin site
    bool stands_still = false;  ///< the thread waits, whatever its place: it stood there at the last tick, too
  };
  /// A tick at `now` found the thread so; `turn` counts what has run on the thread, and the last tick was due `period`
  /// before. A tick that comes soon after the last one, or long after it, proves nothing: the thread may have been off
  /// its processor.
  sighting see(const interruption& at, std::uint64_t period, unsigned turn, std::uint64_t now, bool crowded) noexcept {
    const interruption last = std::exchange(last_, at);
    const std::uint64_t elapsed = now - std::exchange(last_tick_, now);
    const bool in_time = !at.is_late && elapsed > period / 2 && elapsed < 2 * period;
    const bool is_first = std::exchange(turn_seen_, turn) != turn;
    if (is_first) began_ = now;
    return {.asks_sites = is_first || eager_ticks_ != 0 || crowded,
            .stands_still = !is_first && in_time && at.gets_nowhere_since(last)};
  }

  enum class change : std::uint8_t {
    none,
    quick,    ///< set the rate `quick`
    restart,  ///< set the rate demanded(), and tell start()
  };
  /// A tick with demand: `waits` if it found a wait; `demanded`: the rate without that.
  change adapt(bool waits, tick_rate demanded) noexcept {
    if (waits) return std::exchange(eager_ticks_, eager_ticks_after_wait) == 0 ? change::quick : change::none;
    if (eager_ticks_ != 0) return --eager_ticks_ == 0 ? change::restart : change::none;
    return is_rare_ != (demanded == tick_rate::rare) ? change::restart : change::none;
  }

  /// After see(): true if the tick ends the turn.
  bool ends_turn(bool wanted, bool waits, std::uint64_t now, std::uint64_t turn_ticks) const noexcept {
    return wanted || waits || (began_ != now && now - began_ >= turn_ticks);
  }

 private:
  unsigned turn_seen_ = 0;    ///< at the last tick
  unsigned idle_ticks_ = 0;   ///< in a row without demand
  unsigned eager_ticks_ = 0;  ///< quick ticks to come if none of them finds a wait; 0: not eager
  bool is_rare_ = false;      ///< as start() was told last
  bool was_brief_ = false;
  std::uint64_t last_tick_ = 0;  ///< when it came
  std::uint64_t began_ = 0;      ///< when the first tick of this turn came
  interruption last_;
};

}  // namespace callisto::workers
