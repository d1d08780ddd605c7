// Latches, synchronization variables (SVars), and waiting for a condition on them (Callisto, EuroSys 2014, section
// 2.4). Runtimes build their barriers, mutexes and queues of them.
//
// A latch is a version number, odd while it is held, and a queue of waiters.
//
// 1. *Waiter, spins:* watches the version. It tests its condition again after another thread has held the latch, since
//    nothing else can change an SVar.
// 2. *Waiter, suspends:* if it has better to do (suspendable.hpp) or has spun for long enough, it queues its condition
//    and suspends.
// 3. *Holder, releases:* if it wrote an SVar, it tests the conditions in the queue and resumes the waiters of those
//    that hold. So a release costs the queue's length only if an SVar was written.
//
// Two threads that wait for each other's latches deadlock, as with any mutex. A latch is for a few instructions, and
// its holder never waits.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/spinning.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace callisto::waiting {

template <machine::policy M>
class svar;

/// A waiter's condition: a function of SVars under one latch. The waiter, or a thread that releases the latch, calls it
/// with the latch held. As a probe it is also called without, and may then see values that never stood together.
template <class P>
concept condition = std::predicate<P&>;

/// A latch: the paper's LatchInit, LatchAcquire, LatchRelease. Meets BasicLockable, so std::scoped_lock holds one.
/// Uncontended, both take 10 ns.
template <machine::policy M>
class latch {
  using order = machine::order;

 public:
  latch() = default;
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  void lock() noexcept {
    for (;;) {
      const std::uint64_t version = M::wait_while(version_, is_held, machine::patience::brief);
      std::uint64_t found = version;
      // relaxed: no version comes twice, so this is the one that the acquire above read, with what the last holder
      // wrote.
      if (!is_held(version) && version_.compare_exchange(found, version + 1, order::relaxed)) return;
    }
  }

  /// Releases the latch. If an SVar was written, resumes the queued waiters with a condition that holds.
  void unlock() noexcept { static_cast<void>(release()); }

 private:
  template <machine::policy>
  friend class svar;
  template <machine::policy N, class P>
  friend void sync_wait_until_true(latch<N>&, P, suspendable<N>&);
  template <machine::policy N, class P>
  friend void sync_wait_known_false(latch<N>&, P, suspendable<N>&);
  template <machine::policy N, class P>
  friend std::uint64_t sync_wait_value(svar<N>&, P, suspendable<N>&);

  /// A waiter, on its own stack.
  struct entry {
    bool (*holds)(void*);
    void* condition;
    suspendable<M>* waiter;
    entry* next;
  };

  /// Entries in order of arrival. Plain data, which the checker watches for races.
  struct chain {
    machine::plain_of<M, entry*> first{nullptr};
    machine::plain_of<M, entry*> last{nullptr};
    void append(entry& e) noexcept {
      if (first == nullptr) {
        first = &e;
      } else {
        last->next = &e;
      }
      last = &e;
    }
  };

  static bool is_held(std::uint64_t version) noexcept { return version % 2 != 0; }

  /// Releases the latch and returns its new version.
  std::uint64_t release() noexcept {
    entry* ready = nullptr;
    if (dirty_) {
      dirty_ = false;
      if (queue_.first != nullptr) ready = take_ready();
    }
    // relaxed: only the holder changes an odd version.
    const std::uint64_t after = version_.load(order::relaxed) + 1;
    // release: publishes the holder's writes to lock()'s wait_while.
    version_.store(after, order::release);
    // Only now: a resumed waiter usually takes the latch. An entry is gone once its owner goes on.
    while (ready != nullptr) std::exchange(ready, ready->next)->waiter->resume();
    return after;
  }

  /// Takes the waiters with a condition that holds out of the queue, in order.
  entry* take_ready() noexcept {
    chain ready;
    chain kept;
    for (entry* e = queue_.first; e != nullptr;) {
      entry* const next = std::exchange(e->next, nullptr);
      (e->holds(e->condition) ? ready : kept).append(*e);
      e = next;
    }
    queue_ = kept;
    return ready.first;
  }

  /// Queues the condition, releases the latch, and suspends. Returns without the latch, after another thread has found
  /// the condition to hold.
  template <condition P>
  void queue_and_suspend(P& holds, suspendable<M>& self) noexcept {
    entry mine{[](void* condition) -> bool { return (*static_cast<P*>(condition))(); }, &holds, &self, nullptr};
    queue_.append(mine);
    unlock();
    self.suspend();
  }

  machine::atomic_of<M, std::uint64_t> version_{0};
  machine::plain_of<M, bool> dirty_{false};  ///< an SVar was written since the latch was taken
  chain queue_;
};

/// A synchronization variable, the paper's SVarInit, SVarRead, SVarWrite: a number under a latch.
template <machine::policy M>
class svar {
  using order = machine::order;

 public:
  svar(latch<M>& by, std::uint64_t value) noexcept : by_(by), value_(value) {}

  /// Returns the value, with or without the latch held. All that its writer did before is visible.
  std::uint64_t read() const noexcept {
    return value_.load(order::acquire);
  }  // acquire: pairs with write(), for waiters without the latch

  /// Sets the value. The caller holds the latch.
  void write(std::uint64_t value) noexcept {
    by_.dirty_ = true;
    value_.store(value, order::release);  // release: publishes the writer's actions to read()
  }

 private:
  template <machine::policy N, class P>
  friend std::uint64_t sync_wait_value(svar<N>&, P, suspendable<N>&);

  latch<M>& by_;
  machine::atomic_of<M, std::uint64_t> value_;
};

/// Does SyncWaitUntilTrue for a caller that knows that the condition does not hold: skips the first test.
template <machine::policy M, class P>
void sync_wait_known_false(latch<M>& by, P holds, suspendable<M>& self) {
  static_assert(condition<P>);
  const spinning<M> spin(self);
  for (std::uint64_t seen = by.release(); !self.has_better_to_do();) {
    const auto nothing_new = [seen](std::uint64_t version) { return version == seen || latch<M>::is_held(version); };
    const std::uint64_t version = glance<M, std::uint64_t>(by.version_, nothing_new);
    if (!nothing_new(version)) {
      seen = version;
      if (!holds()) continue;
      by.lock();
      if (holds()) return;
      seen = by.release();
    } else if (spin.is_over()) {
      break;
    }
  }
  by.lock();
  while (!holds()) {
    by.queue_and_suspend(holds, self);
    by.lock();
  }
}

/// Blocks until `holds()`: SyncWaitUntilTrue. `self` holds the latch `by` before and after; in between the latch is
/// free. `holds` is a condition and must not throw. Costs nothing if it holds at once.
template <machine::policy M, class P>
void sync_wait_until_true(latch<M>& by, P holds, suspendable<M>& self) {
  static_assert(condition<P>);
  if (!holds()) sync_wait_known_false(by, std::move(holds), self);
}

/// Blocks until `wanted(value)` of one SVar, and returns that value, which may have changed since. The caller does not
/// hold the latch, before or after; it is not taken unless the wait is long. A specialization for the most common
/// condition (section 2.4, Optimizations). All that the value's writer did before is visible.
template <machine::policy M, class P>
std::uint64_t sync_wait_value(svar<M>& of, P wanted, suspendable<M>& self) {
  static_assert(std::predicate<P&, std::uint64_t>);
  std::uint64_t value = of.read();
  if (wanted(value)) return value;
  const spinning<M> spin(self);
  while (!self.has_better_to_do()) {
    value = glance<M, std::uint64_t>(of.value_, [&wanted](std::uint64_t v) { return !wanted(v); });
    if (wanted(value)) return value;
    if (spin.is_over()) break;
  }
  auto holds = [&] {
    // acquire, through read(): a thread that finds the value for this waiter passes on what it saw when it resumes the
    // waiter.
    const std::uint64_t now = of.read();
    if (!wanted(now)) return false;
    value = now;
    return true;
  };
  of.by_.lock();
  if (holds()) {
    of.by_.unlock();
  } else {
    of.by_.queue_and_suspend(holds, self);
  }
  return value;
}

}  // namespace callisto::waiting
