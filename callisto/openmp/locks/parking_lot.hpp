// Waiting for something of a few bytes that a program owns, such as its locks: who waits queues in a table under the
// address (the idea of WebKit's ParkingLot and of the kernel's futexes, with parties for threads).
#pragma once

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/workers/waiting/latch.hpp>

#include <concepts>
#include <cstdint>
#include <mutex>

namespace callisto::openmp {

/// One that waits, on its own stack.
struct waiter {
  const void* address;
  suspendable* thread;
  waiter* next = nullptr;
};

/// Those whose addresses fall together.
struct alignas(native::line_size) wait_queue {
  workers::latch<native> latch;
  waiter* first = nullptr;
  waiter* last = nullptr;
};

wait_queue& queue_of(const void* address) noexcept;

/// Suspends the caller until wake() for `address`, unless `still()` is false, which is called with the queue's latch
/// held: whoever makes it false and calls wake() afterwards wakes it.
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

/// Lets up to `most` of those go on that wait at `address`, first come, first served.
void wake(const void* address, unsigned most) noexcept;

/// The child of fork(): nobody waits.
void forget_waiters() noexcept;

/// Spins for as long as `self` does, until `done()`; false: that was in vain.
template <std::predicate Done>
bool spin_until(suspendable& self, Done done) noexcept {
  const std::uint64_t begin = native::ticks();
  do {
    for (int turn = 0; turn < 32; ++turn) {
      if (done()) return true;
      native::relax();
    }
  } while (!self.has_better_to_do() && native::ticks() - begin < self.spin_ticks());
  return false;
}

}  // namespace callisto::openmp
