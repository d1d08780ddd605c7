// The calling thread's signal mask, by the kernel's own call. In a program into which libgomp.so.1 is preloaded, that
// library's mask functions (openmp/libc/signals.cpp) do not block all signals that they are asked to.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::machine {

/// A set of signals as the kernel has it: 1 to 64.
using signal_bits = std::uint64_t;

constexpr signal_bits bit_of(int signal) noexcept { return signal_bits{1} << (signal - 1); }
inline constexpr signal_bits all_signals = ~signal_bits{0};
/// The signals that an instruction causes: if one is blocked, the kernel ends the process.
inline constexpr signal_bits caused_signals =
    bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL) | bit_of(SIGSYS);

/// Changes the mask as sigprocmask() does, with its `how`. Leaves errno alone. Returns 0 or an error number. Safe in
/// handlers.
inline int change_signal_mask(int how, const signal_bits* wanted, signal_bits* before) noexcept {
  // The C library's signals for cancellation and setuid(): it never blocks them for callers either.
  constexpr signal_bits of_the_library = bit_of(32) | bit_of(33);
  const int saved = errno;
  signal_bits bits = wanted != nullptr ? *wanted : 0;
  if (how != SIG_UNBLOCK) bits &= ~of_the_library;
  const long failed = syscall(SYS_rt_sigprocmask, how, wanted != nullptr ? &bits : nullptr, before, sizeof bits);
  const int error = failed == 0 ? 0 : errno;
  errno = saved;
  return error;
}
inline signal_bits signals_blocked() noexcept {
  signal_bits now = 0;
  change_signal_mask(SIG_BLOCK, nullptr, &now);
  return now;
}
inline void block_signals(signal_bits which) noexcept { change_signal_mask(SIG_BLOCK, &which, nullptr); }
inline void unblock_signals(signal_bits which) noexcept { change_signal_mask(SIG_UNBLOCK, &which, nullptr); }

/// Blocks these signals of the calling thread while it lives, beside those already blocked. Two system calls.
class signals_blocked_here {
 public:
  explicit signals_blocked_here(signal_bits which) noexcept { change_signal_mask(SIG_BLOCK, &which, &before_); }
  signals_blocked_here(const signals_blocked_here&) = delete;
  signals_blocked_here& operator=(const signals_blocked_here&) = delete;
  ~signals_blocked_here() { change_signal_mask(SIG_SETMASK, &before_, nullptr); }

 private:
  signal_bits before_ = 0;
};

}  // namespace callisto::machine
