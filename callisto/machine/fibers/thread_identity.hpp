// Identities of threads under which another thread can run: thread-local data, errno, malloc's caches, all that
// programs find through the thread register.
//
// An identity is that of a thread made for it, the lender, which does nothing else. On x86-64 with FSGSBASE a context
// carries it: the thread that runs the context points the FS base at the lender's block meanwhile (fiber.hpp). The
// context stands on the lender's stack, which is free: what asks the C library for a thread's stack gets the right one.
// Elsewhere, and under the sanitizers, which have thread-local state themselves, the lender runs what must run under
// its identity, and the other thread waits: the compatible way, 2 us a switch.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
#include <memory>

#include <pthread.h>

namespace callisto::machine {

/// An identity, used by one context at a time. When it is destroyed, its thread runs its thread_local destructors and
/// ends.
class CALLISTO_API thread_identity {
 public:
  /// Makes the lender. `carried`: contexts carry it, which requires can_be_carried(). The lender's stack, on which runs
  /// what has the identity, is as large as said. `anywhere`: it may run where the process may; else where its creator
  /// may. Throws error if the system refuses a thread.
  explicit thread_identity(bool carried = can_be_carried(), std::size_t stack_bytes = std::size_t{256} << 10,
                           bool anywhere = true);
  ~thread_identity();
  thread_identity(const thread_identity&) = delete;
  thread_identity& operator=(const thread_identity&) = delete;

  /// Says that no context uses the identity any more, so its thread may end. A caller that destroys several says so to
  /// all of them first, so that they end side by side.
  void end() noexcept;

  /// True if the kernel lets programs write the thread register (Linux 5.9), and no sanitizer watches.
  static bool can_be_carried() noexcept;

  /// Returns the running context's thread register; null where identities are not carried.
  static void* running_register() noexcept;

  /// Returns the running thread's own register, whatever identity its context carries. Null if there is none, as in a
  /// child of vfork(), or no identity was carried yet. A system call; safe in handlers of signals.
  static void* own_register() noexcept;

  /// Returns the thread register for a context that carries this identity; null if it is not carried. The first call
  /// waits until the lender has started and parked.
  void* thread_register() const noexcept;

  /// Returns where the lender's stack is free, for what carries the identity; after thread_register().
  void* stack() const noexcept;

  /// Lets the lender call call(argument), then park again. For a carried identity that no context uses meanwhile,
  /// except what the call itself switches to; the call may say so last, by any release that the next user acquires, and
  /// touches no thread-local data afterwards. The last call of run() has got so far before. The call has some 4 KiB of
  /// stack, and signals are blocked in it. A system call, which does not allocate.
  void run(void (*call)(void*), void* argument) noexcept;

  // Numbers of threads in the kernel. Safe in handlers.

  /// Returns the lender's number to what runs under its identity, and to the lender; 0 elsewhere, where identities are
  /// not carried, and after forget_number().
  static int number_here() noexcept;
  /// Forgets number_here(), in the child of fork(): the kernel gives its thread another number.
  static void forget_number() noexcept;
  /// Returns the lender with this number; 0: there is none, or there are more than 4,096.
  static pthread_t lender_with(int number) noexcept;

  // The compatible way:

  /// Sets what the lender calls next.
  void prepare(void (*call)(void*), void* argument) noexcept;
  /// Lets the lender begin or continue; returns when it leaves or its call has returned.
  void enter() noexcept;
  /// Lets the thread that entered go on; returns when a thread enters again. Called by the lender.
  void leave() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace callisto::machine
