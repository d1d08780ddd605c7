// Fibers: execution contexts, each with its own stack, between which threads switch. The simulated and the checked
// machine run every hardware context as a fiber, so that they alone decide which runs. On every machine activations
// (workers/activations/activation.hpp) run on fibers.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
#include <memory>

namespace callisto::machine {

/// One execution context. It may be left on one OS thread and continued on another, if leaving happens before that
/// (C++20 [intro.races]): another thread may switch to a context once switch_to(context, ...) has reached the other
/// side. Exceptions in flight stay with their context. Otherwise not thread-safe.
class CALLISTO_API fiber {
 public:
  using entry = void (*)(void* argument);

  /// Makes the context of the calling thread itself, to switch back to.
  fiber() noexcept;
  /// Makes a context that another thread made the calling thread's own. Allocates nothing: the first allocation of a
  /// thread reserves 64 MiB of address space in glibc.
  void become_this_threads() noexcept;
  /// Makes a context that calls start(argument) at the first switch to it. `start` never returns: its last act is a
  /// switch. `stack_bytes` is rounded up to pages. Throws std::bad_alloc. A guard page below the stack turns an
  /// overflow into a fault.
  fiber(std::size_t stack_bytes, entry start, void* argument);
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Gives the running context `self` the identity of a thread (thread_identity.hpp) until put_off(): its thread-local
  /// data are that thread's, whichever thread runs it. `home` is the context of the running thread itself, the only one
  /// with which `self` may switch meanwhile. Exceptions caught at this time stay where they are, and are rethrown after
  /// put_off().
  static void take_on(fiber& self, fiber& home, void* thread_register) noexcept;
  /// Restores the identity of the running thread; `home` is now that thread's own context.
  static void put_off(fiber& self, fiber& home) noexcept;

  /// Calls call(argument) on the stack below `stack`, which is aligned to 16 bytes. For the running context, which
  /// carries an identity.
  static void call_on(fiber& self, void* stack, void (*call)(void*), void* argument) noexcept;
  /// Returns where the context's own stack is free in call_on(); null: the context is not in call_on().
  void* free_stack() const noexcept;

  /// Lets a context that does not run begin anew with start(argument). Its stack is forgotten, not unwound: nothing
  /// there may own anything.
  void restart(entry start, void* argument) noexcept;

  /// Lets the system take the memory of the unused part of the stack, if memory gets short; for a context that does not
  /// run. A system call, about 1 us.
  void let_go() noexcept;

  /// Returns where the stack pointer of the context is saved while it does not run, for debuggers; fiber.cpp gives the
  /// layout. Null where contexts are the C library's.
  void* const* saved_stack() const noexcept;

  /// Leaves `from`, which must be the running context, and continues `to`. Costs a few nanoseconds, no system call.
  static void switch_to(fiber& from, fiber& to) noexcept;

 private:
  struct state;
  void adopt_stack(entry start, void* argument) noexcept;

  std::unique_ptr<state> state_;
};

}  // namespace callisto::machine
