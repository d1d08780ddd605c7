// Turns: what a tick of the runaway timer makes of the thread that it interrupted, and when the next one is to come.
//
// Who computes has a turn; who watches a flag has lost his context as soon as that is known. A tick costs microseconds
// (4.5 on a virtual machine, 3 of them the timer's interrupt), and programs that pass flags on, as the planes of NAS
// LU's wavefront, compute for some ten microseconds between two waits. So ticks that come at a steady pace are either
// too many or too late. Instead, each party has a habit: how long it computed, last time, from a wait at one place to
// the next wait. While waits are found, the one tick of a turn is aimed at that time: a bit earlier after each that hit
// the wait, later after one that came too soon, so that one in about fifteen does, after which others follow quickly.
#pragma once

#include <callisto/machine/handler_word.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/workers/runaway_timer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace callisto::workers {

/// Where threads were seen to get nowhere, a few places: who is found there again is believed to wait at once. Any
/// thread, also in handlers.
template <class M>
class known_waits {
  using order = machine::order;

 public:
  static constexpr unsigned most = 8;

  /// The number of the place where `instruction` is; `most`: of none.
  unsigned find(std::uintptr_t instruction) const noexcept {
    // relaxed: hints, all of them.
    const auto at = std::find_if(places_.begin(), places_.end(), [instruction](const auto& p) {
      return interruption::are_near(instruction, p.load(order::relaxed));
    });
    return static_cast<unsigned>(at - places_.begin());
  }
  /// In the place of the oldest one.
  void add(std::uintptr_t instruction) noexcept {
    if (find(instruction) != most) return;
    places_[oldest_.fetch_add(1, order::relaxed) % most].store(instruction, order::relaxed);
  }

 private:
  std::array<typename M::template atomic<std::uintptr_t>, most> places_{};
  typename M::template atomic<unsigned> oldest_{0};
};

/// How long a party computes before it waits, in nanoseconds: told apart by where it waited before. Of the handler, and
/// of whoever has the party go on.
class wait_habit {
 public:
  static constexpr unsigned places = 8;

  /// When the first tick of its next turn is to come; 0: not known.
  std::uint32_t first_look() const noexcept { return looks_[place_]; }

  /// A turn was ended by a wait at `place` at the first look or so many later ones, `spent`
  /// after it began.
  void waits(unsigned place, unsigned later_looks, std::uint64_t spent) noexcept {
    std::uint32_t& look = looks_[place_];
    if (look == 0) {
      look = static_cast<std::uint32_t>(std::min(spent, longest));
    } else if (later_looks == 0) {
      look -= look / 256;
    } else {
      // Much too soon: rather something else for once than how it will be.
      look += look / (later_looks <= 3 ? 16 : 64);
    }
    look = std::clamp(look, shortest, static_cast<std::uint32_t>(longest));
    place_ = place;
  }
  /// It waits at `place`, or one that is not known; since when says nothing.
  void begin_at(unsigned place) noexcept { place_ = place; }
  /// It has ended its turn by itself.
  void goes() noexcept { place_ = places; }

  std::uintptr_t last = 0;  ///< where it was last found to get nowhere

 private:
  static constexpr std::uint32_t shortest = 2'000;
  static constexpr std::uint64_t longest = 1'000'000;

  unsigned place_ = places;                        ///< where it waited last; `places`: elsewhere
  std::array<std::uint32_t, places + 1> looks_{};  ///< 0: not known
};

/// What a thread's handler knows of what runs there.
class turn_watch {
 public:
  /// Waits are found here: the thread has ticks of its own for each turn, else they come at a steady pace.
  bool is_eager() const noexcept { return eager_.get() != 0; }
  void calm_down() noexcept { eager_.set(0); }
  /// Before anything else runs on the thread.
  void begin_turn() noexcept { turn_.set(turn_.get() + 1); }

 private:
  template <class M>
  friend class turn_rules;

  machine::handler_word<unsigned> turn_{0};      ///< how often what runs here has changed
  machine::handler_word<unsigned> eager_{0};     ///< so many ticks more, if none finds a wait
  machine::handler_word<std::uint64_t> due_{0};  ///< the next tick, after the last or the beginning of the turn, in ns
  // Of the handler.
  unsigned turn_seen_ = 0;       ///< at the last tick
  unsigned later_looks_ = 0;     ///< in this turn, after the first
  std::uint64_t spent_ = 0;      ///< in this turn, about, in ns, if eager
  std::uint64_t last_tick_ = 0;  ///< when
  std::uint64_t began_ = 0;      ///< the turn, as the first tick found it
  interruption last_;
};

/// What is the same for all threads of a set of workers. Times in nanoseconds.
template <class M>
class turn_rules {
 public:
  /// Who computes is looked at so often in his turn, at a steady pace.
  static constexpr std::uint64_t ticks_in_turn = 4;
  static_assert(known_waits<M>::most == wait_habit::places);

  /// A turn, and how long who waits keeps his context before anything is known of him.
  turn_rules(std::uint64_t turn_ns, std::uint64_t wait_ns) noexcept
      : turn_ns_(turn_ns), wait_ns_(wait_ns), ticks_per_ns_(static_cast<double>(M::ticks_per_second()) * 1e-9) {}

  /// The steady pace.
  std::uint64_t pace() const noexcept { return std::max(wait_ns_, turn_ns_ / ticks_in_turn); }

  /// For a thread that is eager, when a turn begins: when it is to be looked at first.
  std::uint64_t first_look(turn_watch& here, const wait_habit& who) const noexcept {
    const std::uint64_t known = who.first_look();
    const std::uint64_t look = known != 0 ? known : wait_ns_;
    here.due_.set(look);
    return look;
  }

  /// What a tick that found the thread so, running `who` (null: nobody), says of the turn.
  struct verdict {
    bool is_over = false;
    bool was_steady = true;  ///< ticks have come at the steady pace
    std::uint64_t next = 0;  ///< the next tick is to come so soon, once; 0: at the steady pace
  };
  verdict judge(turn_watch& here, wait_habit* who, const interruption& at, bool wanted) noexcept {
    const std::uint64_t now = M::ticks();
    const unsigned turn = here.turn_.get();
    const bool was_eager = here.is_eager();
    const bool is_first = std::exchange(here.turn_seen_, turn) != turn;
    const interruption last = std::exchange(here.last_, at);
    const std::uint64_t elapsed = now - std::exchange(here.last_tick_, now);
    const std::uint64_t due = was_eager ? here.due_.get() : pace();
    if (is_first) {
      here.began_ = now;
      here.later_looks_ = 0;
      here.spent_ = due;
    } else {
      ++here.later_looks_;
      here.spent_ += due;
    }
    const unsigned place = known_.find(at.instruction);
    bool waits = (is_first || was_eager) && place != known_waits<M>::most;
    // A tick that comes at once after the last one, or long after it, may have found the thread before it did anything.
    if (!waits && !is_first && !at.is_late && elapsed > ticks_of(due) / 2 && elapsed < ticks_of(due) * 2 &&
        at.gets_nowhere_since(last)) {
      waits = true;
      // Twice by the same in the same place: that is no coincidence.
      if (who != nullptr && interruption::are_near(at.instruction, std::exchange(who->last, at.instruction)))
        known_.add(at.instruction);
    }
    verdict found;
    found.was_steady = !was_eager;
    found.is_over = waits || wanted || (here.began_ != now && now - here.began_ >= ticks_of(turn_ns_));
    const unsigned left = waits ? eager_ticks : was_eager ? here.eager_.get() - 1 : 0;
    here.eager_.set(left);
    if (left != 0) {
      found.next = next_look(here);
      here.due_.set(found.next);
    }
    if (waits && who != nullptr) {
      // Who was found by two looks in a place that is not known may have waited at the first.
      if (was_eager && place != known_waits<M>::most) {
        who->waits(place, here.later_looks_, here.spent_);
      } else {
        who->begin_at(place);
      }
    }
    return found;
  }

 private:
  static constexpr unsigned eager_ticks = 16;  ///< after a wait
  static constexpr unsigned quick_looks = 3;
  static constexpr std::uint64_t quickest = 5'000;

  /// In an eager turn that is not over yet: soon at first, later seldom, so that who computes is not kept from it.
  std::uint64_t next_look(const turn_watch& here) const noexcept {
    const std::uint64_t gap = here.later_looks_ < quick_looks ? here.spent_ / 8 : here.spent_;
    return std::clamp(gap, std::min(quickest, wait_ns_), pace());
  }
  std::uint64_t ticks_of(std::uint64_t nanoseconds) const noexcept {
    return static_cast<std::uint64_t>(static_cast<double>(nanoseconds) * ticks_per_ns_);
  }

  const std::uint64_t turn_ns_;
  const std::uint64_t wait_ns_;
  const double ticks_per_ns_;
  known_waits<M> known_;
};

}  // namespace callisto::workers
