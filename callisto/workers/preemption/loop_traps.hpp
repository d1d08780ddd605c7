// Traps in loops of the program that wait, as the runaway timer uses them (runaway_timer.hpp). A timer that is given
// none finds waiting threads by ticks only; spin_traps/spin_traps.hpp has the traps of x86-64.
#pragma once

#include <cstdint>

namespace callisto::workers {

/// What became of a wait that met a trap.
enum class trap_outcome : std::uint8_t {
  no_demand,  ///< no other activation or job could use the context; the wait goes on
  deferred,   ///< the waiting activation is shielded; it is left at the end of its shield
  yielded,    ///< the waiting activation was left, and goes on after that, maybe on another thread
};

/// Puts traps into loops that wait.
class loop_traps {
 public:
  /// Called in a handler of signals, on the thread that waits, with the kernel's frame of it.
  using signal_handler = trap_outcome (*)(void* frame) noexcept;
  /// Called as if by the program, on the thread that waits, outside of handlers.
  using call_handler = trap_outcome (*)() noexcept;

  loop_traps() = default;
  loop_traps(const loop_traps&) = delete;
  loop_traps& operator=(const loop_traps&) = delete;

  /// Allows traps from then on, if the system does: a trap that comes by a signal calls `by_signal`, with `tick_signal`
  /// blocked; one that comes by a jump calls `by_call`. The first call counts; in a child of fork(), which has no
  /// `by_call` at first, the first one there sets that again. Takes a lock.
  virtual void prepare(signal_handler by_signal, call_handler by_call, int tick_signal) = 0;

  /// True if the instruction is in a loop of the program that waits. Async-signal-safe; decodes at most some 30
  /// instructions.
  virtual bool is_wait(std::uintptr_t instruction) const noexcept = 0;

  /// Puts a trap into the loop that waits at this instruction. True if the loop has a trap then. Async-signal-safe;
  /// some loads if it has one already.
  virtual bool put(std::uintptr_t instruction) noexcept = 0;

 protected:
  ~loop_traps() = default;
};

}  // namespace callisto::workers
