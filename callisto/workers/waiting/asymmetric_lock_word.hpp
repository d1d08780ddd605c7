// The word of a lock that its holder gives up by a plain store while nobody waits for any lock.
//
// In Drepper's mutexes ("Futexes Are Tricky", 2011) who gives a lock up learns of those who wait in the same
// read-modify-write. That takes as long as taking the lock does, and most locks of most programs are never waited for.
// So all locks have one alert in common. Who is about to wait raises it, and passes a heavy fence (policy.hpp), before
// he says in the lock's word that he waits. Who gives a lock up while the alert is low writes the word, passes a light
// fence and looks at the alert again. If his light fence came first, whoever waits finds the lock free; else he finds
// the alert raised, and wakes whoever waits (asymmetric Dekker synchronization: Dice, Huang and Yang, 2001).
//
// A heavy fence interrupts all processors, and is passed once for many: the alert stays raised until somebody calms it,
// while nobody waits. While it is raised locks are given up as Drepper's are.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// Whether anybody may wait for a lock. Any thread.
template <machine::policy M>
class alignas(M::line_size) waiter_flag {
  using order = machine::order;

 public:
  /// Low; raised for good where the machine has no heavy fence.
  waiter_flag() noexcept : state_(M::has_heavy_fence() ? 0 : seen + one) {}

  bool is_raised() const noexcept { return state_.load(order::relaxed) != 0; }  // relaxed: fences order it, or nothing

  /// By who is going to wait: when it returns, whoever gives a lock up without a look at who waits does so visibly, or
  /// finds the alert raised afterwards.
  void raise() noexcept {
    // acquire: if it was seen, what was visible to who passed the fence is to us.
    if ((state_.fetch_add(one, order::acquire) & seen) != 0) return;
    M::heavy_fence();
    state_.fetch_or(seen, order::release);  // release: as above
  }
  /// He has what he waited for. It stays raised.
  void lower() noexcept { state_.fetch_sub(one, order::relaxed); }  // relaxed: nothing is handed on

  /// It need not be raised any more, unless somebody waits.
  void calm() noexcept {
    std::uint32_t found = seen;
    state_.compare_exchange(found, 0, order::relaxed);  // relaxed: who waits later raises it anew, with a fence
  }

 private:
  static constexpr std::uint32_t seen = 1;  ///< by all, since somebody passed the fence
  static constexpr std::uint32_t one = 2;   ///< who waits

  machine::atomic_of<M, std::uint32_t> state_;
};

/// Four bytes; zeroed memory is a free lock.
template <machine::policy M>
class asymmetric_lock_word {
  using order = machine::order;

 public:
  bool try_take() noexcept {
    std::uint32_t found = free;
    // acquire: what the last holder wrote. Weak: again, if it was free and fails all the same.
    while (found == free)
      if (word_.compare_exchange(found, held, order::acquire)) return true;
    return false;
  }
  /// A look.
  bool is_free() const noexcept { return word_.load(order::relaxed) == free; }

  /// By who waits, and has raised the alert: true if he has it now; else he has said that he waits.
  bool take_or_say() noexcept { return word_.exchange(waited_for, order::acquire) == free; }  // acquire: as above
  /// Whether whoever gives it up, and has not done so yet, will know that somebody waits. With what orders him and who
  /// wakes: a latch.
  bool is_waited_for() const noexcept { return word_.load(order::relaxed) == waited_for; }

  /// By the holder, who found the alert low. True: somebody may wait, and is to be woken.
  bool give_up(const waiter_flag<M>& alert) noexcept {
    word_.store(free, order::release);  // release: for the next holder
    M::light_fence();
    return alert.is_raised();
  }
  /// By the holder. The same, whatever the alert.
  bool give_up_and_ask() noexcept { return word_.exchange(free, order::release) == waited_for; }  // release: as above

 private:
  static constexpr std::uint32_t free = 0;
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t waited_for = 2;  ///< held, and maybe waited for

  machine::atomic_of<M, std::uint32_t> word_{free};
};

}  // namespace callisto::workers
