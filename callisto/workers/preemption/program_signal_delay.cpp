// Signals of the program's that come later than they were sent, or stay on their thread.
#include <callisto/workers/preemption/program_signal_delay.hpp>

#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>
#include <callisto/workers/preemption/signal_masks.hpp>
#include <callisto/workers/preemption/thread_timer.hpp>
#include <callisto/workers/preemption/tick_frame.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers::ticks {

namespace {

/// The program has sent itself the signal, which is about to come.
constinit thread_local bool raised_here [[gnu::tls_model("initial-exec")]] = false;
/// The program has sent itself another signal, and its handler has not begun.
constinit thread_local bool raising_here [[gnu::tls_model("initial-exec")]] = false;

}  // namespace

bool take_raised() noexcept { return std::exchange(raised_here, false); }
bool is_raising() noexcept { return raising_here; }

}  // namespace callisto::workers::ticks

namespace callisto::workers {

void posix_runaway_timer::raise(int signal) noexcept { syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal); }

void posix_runaway_timer::end_handler_here(void* context) noexcept {
  if (ticks::timer_of_this_thread() == nullptr) return;
  // No tick takes it to yet another thread. Returning unblocks the signal.
  machine::block_signals(machine::bit_of(ticks::tick_signal));
  ticks::return_as_this_thread(context);
}

bool posix_runaway_timer::put_off_signal(siginfo_t* info, void* context) noexcept {
  if (ticks::timer_of_this_thread() == nullptr) return false;
  // A tick may have left the handler already; from here on it stays on its thread. With SA_NODEFER the signal would
  // come again at once.
  const machine::signal_bits bit = machine::bit_of(info->si_signo);
  const machine::signal_bits both = bit | machine::bit_of(ticks::tick_signal);
  machine::signal_bits before = 0;
  machine::change_signal_mask(SIG_BLOCK, &both, &before);
  const ticks::thread_timer* const p = ticks::timer_of_this_thread();
  const signal_fate fate = p != nullptr ? p->fate(p->set, p->worker, bit) : signal_fate::handled;
  if (fate == signal_fate::handled) {
    machine::change_signal_mask(SIG_SETMASK, &before, nullptr);
    return false;
  }
  const int saved = errno;
  // The frame has the mask for the time after the handler.
  machine::signal_bits mask = ticks::mask_in(context) | bit;
  std::memcpy(&static_cast<ucontext_t*>(context)->uc_sigmask, &mask, sizeof mask);
  // The kernel lets a thread send itself a signal with any origin, and sends it to the process, or to the thread.
  const long process = getpid();
  const long thread = syscall(SYS_gettid);
  const long failed = fate == signal_fate::any_thread
                          ? syscall(SYS_rt_sigqueueinfo, thread, info->si_signo, info)
                          : syscall(SYS_rt_tgsigqueueinfo, process, thread, info->si_signo, info);
  if (failed != 0) syscall(SYS_tgkill, process, thread, info->si_signo);
  errno = saved;
  return true;
}

int posix_runaway_timer::raise_for_program(int signal) noexcept {
  bool& flag = signal == ticks::tick_signal ? ticks::raised_here : ticks::raising_here;
  const machine::signals_blocked_here blocked(machine::bit_of(ticks::tick_signal) | machine::bit_of(signal));
  flag = true;
  return static_cast<int>(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal));
}
void posix_runaway_timer::has_come_by_raise() noexcept { ticks::raising_here = false; }

}  // namespace callisto::workers
