// Identities of threads that another thread can run under: thread-local data, errno, malloc's caches, all that programs
// find through the thread register.
//
// An identity is that of a thread made for it, which does nothing but lend it. On x86-64 with FSGSBASE a context
// carries it: whoever runs the context points the FS base at the lender's block meanwhile (fiber.hpp). Elsewhere, and
// under the sanitizers, whose own state is thread-local, the lender itself runs what is to run under its identity,
// while whoever would have run it waits: the compatible way, two microseconds a switch.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
#include <memory>

namespace callisto::machine {

/// Used by one context at a time. When it is destroyed, its thread runs its thread_local destructors and ends.
class CALLISTO_API thread_identity {
 public:
  /// `carried`: to be carried by contexts, which takes can_be_carried(). The lender's stack is as large as said; only
  /// the compatible way uses it. Throws error if the system refuses a thread.
  explicit thread_identity(bool carried = can_be_carried(), std::size_t stack_bytes = std::size_t{256} << 10);
  ~thread_identity();
  thread_identity(const thread_identity&) = delete;
  thread_identity& operator=(const thread_identity&) = delete;

  /// Nobody uses it any more: its thread may end from now on. Who destroys several says so to all of them first, so
  /// that they end side by side.
  void end() noexcept;

  /// Whether the kernel lets programs write the thread register (Linux 5.9), and no sanitizer watches.
  static bool can_be_carried() noexcept;

  /// The running context's thread register; null where identities are not carried.
  static void* running_register() noexcept;

  /// The running thread's own, whatever identity its context carries. Null: there is none, as in a child of vfork(), or
  /// no identity was carried yet. A system call; also in handlers of signals.
  static void* own_register() noexcept;

  /// What a context that carries it has as its thread register; null: it is not to be carried. The first call waits
  /// until the lender has started and parked.
  void* thread_register() const noexcept;

  // The compatible way:

  /// What the lender is to call next.
  void prepare(void (*call)(void*), void* argument) noexcept;
  /// Lets the lender go on, or begin, and returns when it leaves or its call has returned.
  void enter() noexcept;
  /// For the lender: lets whoever entered go on, and returns when somebody enters again.
  void leave() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace callisto::machine
