// Latches, synchronization variables (SVars), and waiting for a condition on them (Callisto, EuroSys 2014,
// section 2.4): what runtimes build their barriers, mutexes and queues of.
//
// A latch is a version number, odd while it is held, and a queue of those who wait for a condition. Waiting is first
// active: the waiter watches the version, and tries its condition again after the latch was held by somebody, since
// nothing else can change an SVar. It stops spinning when it has better to do (party.hpp) or has spun for long enough;
// then it is passive: it queues its condition, and whoever releases the latch after writing an SVar tries the
// conditions in the queue and resumes those whose condition holds. So a release costs a queue's length only where SVars
// were written while it was held.
//
// Two threads that wait for each other's latches deadlock, as with any mutex; a latch is for a few instructions, and is
// never held while its holder waits.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/waiting/suspendable.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace callisto::workers {

/// As M::wait_while, but for a microsecond or so where that is possible: for waiters who have more to look at than one
/// word.
template <machine::policy M, class T, class Keep>
T glance(const machine::atomic_of<M, T>& word, Keep keep) noexcept {
  if constexpr (requires { M::relax(); }) {
    // acquire: as in wait_while.
    T value = word.load(machine::order::acquire);
    for (int turn = 0; turn < 32 && keep(value); ++turn) {
      M::relax();
      value = word.load(machine::order::acquire);
    }
    return value;
  } else {
    return M::wait_while(word, keep, machine::patience::brief);
  }
}

template <machine::policy M>
class svar;

/// A condition as waiters state it: a function of SVars under one latch, called with the latch held by the waiter or by
/// whoever releases the latch, and without it as a probe, which may see values that never stood together.
template <class P>
concept condition = std::predicate<P&>;

/// LatchInit, LatchAcquire, LatchRelease. Meets BasicLockable, so that std::scoped_lock holds one. Uncontended, 10 ns
/// for both.
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
      // relaxed: no version comes twice, so it is the one that was read with acquire above: what the last holder wrote.
      if (!is_held(version) && version_.compare_exchange(found, version + 1, order::relaxed)) return;
    }
  }

  /// Resumes those in the queue whose condition holds now, if an SVar was written.
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

  /// One who waits, on his own stack.
  struct entry {
    bool (*holds)(void*);
    void* condition;
    suspendable<M>* who;
    entry* next;
  };

  /// Entries in the order in which they came. Plain data for the checker to watch.
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

  /// Returns the version that the latch then has.
  std::uint64_t release() noexcept {
    entry* ready = nullptr;
    if (dirty_) {
      dirty_ = false;
      if (queue_.first != nullptr) ready = take_ready();
    }
    // relaxed: only the holder changes an odd version.
    const std::uint64_t after = version_.load(order::relaxed) + 1;
    // release: the next holder sees what this one wrote.
    version_.store(after, order::release);
    // Only now: who is resumed takes the latch, as a rule. An entry is gone once its owner goes on.
    while (ready != nullptr) std::exchange(ready, ready->next)->who->resume();
    return after;
  }

  /// Those whose condition holds, out of the queue, in order.
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

  /// With the latch held, which is released: returns when somebody found the condition to hold; the latch is not held
  /// then.
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

/// SVarInit, SVarRead, SVarWrite: a number under a latch.
template <machine::policy M>
class svar {
  using order = machine::order;

 public:
  svar(latch<M>& by, std::uint64_t value) noexcept : by_(by), value_(value) {}

  /// With or without the latch. What its writer did before is visible.
  std::uint64_t read() const noexcept {
    return value_.load(order::acquire);
  }  // acquire: for who waits without the latch

  /// With the latch held.
  void write(std::uint64_t value) noexcept {
    by_.dirty_ = true;
    value_.store(value, order::release);  // release: as read() says
  }

 private:
  template <machine::policy N, class P>
  friend std::uint64_t sync_wait_value(svar<N>&, P, suspendable<N>&);

  latch<M>& by_;
  machine::atomic_of<M, std::uint64_t> value_;
};

/// SyncWaitUntilTrue for a caller who knows that the condition does not hold: as below, but for the first test.
template <machine::policy M, class P>
void sync_wait_known_false(latch<M>& by, P holds, suspendable<M>& self) {
  static_assert(condition<P>);
  const std::uint64_t begin = M::ticks();
  for (std::uint64_t seen = by.release(); !self.has_better_to_do();) {
    const auto nothing_new = [seen](std::uint64_t version) { return version == seen || latch<M>::is_held(version); };
    const std::uint64_t version = glance<M, std::uint64_t>(by.version_, nothing_new);
    if (!nothing_new(version)) {
      seen = version;
      if (!holds()) continue;
      by.lock();
      if (holds()) return;
      seen = by.release();
    } else if (M::ticks() - begin >= self.spin_ticks()) {
      break;
    }
  }
  by.lock();
  while (!holds()) {
    by.queue_and_suspend(holds, self);
    by.lock();
  }
}

/// SyncWaitUntilTrue: with the latch `by` held by `self`, returns with it held and `holds()` true. In between the latch
/// is free. `holds` must not throw, and is a condition as said above. Costs nothing if it holds at once.
template <machine::policy M, class P>
void sync_wait_until_true(latch<M>& by, P holds, suspendable<M>& self) {
  static_assert(condition<P>);
  if (!holds()) sync_wait_known_false(by, std::move(holds), self);
}

/// Waits until `wanted(value)` of one SVar; returns that value, which may be another by now. The latch is not held by
/// the caller, before or after, and not taken at all unless the wait is long: a specialization for the most common
/// condition (section 2.4, Optimizations). What the value's writer did before is visible.
template <machine::policy M, class P>
std::uint64_t sync_wait_value(svar<M>& of, P wanted, suspendable<M>& self) {
  static_assert(std::predicate<P&, std::uint64_t>);
  std::uint64_t value = of.read();
  if (wanted(value)) return value;
  const std::uint64_t begin = M::ticks();
  while (!self.has_better_to_do()) {
    value = glance<M, std::uint64_t>(of.value_, [&wanted](std::uint64_t v) { return !wanted(v); });
    if (wanted(value)) return value;
    if (M::ticks() - begin >= self.spin_ticks()) break;
  }
  auto holds = [&] {
    // acquire, through read(): whoever finds it for us hands on what it saw when it resumes us.
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

}  // namespace callisto::workers
