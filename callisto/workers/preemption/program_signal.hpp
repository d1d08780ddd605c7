// Signals that both the runtime and the program use: SIGURG (runaway_timer.hpp). The program has its own action for
// those that are not the runtime's, and blocks them as it likes.
//
// In truth the action is the runtime's, and the program cannot block them: a thread that blocks SIGURG and spins would
// keep its context from the thread that it waits for. Calls that ask for the action or the mask return what the program
// has set. A signal for a thread that "blocks" it is held,
// and sent again when the thread unblocks it; of several that are held one is left, as among the system's.
//
// Limits: sigwait() does not wait for a held signal, sigpending() does not show it, and threads that the thread starts
// do not inherit the block.
#pragma once

#include <callisto/machine/system/signal_mask.hpp>

#include <atomic>

#include <signal.h>

namespace callisto::workers {

/// One of these signals.
class program_signal {
 public:
  using handler = void (*)(int, siginfo_t*, void*);
  /// `ours` handles the signal once it is taken.
  constexpr program_signal(int number, handler ours) noexcept : number_(number), ours_(ours) {}
  program_signal(const program_signal&) = delete;
  program_signal& operator=(const program_signal&) = delete;

  /// Takes the signal: the handler handles it from now on, with SA_SIGINFO, SA_RESTART and these `flags`. The action
  /// that was there is the program's. To be called again if the program may have put its own in place past
  /// act_for_program(). False: the system refuses.
  bool take(int flags) noexcept;

  /// In a child of fork(), which has none of the threads that may have held the lock.
  void forget_others() noexcept { acting_.clear(std::memory_order_relaxed); }  // relaxed: it has one thread

  /// In the handler: hands a signal that is not the runtime's to the program's action.
  void pass_on(siginfo_t* info, void* context) noexcept;

  /// sigaction() as the program sees it. False: the signal is not taken, and the system's call applies.
  bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept;

 private:
  class locked;
  /// Asks the kernel.
  bool is_taken() const noexcept;

  const int number_;
  const handler ours_;
  /// Guarded by `acting_`, which is held for a few instructions with signals blocked; handlers take it, too.
  struct sigaction programs_{};
  std::atomic_flag acting_ = ATOMIC_FLAG_INIT;
};

/// sigprocmask() as the program sees it. Returns 0, or an error's number.
int change_mask_for_program(int how, const machine::signal_bits* wanted, machine::signal_bits* before) noexcept;

/// True if this is what the last call of the program's has made the calling thread's real mask. A handler of the
/// program's has another one, which blocks its signal, too. Safe in handlers.
bool is_mask_of_program(machine::signal_bits real) noexcept;

/// Called when a thread of the program begins to work with the runtime. Unblocks these signals, which it may have
/// blocked before they were taken, and those that instructions cause; for the program they stay blocked.
void unblock_for_runtime() noexcept;

}  // namespace callisto::workers
