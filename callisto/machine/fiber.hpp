// Fibers: execution contexts that one OS thread switches between, each with a stack of its own. The simulated and the
// checked machine run every hardware context as a fiber, so that they alone decide who goes on.
#pragma once

#include <cstddef>
#include <memory>

namespace callisto::machine {

/// One execution context. All switches among a set of fibers happen on one OS thread. Not thread-safe.
class fiber {
 public:
  using entry = void (*)(void* argument);

  /// The context of the calling thread itself, to switch back to.
  fiber() noexcept;
  /// A context that calls start(argument) when it is first switched to. `start` never returns: its last act is a
  /// switch. Throws std::bad_alloc; a guard page below the stack turns an overflow into a fault.
  fiber(std::size_t stack_bytes, entry start, void* argument);
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Lets a context that does not run begin anew with start(argument). What was on its stack is forgotten, not unwound:
  /// nothing there may own anything.
  void restart(entry start, void* argument) noexcept;

  /// Leaves `from`, which must be the running context, and goes on with `to`. Costs a few nanoseconds, no system call.
  static void switch_to(fiber& from, fiber& to) noexcept;

 private:
  struct state;
  void adopt_stack(entry start, void* argument) noexcept;

  std::unique_ptr<state> state_;
};

}  // namespace callisto::machine
