// Signals that the runtime has a use for, SIGURG (runaway_timer.hpp) and SIGTRAP (spin_traps.hpp), as the program has
// them: with an action of its own for those that are none of ours, and blocked where it blocks them.
//
// In truth the action is ours, and the program cannot block them: a thread that blocks SIGURG and spins would keep its
// context from the thread that it waits for, and a SIGTRAP that is blocked ends the process at a trap. Who asks is told
// what the program has set. A signal for a thread that "blocks" it is held, and sent again when it does not any more;
// but nobody waits for it with sigwait() or sees it with sigpending(), and threads that it starts do not inherit that.
// Of several that are held one is left, as among the system's.
#pragma once

#include <callisto/machine/system/signal_mask.hpp>

#include <atomic>

#include <signal.h>

namespace callisto::workers {

/// One of them.
class program_signal {
 public:
  using handler = void (*)(int, siginfo_t*, void*);
  /// `ours` handles it once it is taken.
  constexpr program_signal(int number, handler ours) noexcept : number_(number), ours_(ours) {}
  program_signal(const program_signal&) = delete;
  program_signal& operator=(const program_signal&) = delete;

  /// From now on it is handled by ours, with SA_SIGINFO, SA_RESTART and these `flags`, and with these other signals
  /// blocked; the action that was there is the program's. Again where a program has put its own in place by a way that
  /// does not lead to act_for_program(). False: the system refuses.
  bool take(int flags, machine::signal_bits blocked) noexcept;

  /// In a child of fork(): it has none of the threads that may have held the lock.
  void forget_others() noexcept { acting_.clear(std::memory_order_relaxed); }  // relaxed: it has one thread

  /// In our handler: the signal is none of ours.
  void pass_on(siginfo_t* info, void* context) noexcept;

  /// sigaction() as the program sees it. False: the signal has not been taken; it is the system's.
  bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept;

 private:
  class locked;
  /// As the kernel says.
  bool is_taken() const noexcept;

  const int number_;
  const handler ours_;
  /// Read by handlers: under a lock that is held for a few instructions with signals blocked.
  struct sigaction programs_{};
  std::atomic_flag acting_ = ATOMIC_FLAG_INIT;
};

/// sigprocmask() as the program sees it. Returns 0, or an error's number.
int change_mask_for_program(int how, const machine::signal_bits* wanted, machine::signal_bits* before) noexcept;

/// A thread of the program's works with the runtime from now on: what it really blocks of these signals, since it did
/// so before they were taken, and of those that instructions cause, it only thinks that it blocks.
void unblock_for_runtime() noexcept;

}  // namespace callisto::workers
