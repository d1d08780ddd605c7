// Signals: the C library's functions, as programs call them that do not know that SIGTRAP is used here
// (workers/wait_traps.hpp). What is no trap of ours goes to the program's own action; the program cannot block the
// signal, which would end it at a trap.
#include <callisto/openmp/abi.hpp>
#include <callisto/workers/wait_traps.hpp>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The C library's own; its other name is ours here.
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* before);

namespace callisto::openmp {
namespace {

/// Of the kernel: signals 1 to 64. 32 and 33 are the C library's, for cancellation and setuid(), and are never blocked.
using signal_bits = std::uint64_t;
constexpr signal_bits bit(int signal) noexcept { return signal_bits{1} << (signal - 1); }
constexpr signal_bits never_blocked = bit(SIGTRAP) | bit(32) | bit(33);

/// Returns 0 or an error's number.
int change_mask(int how, const sigset_t* wanted, sigset_t* before) noexcept {
  const int saved = errno;
  signal_bits bits = 0;
  if (wanted != nullptr) {
    __builtin_memcpy(&bits, wanted, sizeof bits);
    if (how != SIG_UNBLOCK) bits &= ~never_blocked;
  }
  signal_bits old = 0;
  const long failed = syscall(SYS_rt_sigprocmask, how, wanted != nullptr ? &bits : nullptr, &old, sizeof bits);
  const int error = failed == 0 ? 0 : errno;
  errno = saved;
  if (error == 0 && before != nullptr) {
    sigemptyset(before);
    __builtin_memcpy(before, &old, sizeof old);
  }
  return error;
}

}  // namespace

CALLISTO_OPENMP_ABI int sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  if (signal == SIGTRAP && workers::wait_traps::act_for_program(action, before)) return 0;
  return __sigaction(signal, action, before);
}

CALLISTO_OPENMP_ABI sighandler_t signal(int signal, sighandler_t handler) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  struct sigaction before{};
  return sigaction(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

CALLISTO_OPENMP_ABI int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* before) {
  return change_mask(how, wanted, before);
}

CALLISTO_OPENMP_ABI int sigprocmask(int how, const sigset_t* wanted, sigset_t* before) {
  const int error = change_mask(how, wanted, before);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace callisto::openmp
