// Completion events: a task waits until all operations and tasks that were enrolled have ended, at all ranks.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/memory/answer.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/synchronization/completion_counts.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

namespace callisto::global {

class completion_event;

/// The right to enroll in an event, and to end what was enrolled: 8 bytes, valid in every rank. A task or delegate that
/// is enrolled itself may enroll more by its ticket.
class CALLISTO_API completion_ticket {
 public:
  completion_ticket() noexcept = default;
  explicit completion_ticket(global_address<completion_event> event) noexcept : event_(event) {}

  /// Counts `n` more operations, which the caller is about to send or queue.
  void enroll(std::uint64_t n = 1) const;
  /// Ends `n` operations that this rank enrolled.
  void settle(std::uint64_t n = 1) const;
  /// Says that an operation which `from` enrolled begins here; settle() ends it.
  void arrive(int from) const;
  /// The ticket of a ticket is itself, so that operations can be posted to either.
  completion_ticket ticket() const noexcept { return *this; }

 private:
  global_address<completion_event> event_;
};

/// The GlobalCompletionEvent of the paper. It lies in the memory of one rank, its *home*, for example on the stack of
/// the task that waits. It can be used again after wait(). One word; operations on memory of the own rank cost nothing,
/// and what another rank does for it costs one message for many operations.
class CALLISTO_API completion_event {
 public:
  completion_event();
  completion_event(const completion_event&) = delete;
  completion_event& operator=(const completion_event&) = delete;
  /// Nothing is enrolled.
  ~completion_event() = default;

  completion_ticket ticket() noexcept { return completion_ticket(global_address<completion_event>::at(home_, this)); }

  /// Counts `n` operations. At home, or by an enrolled task through its ticket.
  void enroll(std::uint64_t n = 1) { counts_.enroll(n); }
  /// Ends `n` operations that were enrolled at home.
  void settle(std::uint64_t n = 1) { finish(counts_.settle(n)); }

  /// Suspends the worker until all that is enrolled has ended. Its effects are visible then. At home. Several workers
  /// may wait.
  void wait(std::source_location where = std::source_location::current());

  /// True if wait() would return at once.
  bool is_done() const noexcept { return counts_.is_done(); }

 private:
  friend class completion_ticket;
  using counts = completion_counts<machine::native>;

  void finish(const counts::outcome& o);

  int home_;
  counts counts_;
  waiting::spin_lock<machine::native> lock_;
  std::vector<arrival*> waiters_;
};

/// Ends one operation of an event when the scope ends.
class settles_at_end {
 public:
  explicit settles_at_end(completion_ticket ticket) noexcept : ticket_(ticket) {}
  ~settles_at_end() { ticket_.settle(); }
  settles_at_end(const settles_at_end&) = delete;
  settles_at_end& operator=(const settles_at_end&) = delete;

 private:
  completion_ticket ticket_;
};

/// Queues a task at this core, enrolled in an event. If it throws, it has ended, too; the phase throws.
template <class F>
void spawn(completion_ticket ticket, F f) {
  ticket.enroll();
  spawn([ticket, f = std::move(f)]() mutable {
    const settles_at_end end(ticket);
    f();
  });
}
template <class F>
void spawn(completion_event& event, F f) {
  spawn(event.ticket(), std::move(f));
}

}  // namespace callisto::global
