// The one word that idle followers watch: which loops are open, whether the workers are to end, who sleeps.
//
// The paper's shared pointer, widened to several loops at once, since several application threads may lead loops at the
// same time. The word is only a notice board: whether a follower takes part is decided at the gate, so a stale notice
// costs a vain attempt and nothing else.
//
// Sleeping. A follower that has watched in vain for a while registers as a sleeper by a compare-and-swap that succeeds
// only while nothing is open and not all is finished, and that makes the low half 0; then it parks on that low half.
// Who announces a loop and sees sleepers sets `waking`, which makes the low half differ from 0 for sleepers that are
// still on their way into the kernel, and wakes two. Each sleeper takes itself off the count and clears `waking` when
// it comes back, whatever brought it back; if there is work it wakes two more. So leaders pay for one system call at
// most while followers are on their way, and no wake-up is lost: both sides write the same word, with
// read-modify-writes. Who goes to sleep clears `waking`, too, and does not wait until whoever is being woken has: he
// may have no processor yet, but for this one.
#pragma once

#include <callisto/machine/policy.hpp>

#include <bit>
#include <cstdint>

namespace callisto::workers {

template <machine::policy M>
class alignas(M::line_size) work_signal {
  using order = machine::order;

 public:
  /// Loops that may be open at once; a checked machine makes do with fewer.
  static constexpr unsigned max_slots = [] {
    if constexpr (requires { M::max_slots; }) return M::max_slots;
    return 16u;
  }();

  /// What a follower found on the board.
  struct notice {
    std::uint32_t open;  ///< bit s: the loop in slot s
    bool finished;
    std::uint64_t word;  ///< for wait_for_change
  };

  /// Leader: the loop in `slot` may be joined; its gates are open.
  void announce(unsigned slot) noexcept {
    // release: who sees the bit finds the gate open (else it would have to try again, nothing worse).
    const std::uint64_t before = word_.fetch_or(std::uint64_t{1} << slot, order::release);
    if (sleepers(before) != 0) wake_two();
  }

  /// Whoever finds nothing left to claim of the loop in `slot`: do not start it any more. Everybody in it comes to
  /// that.
  void withdraw(unsigned slot) noexcept {
    // A look first: all but one find that it is done, and leave the line to those who watch it. relaxed: the gate, not
    // this bit, orders the loop's end before the slot's next use.
    if ((word_.load(order::relaxed) & (std::uint64_t{1} << slot)) == 0) return;
    word_.fetch_and(~(std::uint64_t{1} << slot), order::relaxed);
  }

  /// The paper's "finished" work item: ends every follower, the sleeping ones too.
  void finish() noexcept {
    // release: what the finishing thread did is visible to followers that end.
    const std::uint64_t before = word_.fetch_or(finished_bit, order::release);
    if (sleepers(before) != 0) M::unpark(word_, ~0u);  // who falls asleep later finds the bit
  }

  /// Before followers start (again); nobody watches.
  void reset() noexcept { word_.store(0, order::relaxed); }

  /// After every follower has ended: open loops stay on the board.
  void restart() noexcept { word_.fetch_and(~finished_bit, order::relaxed); }

  /// Whether something is open that a follower could join; a hint.
  bool has_work() const noexcept {
    const std::uint64_t word = word_.load(order::relaxed);
    return open_slots(word) != 0 && (word & finished_bit) == 0;
  }

  /// Whether the workers are to end; a hint.
  bool is_finished() const noexcept { return (word_.load(order::relaxed) & finished_bit) != 0; }

  /// Follower: returns when something is open or the workers are to end; sleeps if that takes longer than its patience,
  /// each time after before_sleep(). If too_late() it also returns when it was woken for what others have done by now.
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
      // relaxed, and into a variable of its own: what a failed exchange finds orders nothing, so look again.
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

  /// Follower: returns when the board no longer reads as in `seen`, or after a short while.
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

  /// Wakes two sleepers unless somebody is already being woken, who will go on with it.
  void wake_two() noexcept {
    std::uint64_t word = word_.load(order::relaxed);
    while (sleepers(word) != 0 && (word & waking_bit) == 0) {
      if (word_.compare_exchange(word, word | waking_bit, order::relaxed)) {
        M::unpark(word_, 2);
        return;
      }
    }
  }

  /// Off the count, and `waking` cleared; returns the word as it then is.
  std::uint64_t return_from_sleep() noexcept {
    std::uint64_t word = word_.load(order::relaxed);
    // acquire: as wait_while does, the notices found are those that announce() released.
    while (!word_.compare_exchange(word, (word - one_sleeper) & ~waking_bit, order::acquire)) {
    }
    return (word - one_sleeper) & ~waking_bit;
  }

  machine::atomic_of<M, std::uint64_t> word_{0};
};

}  // namespace callisto::workers
