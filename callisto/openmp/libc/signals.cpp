// The C library's functions on signals, for programs that do not know that Callisto uses SIGURG
// (workers/preemption/runaway_timer.hpp). Other uses of the signal go to the program's own action. What the program
// blocks appears blocked to it (workers/preemption/program_signal.hpp).
#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/workers/activations/create_workers.hpp>
#include <callisto/workers/preemption/program_signal.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The C library's function under its other name; sigaction() is replaced here.
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* before);

namespace callisto::openmp {
namespace {

/// Changes the mask; returns 0 or an error number.
int change_mask(int how, const sigset_t* wanted, sigset_t* before) noexcept {
  machine::signal_bits bits = 0;
  if (wanted != nullptr) __builtin_memcpy(&bits, wanted, sizeof bits);
  machine::signal_bits old = 0;
  const int error = workers::change_mask_for_program(how, wanted != nullptr ? &bits : nullptr, &old);
  if (error == 0 && wanted != nullptr) workers::keep_mask();
  if (error == 0 && before != nullptr) {
    sigemptyset(before);
    __builtin_memcpy(before, &old, sizeof old);
  }
  return error;
}

/// Signals whose actions block SIGURG, as the program has said.
std::atomic<machine::signal_bits> urgent_blocked_by{0};

/// Signals for which signal() sets handlers without SA_RESTART, by siginterrupt().
std::atomic<machine::signal_bits> interrupting{0};

bool is_signal(int number) noexcept { return number > 0 && number < _NSIG; }

}  // namespace

CALLISTO_OPENMP_ABI int sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  if (signal == SIGURG && workers::posix_runaway_timer::act_for_program(action, before)) return 0;
  // A handler that waits must be met by ticks. The action tells of SIGURG in its mask only.
  struct sigaction real{};
  if (action != nullptr) {
    real = *action;
    sigdelset(&real.sa_mask, SIGURG);
  }
  const int failed = __sigaction(signal, action != nullptr ? &real : nullptr, before);
  if (failed != 0) return failed;
  const machine::signal_bits bit = machine::bit_of(signal);
  // relaxed, all: as below.
  const bool blocked = (urgent_blocked_by.load(std::memory_order_relaxed) & bit) != 0;
  if (action != nullptr && sigismember(&action->sa_mask, SIGURG) == 1) {
    urgent_blocked_by.fetch_or(bit, std::memory_order_relaxed);
  } else if (action != nullptr) {
    urgent_blocked_by.fetch_and(~bit, std::memory_order_relaxed);
  }
  if (before != nullptr && blocked) sigaddset(&before->sa_mask, SIGURG);
  return 0;
}

CALLISTO_OPENMP_ABI sighandler_t signal(int signal, sighandler_t handler) {
  struct sigaction action{};
  action.sa_handler = handler;
  // relaxed: the program orders its calls.
  const bool interrupts =
      is_signal(signal) && (interrupting.load(std::memory_order_relaxed) & machine::bit_of(signal)) != 0;
  action.sa_flags = interrupts ? 0 : SA_RESTART;
  sigemptyset(&action.sa_mask);
  struct sigaction before{};
  return sigaction(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

CALLISTO_OPENMP_ABI int siginterrupt(int signal, int interrupt) {
  struct sigaction action{};
  if (sigaction(signal, nullptr, &action) != 0) return -1;
  // relaxed, both: as in signal().
  if (interrupt != 0) {
    interrupting.fetch_or(machine::bit_of(signal), std::memory_order_relaxed);
    action.sa_flags &= ~SA_RESTART;
  } else {
    interrupting.fetch_and(~machine::bit_of(signal), std::memory_order_relaxed);
    action.sa_flags |= SA_RESTART;
  }
  return sigaction(signal, &action, nullptr);
}

CALLISTO_OPENMP_ABI int callisto_pthread_sigmask(int how, const sigset_t* wanted, sigset_t* before) {
  return change_mask(how, wanted, before);
}
// Its versions on x86-64; since glibc 2.32 it is in libc.so.6.
asm(".symver callisto_pthread_sigmask, pthread_sigmask@@GLIBC_2.32");
asm(".symver callisto_pthread_sigmask, pthread_sigmask@GLIBC_2.2.5");

CALLISTO_OPENMP_ABI int sigprocmask(int how, const sigset_t* wanted, sigset_t* before) {
  const int error = change_mask(how, wanted, before);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// A member's alternate stack is a part of its own state, but the kernel keeps it with the worker. So the member's
// handlers run on the alternate stack that the worker has, and the member finds what it has set. A larger one than the
// worker's goes to the kernel, and stays with the worker.
CALLISTO_OPENMP_ABI int sigaltstack(const stack_t* wanted, stack_t* before) {
  constexpr std::size_t workers_have = std::size_t{128} << 10;
  static constinit thread_local stack_t of_member{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  if (calling_member() == nullptr) return workers::posix_runaway_timer::set_stack_for_program(wanted, before);
  if (wanted != nullptr && wanted->ss_size > workers_have)
    return static_cast<int>(syscall(SYS_sigaltstack, wanted, before));
  const bool ends = wanted != nullptr && (wanted->ss_flags & SS_DISABLE) != 0;
  if (wanted != nullptr && !ends && wanted->ss_size < static_cast<std::size_t>(sysconf(_SC_MINSIGSTKSZ))) {
    errno = ENOMEM;
    return -1;
  }
  if (before != nullptr) *before = of_member;
  if (ends) {
    of_member = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  } else if (wanted != nullptr) {
    of_member = *wanted;
  }
  return 0;
}

// Sends the signal to the calling thread. A tick must not change that thread in between, so SIGURG is blocked
// meanwhile. The handler, which may leave by siglongjmp(), runs with SIGURG blocked, too.
CALLISTO_OPENMP_ABI int raise(int signal) {
  if (signal == SIGURG) return workers::posix_runaway_timer::raise_for_program();
  // A member that blocks the signal has it pending, on its own thread: no other runs there.
  if (calling_member() != nullptr && is_signal(signal) && (machine::signals_blocked() & machine::bit_of(signal)) != 0)
    workers::stay_on_own_thread();
  const machine::signals_blocked_here blocked(machine::bit_of(SIGURG));
  return static_cast<int>(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal));
}

}  // namespace callisto::openmp
