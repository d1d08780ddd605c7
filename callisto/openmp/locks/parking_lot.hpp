// A parking lot: waiting for a few bytes that a program owns, such as its locks. A waiting thread enters a queue in a
// table under their address, as in WebKit's ParkingLot and the kernel's futexes; here it is a suspendable that waits.
#pragma once

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/waiting/latch.hpp>
#include <callisto/waiting/spinning.hpp>

#include <concepts>
#include <cstdint>
#include <mutex>

namespace callisto::openmp {

/// A waiting thread's entry, on that thread's stack.
struct waiter {
  const void* address;
  suspendable* thread;
  waiter* next = nullptr;
};

/// The queue of all addresses with one hash value.
struct alignas(native::line_size) wait_queue {
  waiting::latch<native> latch;
  waiter* first = nullptr;
  waiter* last = nullptr;
};

wait_queue& queue_of(const void* address) noexcept;

/// Suspends the caller until wake() for `address`. If `still()` is false, returns at once. It is called with the
/// queue's latch held. So a thread that makes it false and then calls wake() wakes the caller.
template <std::predicate Still>
void wait_at(const void* address, suspendable& self, Still still) noexcept {
  wait_queue& queue = queue_of(address);
  waiter mine{.address = address, .thread = &self};
  const suspendable::shielded shield(self);
  {
    const std::scoped_lock held(queue.latch);
    if (!still()) return;
    (queue.first == nullptr ? queue.first : queue.last->next) = &mine;
    queue.last = &mine;
  }
  self.suspend();
}

/// Resumes up to `most` threads that wait at `address`, in order of arrival.
void wake(const void* address, unsigned most) noexcept;

/// Empties all queues, in the child of fork().
void forget_waiters() noexcept;

/// Spins until `done()`, for as long as `self` spins. Returns false if it gave up.
template <std::predicate Done>
bool spin_until(suspendable& self, Done done) noexcept {
  const waiting::spinning<native> spin(self);
  do {
    for (int turn = 0; turn < 32; ++turn) {
      if (done()) return true;
      native::relax();
    }
  } while (!self.has_better_to_do() && !spin.is_over());
  return false;
}

}  // namespace callisto::openmp
