// The C library's functions on signals, for programs that do not know that Callisto uses SIGURG
// (workers/preemption/runaway_timer.hpp). Other uses of the signal go to the program's own action. Signals that the
// program blocks appear blocked to it (workers/preemption/program_signal.hpp).
#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/workers/activations/create_workers.hpp>
#include <callisto/workers/preemption/program_signal.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

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

bool is_signal(int number) noexcept { return number > 0 && number < _NSIG; }

/// A handler of the program's. A tick may leave it while it waits for other threads, and it may end upon another
/// thread.
class program_handler {
 public:
  /// Takes the handler of an action, which gets ours instead. A signal that comes meanwhile finds the previous handler
  /// or this one.
  void take(struct sigaction& action) noexcept {
    const bool has_info = (flags_of(action) & SA_SIGINFO) != 0;
    // release: publishes what the handler needs to on_signal()'s acquire.
    word_.store(reinterpret_cast<std::uintptr_t>(action.sa_handler) | (has_info ? takes_info : 0) |
                    ((flags_of(action) & SA_RESETHAND) != 0 ? once : 0),
                std::memory_order_release);
    action.sa_sigaction = on_signal;
    // The kernel would take our handler away even if the signal is put off.
    action.sa_flags = static_cast<int>((flags_of(action) & ~unsigned{SA_RESETHAND}) | SA_SIGINFO);
  }
  /// Writes what `word` says into an action that has our handler.
  static void tell(std::uintptr_t word, struct sigaction& action) noexcept {
    if (action.sa_sigaction != on_signal) return;
    action.sa_handler = reinterpret_cast<sighandler_t>(word & ~flags);
    if ((word & takes_info) == 0) action.sa_flags &= ~SA_SIGINFO;
    if ((word & once) != 0) action.sa_flags = static_cast<int>(flags_of(action) | SA_RESETHAND);
  }
  std::uintptr_t word() const noexcept { return word_.load(std::memory_order_relaxed); }  // relaxed: the program orders
  void put_back(std::uintptr_t word) noexcept { word_.store(word, std::memory_order_relaxed); }  // relaxed: as above

 private:
  static void on_signal(int signal, siginfo_t* info, void* context);
  static unsigned flags_of(const struct sigaction& action) noexcept { return static_cast<unsigned>(action.sa_flags); }

  // Of no address of code:
  static constexpr std::uintptr_t takes_info = std::uintptr_t{1} << 63;
  static constexpr std::uintptr_t once = std::uintptr_t{1} << 62;
  static constexpr std::uintptr_t flags = takes_info | once;

  std::atomic<std::uintptr_t> word_{0};
};
std::array<program_handler, _NSIG> handlers;

void program_handler::on_signal(int signal, siginfo_t* info, void* context) {
  // abort() sends its signal once.
  constexpr machine::signal_bits never_put_off = machine::caused_signals | machine::bit_of(SIGABRT);
  const struct at_end {
    void* context;
    ~at_end() { workers::posix_runaway_timer::end_handler_here(context); }
  } end{context};
  if ((machine::bit_of(signal) & never_put_off) == 0 && workers::posix_runaway_timer::put_off_signal(info, context))
    return;
  workers::posix_runaway_timer::has_come_by_raise();
  // acquire: pairs with take()'s release.
  const std::uintptr_t word = handlers[static_cast<std::size_t>(signal)].word_.load(std::memory_order_acquire);
  if ((word & once) != 0) {
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    __sigaction(signal, &usual, nullptr);
  }
  if ((word & takes_info) != 0) {
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(word & ~flags)(signal, info, context);
  } else {
    reinterpret_cast<sighandler_t>(word & ~flags)(signal);
  }
}

/// Signals with actions that block SIGURG as far as the program knows.
std::atomic<machine::signal_bits> urgent_blocked_by{0};

/// Signals for which signal() sets handlers without SA_RESTART, by siginterrupt().
std::atomic<machine::signal_bits> interrupting{0};

}  // namespace

CALLISTO_OPENMP_ABI int sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  if (signal == SIGURG && workers::posix_runaway_timer::act_for_program(action, before)) return 0;
  if (signal == SIGURG || !is_signal(signal)) return __sigaction(signal, action, before);
  program_handler& handler = handlers[static_cast<std::size_t>(signal)];
  const std::uintptr_t last = handler.word();
  struct sigaction real{};
  if (action != nullptr) {
    real = *action;
    // Ticks meet a handler that waits. Only `before` tells of SIGURG in its mask.
    sigdelset(&real.sa_mask, SIGURG);
    if (real.sa_handler != SIG_DFL && real.sa_handler != SIG_IGN) handler.take(real);
  }
  if (__sigaction(signal, action != nullptr ? &real : nullptr, before) != 0) {
    handler.put_back(last);
    return -1;
  }
  if (before != nullptr) program_handler::tell(last, *before);
  const machine::signal_bits bit = machine::bit_of(signal);
  // relaxed, all: the program orders its calls.
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

// A member's alternate stack is a part of the member's state, but the kernel keeps it with the worker. So the member's
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

// Sends the signal to the calling thread. A tick must not change that thread in between. The handler may wait for other
// threads, and may leave by siglongjmp().
CALLISTO_OPENMP_ABI int raise(int signal) {
  // A member that blocks the signal has it pending, on its own thread: no other member runs there.
  if (calling_member() != nullptr && is_signal(signal) && (machine::signals_blocked() & machine::bit_of(signal)) != 0)
    workers::stay_on_own_thread();
  if (is_signal(signal)) return workers::posix_runaway_timer::raise_for_program(signal);
  return static_cast<int>(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal));
}

}  // namespace callisto::openmp
