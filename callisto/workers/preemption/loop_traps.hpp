// Loops of the program that wait, and traps in them, as the runaway timer uses them (runaway_timer.hpp). A timer
// without finds a waiting thread by two ticks; spin_traps/spin_traps.hpp has the loops and traps of x86-64.
#pragma once

#include <cstdint>

namespace callisto::workers {

/// Knows loops that wait, and puts traps into them.
class loop_traps {
 public:
  /// Called as if by the program, on the thread that waits. True: what ran there was left, and goes on after that,
  /// maybe on another thread. False: no other activation or job could use the context, or what runs there must stay.
  using call_handler = bool (*)() noexcept;

  loop_traps() = default;
  loop_traps(const loop_traps&) = delete;
  loop_traps& operator=(const loop_traps&) = delete;

  /// Lets is_wait() read the program's code from then on. If `by_call` is not null, it also allows traps, if the system
  /// does; each calls `by_call`. In a child of fork() there are no more traps before it is called again. Takes a lock.
  virtual void prepare(call_handler by_call) = 0;

  /// True if the instruction is in a loop of the program that waits. Async-signal-safe; decodes at most some 30
  /// instructions.
  virtual bool is_wait(std::uintptr_t instruction) const noexcept = 0;

  /// Puts a trap into the loop that waits at this instruction, if traps are allowed. True if the loop has a trap then.
  /// Async-signal-safe; some loads if it has one already.
  virtual bool put(std::uintptr_t instruction) noexcept = 0;

 protected:
  ~loop_traps() = default;
};

}  // namespace callisto::workers
