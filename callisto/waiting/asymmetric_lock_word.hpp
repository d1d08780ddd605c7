// The word of a lock that its holder releases by a plain store while no thread waits for any lock.
//
// In Drepper's mutexes ("Futexes Are Tricky", 2011) the releasing thread learns of waiters by the read-modify-write
// that releases. That takes as long as taking the lock, and most locks of most programs never have a waiter. So all
// locks share one flag (asymmetric Dekker synchronization: Dice, Huang and Yang, 2001):
//
// 1. *Waiter, about to wait:* raises the flag and passes a heavy fence (policy.hpp). Then it marks the lock's word.
// 2. *Holder, releases while the flag is low:* writes the word, passes a light fence, and loads the flag again.
// 3. If the light fence came first, the waiter finds the lock free. Otherwise the holder finds the flag raised, and
//    wakes the waiter.
//
// A heavy fence interrupts all processors and serves many waiters: the flag stays raised until a thread calms it while
// no thread waits. While it is raised, locks are released like Drepper's.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::waiting {

/// True if a thread may wait for a lock. Any thread may call all members.
template <machine::policy M>
class alignas(M::line_size) waiter_flag {
  using order = machine::order;

 public:
  /// Begins low; raised for good if the machine has no heavy fence.
  waiter_flag() noexcept : state_(M::has_heavy_fence() ? 0 : seen + one) {}

  bool is_raised() const noexcept { return state_.load(order::relaxed) != 0; }  // relaxed: the fences order it

  /// Called by a thread that is about to wait. After it returns, a thread that releases a lock without a look for
  /// waiters does so visibly, or finds the flag raised afterwards.
  void raise() noexcept {
    // acquire: pairs with the release below: after another thread's heavy fence, this thread sees what that one saw.
    if ((state_.fetch_add(one, order::acquire) & seen) != 0) return;
    M::heavy_fence();
    state_.fetch_or(seen, order::release);  // release: publishes the heavy fence to the acquire above
  }
  /// Called by a waiter that has what it waited for. The flag stays raised.
  void lower() noexcept { state_.fetch_sub(one, order::relaxed); }  // relaxed: publishes nothing

  /// Lowers the flag, unless a thread waits.
  void calm() noexcept {
    std::uint32_t found = seen;
    state_.compare_exchange(found, 0, order::relaxed);  // relaxed: a later waiter raises it again, with a fence
  }

 private:
  static constexpr std::uint32_t seen = 1;  ///< all threads see the flag: one has passed the heavy fence
  static constexpr std::uint32_t one = 2;   ///< one waiter

  machine::atomic_of<M, std::uint32_t> state_;
};

/// The word of one lock: four bytes; zeroed memory is a free lock.
template <machine::policy M>
class asymmetric_lock_word {
  using order = machine::order;

 public:
  bool try_take() noexcept {
    std::uint32_t found = free;
    // acquire: pairs with the releases below. The exchange is weak: repeat it if the word was free.
    while (found == free)
      if (word_.compare_exchange(found, held, order::acquire)) return true;
    return false;
  }
  /// True if the lock is free at this moment.
  bool is_free() const noexcept { return word_.load(order::relaxed) == free; }

  /// Called by a waiter that has raised the flag. True if it has the lock now; otherwise it has marked the word.
  bool take_or_say() noexcept {
    return word_.exchange(waited_for, order::acquire) == free;
  }  // acquire: as in try_take()
  /// True if the thread that will release the lock will know of a waiter. The caller holds what orders it with the
  /// waking thread: a latch.
  bool is_waited_for() const noexcept { return word_.load(order::relaxed) == waited_for; }

  /// Releases the lock; called by the holder, which found the flag low. True if a thread may wait and must be woken.
  bool give_up(const waiter_flag<M>& alert) noexcept {
    word_.store(free, order::release);  // release: publishes the holder's writes to try_take()
    M::light_fence();
    return alert.is_raised();
  }
  /// Releases the lock; called by the holder, whatever the flag. True if a thread may wait and must be woken.
  bool give_up_and_ask() noexcept {
    return word_.exchange(free, order::release) == waited_for;
  }  // release: as in give_up()

 private:
  static constexpr std::uint32_t free = 0;
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t waited_for = 2;  ///< held, and a thread may wait

  machine::atomic_of<M, std::uint32_t> word_{free};
};

}  // namespace callisto::waiting
