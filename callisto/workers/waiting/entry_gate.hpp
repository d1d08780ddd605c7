// The gate of a published loop: which followers are inside, and when the leader may leave.
//
// The paper keeps the counts of active threads in the work item. That is unsafe: a follower that has read the shared
// pointer and stalls registers in an item whose leader, having seen the counts at 0, has left (peers shipped this bug).
// So the counts stand here, in memory that lives as long as the workers, and one word holds both "open" and the count:
//
//   closed --open()--> open --try_enter()/leave()--> open, n inside
//   open, n inside --close_and_drain()--> closed, n inside --leave() x n--> closed, 0 inside; the leader returns
//
// A follower enters by adding itself to the count, and is inside only if the word that it added itself to was open;
// else it takes itself off again, and the leader may have to wait for that. It reads the item only once inside. What it
// enters may be a later loop than the one that it saw announced; that is harmless, since it carries nothing over from
// what it saw. Hence no generation number, no fence, and no ABA problem. Adding cannot fail: with compare-and-swap the
// followers of a large machine get in each other's way (16 to 64 contexts a gate: docs/results/papers.md).
//
// The leader waits for those who entered, not for a fixed team: a loop that nobody joined in time ends at once.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

template <machine::policy M>
class alignas(M::line_size) entry_gate {
  using order = machine::order;

 public:
  /// Leader: lets followers in. The gate is closed.
  void open() noexcept {
    // release: who enters sees the work item. A read-modify-write: a follower that came too late for the last loop may
    // still be on the count.
    word_.fetch_or(open_bit, order::release);
  }

  /// Whether a follower could enter; a hint.
  bool is_open() const noexcept { return (word_.load(order::relaxed) & open_bit) != 0; }

  /// Follower: true if now inside, obliged to leave().
  bool try_enter() noexcept {
    // relaxed look, so that who comes too late does not take the line.
    if (!is_open()) return false;
    // acquire: pairs with open(), so that the item is seen whole.
    if ((word_.fetch_add(1, order::acquire) & open_bit) != 0) return true;
    leave();
    return false;
  }

  /// Follower: goes out; the work item must not be touched afterwards.
  void leave() noexcept {
    // release: the leader that sees the count fall sees what this follower's iterations wrote. Being one in a chain
    // of read-modify-writes, it does not hide what others released before (release sequence).
    const std::uint64_t before = word_.fetch_sub(1, order::release);
    if (before == (asleep_bit | 1)) M::unpark(word_, 1);
  }

  /// Leader: no more may enter; returns when everybody has left, and all that they wrote is visible.
  void close_and_drain() noexcept {
    // acquire, here and in wait_while: the read that finds the gate empty must be one that sees what those who left
    // wrote. release is not needed: nobody reads anything through a closed gate.
    std::uint64_t word = word_.fetch_and(~open_bit, order::acquire) & ~open_bit;
    while (inside(word) != 0) {
      word = M::wait_while(word_, [](std::uint64_t w) { return inside(w) != 0; }, machine::patience::brief);
      if (inside(word) == 0) break;
      // A batch that takes long: sleep. The follower that leaves last sees the bit in its own fetch_sub. relaxed, and
      // into a variable of its own: what a failed exchange finds orders nothing, and may be the empty gate.
      std::uint64_t found = word;
      if ((word & asleep_bit) != 0 || word_.compare_exchange(found, word | asleep_bit, order::relaxed)) {
        M::park(word_, static_cast<std::uint32_t>(word | asleep_bit));
      }
    }
    // relaxed: it only spares followers that come too late a vain unpark.
    if ((word & asleep_bit) != 0) word_.fetch_and(~asleep_bit, order::relaxed);
  }

  /// In the child of a fork: whoever was inside did not come along.
  void forget_followers() noexcept { word_.store(0, order::relaxed); }

 private:
  // All in the low half, which park() compares.
  static constexpr std::uint64_t open_bit = std::uint64_t{1} << 31;
  static constexpr std::uint64_t asleep_bit = std::uint64_t{1} << 30;
  static constexpr std::uint64_t inside(std::uint64_t word) noexcept { return word & (asleep_bit - 1); }

  machine::atomic_of<M, std::uint64_t> word_{0};
};

}  // namespace callisto::workers
