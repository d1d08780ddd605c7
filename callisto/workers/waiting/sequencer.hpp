// A turn: a number that whoever has the turn hands on, and that others wait for. What `ordered` regions are in turn by.
//
// An SVar under a latch would do (latch.hpp), but to take the latch, to write and to let it go are three stores on a
// line that the next one watches, and may each have to fetch it back from there. Here handing on is one exchange: the
// word has the number and a mark, "somebody sleeps". Who goes to sleep sets the mark and queues, both with the lock
// held, while the turn is another's; so whoever hands on from there finds the mark, and the sleeper in the queue. The
// exchange takes the mark away, and who found it puts it back if others sleep on. Meanwhile the turn may have been
// handed on without a look at the queue, but never past a sleeper, for whose number nobody else hands on: so it is
// enough to look for who sleeps for the number that stands there when the mark does, or the queue is empty.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/waiting/latch.hpp>
#include <callisto/workers/waiting/suspendable.hpp>
#include <callisto/workers/waiting/spin_lock.hpp>

#include <cstdint>
#include <mutex>
#include <utility>

namespace callisto::workers {

/// Numbers are below 2^63, and no two parties wait for the same one. On a line of its own, which those who wait watch.
template <machine::policy M>
class alignas(M::line_size) sequencer {
  using order = machine::order;

 public:
  sequencer() = default;
  sequencer(const sequencer&) = delete;
  sequencer& operator=(const sequencer&) = delete;

  /// By the party whose turn it is, shielded (party.hpp): it is `next`'s turn, which sees what the caller did. One
  /// exchange, if nobody sleeps.
  void hand_on(std::uint64_t next) noexcept {
    // release: what the caller did, for who waits. For the mark no order is needed: the lock orders who sleeps.
    if ((word_.exchange(next << 1, order::release) & somebody_sleeps) != 0) [[unlikely]]
      wake();
  }

  /// Returns when it is `number`'s turn, and what was done before it was handed on is visible. Spins for as long as
  /// `self` does, then suspends it. `self` is shielded.
  void wait_for(std::uint64_t number, suspendable<M>& self) noexcept {
    const auto not_mine = [number](std::uint64_t word) { return word >> 1 != number; };
    // acquire, here and below: what whoever handed it on did.
    if (!not_mine(word_.load(order::acquire))) return;
    const std::uint64_t begin = M::ticks();
    while (!self.has_better_to_do()) {
      if (!not_mine(glance<M, std::uint64_t>(word_, not_mine))) return;
      if (M::ticks() - begin >= self.spin_ticks()) break;
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
  static constexpr std::uint64_t somebody_sleeps = 1;

  /// On its own stack.
  struct sleeper {
    std::uint64_t number;
    suspendable<M>* who;
    sleeper* next;
  };

  /// With the lock held: marks the word; false if it is another by now.
  bool mark(std::uint64_t word) noexcept {
    // relaxed: only the mark is new.
    return word_.compare_exchange(word, word | somebody_sleeps, order::relaxed);
  }

  /// With the lock held: who sleeps for `number`, out of the list; null: nobody.
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

  /// Resumes who sleeps for the number that stands there, and puts the mark back for those who sleep on.
  [[gnu::noinline]] void wake() noexcept {
    sleeper* ready;
    {
      const std::scoped_lock held(lock_);
      std::uint64_t word;
      do {
        word = word_.load(order::acquire);
        // If somebody sleeps for it, there it stays until he is resumed.
        ready = take(word >> 1);
      } while (sleepers_ != nullptr && !mark(word) && ready == nullptr);
    }
    if (ready != nullptr) ready->who->resume();
  }

  machine::atomic_of<M, std::uint64_t> word_{0};
  spin_lock<M> lock_;
  machine::plain_of<M, sleeper*> sleepers_{nullptr};
};

}  // namespace callisto::workers
