// Bound contexts: stacks in the caller's memory that stay on one thread. A fiber (fiber.hpp) may be continued by
// another thread and carry a thread's identity; a bound context can do neither, and takes 32 bytes and half of a
// fiber's switch.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>

namespace callisto::machine {

/// The state that the C++ ABI keeps for each thread about exceptions in flight (Itanium C++ ABI: Exception Handling,
/// 2.2.2).
struct exceptions_in_flight {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

/// One execution context of one thread. Exceptions in flight stay with their context. Only its thread uses it.
class CALLISTO_API bound_context {
 public:
  using entry = void (*)(void* argument);

  /// Makes a context without a stack: prepare() or become_this_threads() comes next.
  bound_context() noexcept = default;
  ~bound_context();
  bound_context(const bound_context&) = delete;
  bound_context& operator=(const bound_context&) = delete;

  /// Stands for what the calling thread runs now, to switch back to.
  void become_this_threads();

  /// Lets the first switch to the context call start(argument) on the stack between `bottom` and `top` (aligned to 16
  /// bytes). `start` never returns: its last act is a switch. Needs 160 bytes of the stack at once.
  void prepare(std::byte* bottom, std::byte* top, entry start, void* argument);

  /// Returns where the stack pointer stands while the context does not run; null where contexts are the C library's.
  const void* stack_pointer() const noexcept { return stack_; }

  /// Returns the calling thread's exceptions in flight, for switch_to().
  static exceptions_in_flight& of_this_thread() noexcept;

  /// Leaves `from`, which must be the running context, and continues `to`. `exceptions` are the thread's. Costs about 4
  /// ns.
  static void switch_to(bound_context& from, bound_context& to, exceptions_in_flight& exceptions) noexcept;

 private:
  struct watched;
  static void first_entry(void* self) noexcept;

  void* stack_ = nullptr;  ///< where the registers are saved while the context does not run
  exceptions_in_flight exceptions_;
  watched* watched_ = nullptr;  ///< what sanitizers and the C library's contexts need; else null
};

}  // namespace callisto::machine
