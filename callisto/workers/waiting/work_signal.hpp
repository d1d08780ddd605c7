// The work signal: the one word that idle followers watch and sleep on. It says which loops are open, whether the
// workers must end, and how many followers sleep. It is an eventcount.
//
// It is the paper's shared pointer, widened to several loops at once, since several application threads may lead loops
// at the same time. The word is a hint only: the entry gate decides whether a follower takes part. A stale hint costs a
// vain attempt and nothing else.
//
// Sleeping and waking: 1. A follower that has watched in vain for a while registers as a sleeper. The compare-and-swap
// succeeds only while
//    nothing is open and the workers go on, and it makes the low half 0. The follower then parks on the low half.
// 2. A leader that announces a loop and sees sleepers sets `waking`. That changes the low half for sleepers on their
// way
//    into the kernel. The leader wakes two sleepers.
// 3. A sleeper that comes back, for any reason, takes itself off the count and clears `waking`. If there is work, it
// wakes
//    two more.
// 4. A follower that goes to sleep clears `waking`, too. It does not wait for the follower that is being woken: that
// one
//    may have no processor but this one.
// So leaders pay for one system call at most while followers are on their way, and no wake-up is lost: both sides
// change the same word by read-modify-writes.
#pragma once

#include <callisto/machine/policy.hpp>

#include <bit>
#include <cstdint>

namespace callisto::workers {

template <machine::policy M>
class alignas(M::line_size) work_signal {
  using order = machine::order;

 public:
  /// The most loops that may be open at once; a checked machine makes do with fewer.
  static constexpr unsigned max_slots = [] {
    if constexpr (requires { M::max_slots; }) return M::max_slots;
    return 16u;
  }();

  /// What a follower found in the word.
  struct notice {
    std::uint32_t open;  ///< bit s: the loop in slot s
    bool finished;
    std::uint64_t word;  ///< for wait_for_change
  };

  /// Announces the loop in `slot`. Called by the leader; the gates are open.
  void announce(unsigned slot) noexcept {
    // release: pairs with the acquire in wait_for_work(): a follower that sees the bit finds the gate open. Otherwise
    // it would try again, nothing worse.
    const std::uint64_t before = word_.fetch_or(std::uint64_t{1} << slot, order::release);
    if (sleepers(before) != 0) wake_two();
  }

  /// Withdraws the loop in `slot`, so that no follower starts it any more. Called by each thread that finds nothing
  /// left to claim. True if the caller withdrew it.
  bool withdraw(unsigned slot) noexcept {
    // All but one thread find that it is done and leave the line to followers that watch it. relaxed: the gate, not
    // this bit, orders the loop's end before the slot's next use.
    if ((word_.load(order::relaxed) & (std::uint64_t{1} << slot)) == 0) return false;
    const std::uint64_t before = word_.fetch_and(~(std::uint64_t{1} << slot), order::relaxed);
    return (before & (std::uint64_t{1} << slot)) != 0;
  }

  /// Ends every follower, sleeping ones too: the paper's "finished" work item.
  void finish() noexcept {
    // release: publishes what the finishing thread did to followers that end.
    const std::uint64_t before = word_.fetch_or(finished_bit, order::release);
    if (sleepers(before) != 0) M::unpark(word_, ~0u);  // a follower that falls asleep later finds the bit
  }

  /// Clears the word before followers start; no follower watches.
  void reset() noexcept { word_.store(0, order::relaxed); }

  /// Lets followers start again after all have ended; open loops stay announced.
  void restart() noexcept { word_.fetch_and(~finished_bit, order::relaxed); }

  /// True if a loop is open that a follower could join; a hint.
  bool has_work() const noexcept {
    const std::uint64_t word = word_.load(order::relaxed);
    return open_slots(word) != 0 && (word & finished_bit) == 0;
  }

  /// True if the loop in `slot` is announced.
  bool is_open(unsigned slot) const noexcept { return (word_.load(order::relaxed) & (std::uint64_t{1} << slot)) != 0; }
  /// True if a loop in another slot is announced; a hint.
  bool is_open_beside(unsigned slot) const noexcept {
    return (open_slots(word_.load(order::relaxed)) & ~(std::uint32_t{1} << slot)) != 0;
  }

  /// True if some follower sleeps and nothing is announced; a hint.
  bool some_sleep() const noexcept {
    const std::uint64_t word = word_.load(order::relaxed);
    return sleepers(word) != 0 && is_idle(word);
  }

  /// True if the workers must end; a hint.
  bool is_finished() const noexcept { return (word_.load(order::relaxed) & finished_bit) != 0; }

  /// Blocks the follower until a loop is open or the workers must end. It sleeps if that takes longer than its
  /// patience, each time after before_sleep(). If too_late() it also returns when the work that woke it is done.
  notice wait_for_work() noexcept {
    return wait_for_work([] {});
  }
  template <class F>
  notice wait_for_work(F before_sleep, machine::patience patience = machine::patience::lasting) noexcept {
    return wait_for_work(before_sleep, patience, [] { return false; });
  }
  template <class F, class Late>
  notice wait_for_work(F before_sleep, machine::patience patience, Late too_late) noexcept {
    for (bool woken = false;;) {
      std::uint64_t word = M::wait_while(word_, is_idle, patience);
      if (is_idle(word)) before_sleep();
      // relaxed: a failed exchange orders nothing, so the loop looks again.
      std::uint64_t found = word;
      if (is_idle(word) && word_.compare_exchange(found, (word & ~waking_bit) + one_sleeper, order::relaxed)) {
        M::park(word_, 0);
        word = return_from_sleep();
        woken = too_late();
        if (open_slots(word) != 0 && sleepers(word) != 0) wake_two();
      }
      if (woken || !is_idle(word)) return {open_slots(word), (word & finished_bit) != 0, word};
    }
  }

  /// Returns when the word differs from `seen`, or after a short while. Called by a follower.
  void wait_for_change(const notice& seen) noexcept {
    M::wait_while(word_, [&seen](std::uint64_t word) { return word == seen.word; }, machine::patience::brief);
  }

 private:
  static constexpr std::uint64_t finished_bit = std::uint64_t{1} << max_slots;
  static constexpr std::uint64_t waking_bit = std::uint64_t{1} << (max_slots + 1);
  static constexpr std::uint64_t one_sleeper = std::uint64_t{1} << 32;

  static constexpr std::uint32_t sleepers(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32);
  }
  static constexpr std::uint32_t open_slots(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word & (finished_bit - 1));
  }
  static constexpr bool is_idle(std::uint64_t word) noexcept { return (word & (waking_bit - 1)) == 0; }

  /// Wakes two sleepers, unless a sleeper is already on its way, which will wake more.
  void wake_two() noexcept {
    std::uint64_t word = word_.load(order::relaxed);
    while (sleepers(word) != 0 && (word & waking_bit) == 0) {
      if (word_.compare_exchange(word, word | waking_bit, order::relaxed)) {
        M::unpark(word_, 2);
        return;
      }
    }
  }

  /// Takes the caller off the count and clears `waking`; returns the new word.
  std::uint64_t return_from_sleep() noexcept {
    std::uint64_t word = word_.load(order::relaxed);
    // acquire: pairs with the release in announce(), as in wait_while.
    while (!word_.compare_exchange(word, (word - one_sleeper) & ~waking_bit, order::acquire)) {
    }
    return (word - one_sleeper) & ~waking_bit;
  }

  machine::atomic_of<M, std::uint64_t> word_{0};
};

}  // namespace callisto::workers
