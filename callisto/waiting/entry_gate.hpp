// The gate of a published loop: it counts the followers inside, and tells the leader when it may leave.
//
// The paper keeps the counts of active threads in the work item. That is unsafe: a follower that has read the shared
// pointer and stalls then registers in an item that its leader has left, having seen the counts at 0 (peers shipped
// this bug). So the counts stand here, in memory that lives as long as the workers, and one word holds both "open" and
// the count:
//
//   closed --open()--> open --try_enter()/leave()--> open, n inside
//   open, n inside --close_and_drain()--> closed, n inside --leave() x n--> closed, 0 inside; the leader returns
//
// 1. *Follower, enters:* adds itself to the count. It is inside only if the word was open at that moment.
// 2. *Follower, finds the word closed:* takes itself off again. The leader may have to wait for that.
// 3. *Follower, inside:* reads the item. The item may be a later loop than the announced one. That is harmless, because
//    the follower carries nothing over from what it saw: there is no generation number, no fence, and no ABA problem.
// 4. *Leader, has run all iterations:* closes the gate and waits for the followers that entered, not for a fixed team.
//    A loop that no follower joined ends at once.
//
// Adding cannot fail. With compare-and-swap the followers of a large machine get in each other's way (16 to 64 contexts
// a gate: docs/results/papers.md).
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::waiting {

/// The word of a gate. In thread-local data it shares its line: static thread-local memory is scarce where a library is
/// loaded later.
template <machine::policy M>
class entry_gate_word {
  using order = machine::order;

 public:
  /// Lets followers in. Called by the leader; the gate is closed.
  void open() noexcept {
    // release: publishes the work item to try_enter()'s acquire. A read-modify-write, since a follower that came too
    // late for the last loop may still be counted.
    word_.fetch_or(open_bit, order::release);
  }

  /// True if a follower could enter; a hint.
  bool is_open() const noexcept { return (word_.load(order::relaxed) & open_bit) != 0; }

  /// Enters. True if the follower is inside; it must then leave().
  bool try_enter() noexcept {
    // relaxed load: a follower that comes too late does not take the line.
    if (!is_open()) return false;
    // acquire: pairs with open(), so the follower sees the whole item.
    if ((word_.fetch_add(1, order::acquire) & open_bit) != 0) return true;
    leave();
    return false;
  }

  /// Leaves. The follower must not touch the work item afterwards.
  void leave() noexcept {
    // release: publishes what this follower's iterations wrote to the acquire in close_and_drain(). As one of a chain
    // of read-modify-writes it continues the release sequences of earlier ones.
    const std::uint64_t before = word_.fetch_sub(1, order::release);
    if (before == (asleep_bit | 1)) M::unpark(word_, 1);
  }

  /// Closes the gate. Returns when all followers have left; the leader then sees all that they wrote.
  void close_and_drain() noexcept {
    // acquire, here and in wait_while: pairs with the release in leave(). No release is needed: no thread reads
    // anything through a closed gate.
    std::uint64_t word = word_.fetch_and(~open_bit, order::acquire) & ~open_bit;
    while (inside(word) != 0) {
      word = M::wait_while(word_, [](std::uint64_t w) { return inside(w) != 0; }, machine::patience::brief);
      if (inside(word) == 0) break;
      // A batch takes long: sleep. The follower that leaves last sees the bit in its own fetch_sub. relaxed: the bit
      // publishes nothing. The result goes into a separate variable: what a failed exchange finds orders nothing, and
      // may be the empty gate.
      std::uint64_t found = word;
      if ((word & asleep_bit) != 0 || word_.compare_exchange(found, word | asleep_bit, order::relaxed)) {
        M::park(word_, static_cast<std::uint32_t>(word | asleep_bit));
      }
    }
    // relaxed: it only spares late followers a vain unpark.
    if ((word & asleep_bit) != 0) word_.fetch_and(~asleep_bit, order::relaxed);
  }

  /// Forgets the followers inside; called in the child of a fork, which does not have them.
  void forget_followers() noexcept { word_.store(0, order::relaxed); }

 private:
  // All bits are in the low half, which park() compares.
  static constexpr std::uint64_t open_bit = std::uint64_t{1} << 31;
  static constexpr std::uint64_t asleep_bit = std::uint64_t{1} << 30;
  static constexpr std::uint64_t inside(std::uint64_t word) noexcept { return word & (asleep_bit - 1); }

  machine::atomic_of<M, std::uint64_t> word_{0};
};

/// A gate that many threads enter: alone on its line.
template <machine::policy M>
class alignas(M::line_size) entry_gate : public entry_gate_word<M> {};

}  // namespace callisto::waiting
