// Fibers: execution contexts, each with a stack of its own, that threads switch between. The simulated and the checked
// machine run every hardware context as a fiber, so that they alone decide who goes on; on every machine activations
// (workers/activations/activation.hpp) run on fibers.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
#include <memory>

namespace callisto::machine {

/// Whether code stands on stacks: GCC puts it there for nested functions of C and internal procedures of Fortran whose
/// address is taken, and marks the object (PT_GNU_STACK). True if one that is loaded is marked. A microsecond or so.
CALLISTO_API bool stacks_hold_code() noexcept;

/// One execution context. It may be left on one OS thread and gone on with on another, provided that leaving it happens
/// before that (as in C++20 [intro.races]): a context may be switched to once switch_to(context, ...) has reached the
/// other side, not earlier. Exceptions in flight stay with their context. Not thread-safe otherwise.
class CALLISTO_API fiber {
 public:
  using entry = void (*)(void* argument);

  /// The context of the calling thread itself, to switch back to.
  fiber() noexcept;
  /// Made by another thread, it becomes the calling one's. Allocates nothing: the first allocation of a thread of
  /// glibc's reserves 64 MiB of address space.
  void become_this_threads() noexcept;
  /// A context that calls start(argument) when it is first switched to. `start` never returns: its last act is a
  /// switch. `stack_bytes` is rounded up to pages. Throws std::bad_alloc; a guard page below the stack turns an
  /// overflow into a fault. What is on the stack can be executed if stacks_hold_code() now.
  fiber(std::size_t stack_bytes, entry start, void* argument);
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// The running context `self` takes on the identity of a thread (thread_identity.hpp), until put_off(): from now on
  /// its thread-local data are those, whichever thread runs it. `home` is the context of the running thread itself, the
  /// only one that `self` may be switched to and from meanwhile. Exceptions that are caught at this time stay where
  /// they are: to be rethrown after put_off().
  static void take_on(fiber& self, fiber& home, void* thread_register) noexcept;
  /// Back to that of the running thread, whose own context is `home` now.
  static void put_off(fiber& self, fiber& home) noexcept;

  /// Lets a context that does not run begin anew with start(argument). What was on its stack is forgotten, not unwound:
  /// nothing there may own anything.
  void restart(entry start, void* argument) noexcept;

  /// What is on the stack can be executed from now on, unless the system refuses. From any thread.
  void let_hold_code() noexcept;

  /// Of a context that does not run: lets the system have the memory of the part of its stack that is not in use, if
  /// memory gets short; what the context holds stays. A system call, about a microsecond.
  void let_go() noexcept;

  /// Where the stack pointer of the context is saved while it does not run, for debuggers; what it points to is laid
  /// out as fiber.cpp says. Null where contexts are the C library's.
  void* const* saved_stack() const noexcept;

  /// Leaves `from`, which must be the running context, and goes on with `to`. Costs a few nanoseconds, no system call.
  static void switch_to(fiber& from, fiber& to) noexcept;

 private:
  struct state;
  void adopt_stack(entry start, void* argument) noexcept;

  std::unique_ptr<state> state_;
};

}  // namespace callisto::machine
