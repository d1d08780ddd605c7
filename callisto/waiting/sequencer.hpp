// A sequencer (Reed and Kanodia, 1979): a number that its holder passes on and that other threads wait for. `ordered`
// regions run in its order.
//
// An SVar under a latch (latch.hpp) would do. But taking the latch, writing and releasing it are three stores on a line
// that the next waiter watches, and each may have to fetch it back. Here hand_on() is one exchange: the word has the
// number and a mark, `has_sleepers`.
//
// 1. *Waiter, sleeps:* under the lock, and only while the number is not its own, sets the mark and queues.
// 2. *Holder, hands on the number that the mark was set at:* its exchange finds the mark and clears it. The holder
//    looks into the queue, resumes the sleeper of the new number, and sets the mark again if more waiters sleep.
// 3. *Holder, hands on without the mark:* does not look at the queue. The number never passes a sleeper that way, since
//    only the sleeper itself hands its number on.
//
// So it is enough that a thread which sets the mark looks for the sleeper of the number that stands then, or for an
// empty queue.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/spin_lock.hpp>
#include <callisto/waiting/spinning.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <cstdint>
#include <mutex>
#include <utility>

namespace callisto::waiting {

/// Passes on numbers below 2^63; no two threads wait for the same one. Alone on its line, which waiters watch.
template <machine::policy M>
class alignas(M::line_size) sequencer {
  using order = machine::order;

 public:
  sequencer() = default;
  sequencer(const sequencer&) = delete;
  sequencer& operator=(const sequencer&) = delete;

  /// Passes the turn to `next`, which sees what the caller did. Called, shielded (suspendable.hpp), by the suspendable
  /// that has the turn. One exchange if no thread sleeps.
  void hand_on(std::uint64_t next) noexcept {
    // release: publishes what the caller did to the acquires in wait_for(). The mark needs no order: the lock orders
    // sleepers.
    if ((word_.exchange(next << 1, order::release) & has_sleepers) != 0) [[unlikely]]
      wake();
  }

  /// Blocks until it is `number`'s turn; the caller then sees what was done before. Spins for as long as `self` does,
  /// then suspends it. `self` is shielded.
  void wait_for(std::uint64_t number, suspendable<M>& self) noexcept {
    const auto not_mine = [number](std::uint64_t word) { return word >> 1 != number; };
    // acquire, here and below: pairs with the release in hand_on().
    if (!not_mine(word_.load(order::acquire))) return;
    const spinning<M> spin(self);
    while (!self.has_better_to_do()) {
      if (!not_mine(glance<M, std::uint64_t>(word_, not_mine))) return;
      if (spin.is_over()) break;
    }
    sleeper mine{number, &self, nullptr};
    {
      const std::scoped_lock held(lock_);
      std::uint64_t word;
      do {
        word = word_.load(order::acquire);
        if (!not_mine(word)) return;
      } while (!mark(word));
      mine.next = sleepers_;
      sleepers_ = &mine;
    }
    self.suspend();
  }

 private:
  static constexpr std::uint64_t has_sleepers = 1;

  /// A waiter, on its own stack.
  struct sleeper {
    std::uint64_t number;
    suspendable<M>* waiter;
    sleeper* next;
  };

  /// Marks the word, with the lock held; false if it has changed.
  bool mark(std::uint64_t word) noexcept {
    // relaxed: only the mark is new.
    return word_.compare_exchange(word, word | has_sleepers, order::relaxed);
  }

  /// Takes the sleeper for `number` out of the list, with the lock held; null if there is none.
  sleeper* take(std::uint64_t number) noexcept {
    sleeper* before = nullptr;
    for (sleeper* s = sleepers_; s != nullptr; before = std::exchange(s, s->next)) {
      if (s->number != number) continue;
      if (before == nullptr) {
        sleepers_ = s->next;
      } else {
        before->next = s->next;
      }
      return s;
    }
    return nullptr;
  }

  /// Resumes the sleeper for the current number, and sets the mark again for other sleepers.
  [[gnu::noinline]] void wake() noexcept {
    sleeper* ready;
    {
      const std::scoped_lock held(lock_);
      std::uint64_t word;
      do {
        word = word_.load(order::acquire);
        // If there is a sleeper for the number, the number stays until that one is resumed.
        ready = take(word >> 1);
      } while (sleepers_ != nullptr && !mark(word) && ready == nullptr);
    }
    if (ready != nullptr) ready->waiter->resume();
  }

  machine::atomic_of<M, std::uint64_t> word_{0};
  spin_lock<M> lock_;
  machine::plain_of<M, sleeper*> sleepers_{nullptr};
};

}  // namespace callisto::waiting
