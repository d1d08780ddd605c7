// The work signal: the one word that idle followers watch and sleep on. It says which loops are open, whether the
// workers must end, and how many followers sleep. It is an eventcount.
//
// It is the paper's shared pointer, widened to several loops at once, since several application threads may lead loops
// at the same time. The word is a hint only: the entry gate decides whether a follower takes part. A bit that stands
// too long costs a vain attempt and nothing else. Activations announce their lists in the same way (worker_set.hpp).
//
// Sleeping and waking, by the rule of sleepers.hpp. The low half of the word holds the open slots, "finished" and
// `waking`; the high half counts sleepers. A sleeper parks on the low half at 0. Each step changes the word by
// read-modify-writes only.
//
// 1. *Follower, finds nothing for a while:* adds itself to the sleepers by a compare-and-swap that also clears
//    `waking`. It succeeds only while no loop is open and the workers go on. Then the follower parks.
// 2. *Leader, announces a loop:* sets the slot's bit. If it sees sleepers and `waking` is clear, it sets `waking` by a
//    compare-and-swap and wakes two of them. A follower that is still on its way into the kernel finds that the low
//    half is no longer 0, and does not sleep.
// 3. *Sleeper, returns for any reason:* takes itself off the sleepers and clears `waking`, in one change. If that finds
//    a loop open and more followers asleep, it wakes two of them, as the leader did.
// 4. *Leader or follower in the loop, finds nothing left to claim:* clears the slot's bit. The slot is not used again
//    before all have left its gates, so the bit is still this loop's.
// 5. *Finishing thread:* sets "finished", and wakes all sleepers.
//
// - No wake-up is lost, because leader and follower change the same word: the leader's change comes first, and the
//   follower's exchange fails; or the follower's comes first, and the leader sees a sleeper.
// - A leader that finds `waking` set wakes no follower, and so pays for no system call. The woken follower clears
//   `waking` after the leader has set its bit; so step 3 finds the loop, and wakes the rest.
// - A follower that goes to sleep clears `waking` although a woken follower may still be on its way. The woken one may
//   have no processor but this follower's own, so nothing may wait for it. The price is a superfluous wake-up.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/sleepers.hpp>

#include <bit>
#include <cstdint>

namespace callisto::waiting {

template <machine::policy M>
class alignas(M::line_size) work_signal {
  using order = machine::order;

 public:
  /// The most loops that may be open at once; a checked machine makes do with fewer.
  static constexpr unsigned max_slots = [] {
    if constexpr (requires { M::max_slots; }) return M::max_slots;
    return 16u;
  }();

  /// A value of the word, as a follower found it.
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
    if (followers::some(before)) wake_two();
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
    if (followers::some(before)) M::unpark(word_, ~0u);  // a follower that falls asleep later finds the bit
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
    return followers::some(word) && is_idle(word);
  }

  /// True if the workers must end; a hint.
  bool is_finished() const noexcept { return (word_.load(order::relaxed) & finished_bit) != 0; }

  /// Blocks the follower until a loop is open or the workers must end. It sleeps if that takes longer than its
  /// patience, each time after before_sleep(). If too_late() is true after a sleep, it returns even if nothing is open.
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
        if (open_slots(word) != 0 && followers::some(word)) wake_two();
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

  using followers = sleepers<M, ~std::uint64_t{0} << 32, waking_bit>;
  static constexpr std::uint32_t open_slots(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word & (finished_bit - 1));
  }
  static constexpr bool is_idle(std::uint64_t word) noexcept { return (word & (waking_bit - 1)) == 0; }

  /// Wakes two sleepers, unless a sleeper is already on its way, which will wake more.
  void wake_two() noexcept {
    followers::wake(word_, [this](std::uint64_t& seen) {
      if (!word_.compare_exchange(seen, seen | waking_bit, order::relaxed)) return false;
      M::unpark(word_, 2);
      return true;
    });
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

}  // namespace callisto::waiting
