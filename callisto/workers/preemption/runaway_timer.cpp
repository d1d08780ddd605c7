// Per-thread POSIX timers, and the SIGURG handler that ends an activation's turn.
#include <callisto/workers/preemption/runaway_timer.hpp>

#include <callisto/machine/fibers/signal_frame.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/waiting/entry_gate.hpp>
#include <callisto/workers/preemption/program_signal.hpp>
#include <callisto/workers/preemption/program_signal_delay.hpp>
#include <callisto/workers/preemption/signal_masks.hpp>
#include <callisto/workers/preemption/thread_timer.hpp>
#include <callisto/workers/preemption/tick_frame.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <vector>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers {

using ticks::call_code;
using ticks::drop_timer;
using ticks::forget_timers;
using ticks::has_more_blocked;
using ticks::is_pending;
using ticks::is_raising;
using ticks::make_timer;
using ticks::mask_in;
using ticks::measure_lag;
using ticks::note_ended_call;
using ticks::period_at;
using ticks::read_interruption;
using ticks::return_as_this_thread;
using ticks::set_period;
using ticks::take_raised;
using ticks::thread_timer;
using ticks::tick_signal;
using ticks::timer_of;
using ticks::timer_of_this_thread;
using ticks::usual_mask;
using ticks::workers_have_mask;

namespace {

/// The processor time between two ticks of an activation's own thread.
constexpr std::uint64_t own_tick_ns = 4'000'000;
/// The time between two interruptions of a thread that is called in a handler of the program's.
constexpr std::uint64_t retry_ns = 1'000'000;
void on_signal(int, siginfo_t* info, void* context);
constinit program_signal programs(tick_signal, on_signal);
/// May leave what was interrupted. errno is the identity's before and after, wherever the activation goes on in
/// between.
void handle_tick(siginfo_t* info, void* context) noexcept {
  const int saved = errno;
  thread_timer& timer = *timer_of(*info);
  // The code that runs there may have set another alternate stack, by a system call. It takes that stack along to
  // another worker.
  const stack_t set_by_itself = static_cast<ucontext_t*>(context)->uc_stack;
  const bool has_its_own = timer.alternate != nullptr && set_by_itself.ss_sp != timer.alternate;
  if (has_its_own) {
    const stack_t given{.ss_sp = timer.alternate, .ss_flags = 0, .ss_size = timer.alternate_bytes};
    syscall(SYS_sigaltstack, &given, nullptr);
  }
  const std::uint64_t period = timer.period.load(std::memory_order_relaxed);  // relaxed: a hint
  interruption at = read_interruption(context, *info, period);
  at.has_held = is_pending(mask_in(context) & ~usual_mask());
  // On its own thread an activation stays with the signals that came there.
  if (timer.own != nullptr ? !at.has_held && timer.own(timer.set) : timer.tick(timer.set, timer.worker, at)) {
    return_as_this_thread(context);
    const thread_timer* const here = has_its_own ? timer_of_this_thread() : nullptr;
    if (here != nullptr && here->alternate != nullptr) static_cast<ucontext_t*>(context)->uc_stack = set_by_itself;
  }
  // After that: while a leader is left, ticks interrupt what runs on its thread, too.
  note_ended_call(context);
  errno = saved;
}

// Runs anywhere, also under the identity of another thread. It touches that identity's thread-local data only.
void on_signal(int, siginfo_t* info, void* context) {
  thread_timer* const timer = timer_of(*info);
  const bool raised = take_raised();
  if (timer != nullptr && raised) {
    siginfo_t by_itself{};
    by_itself.si_signo = tick_signal;
    by_itself.si_code = SI_TKILL;
    by_itself.si_pid = getpid();
    by_itself.si_uid = getuid();
    programs.pass_on(&by_itself, context);
    return;
  }
  if (timer == nullptr) {
    programs.pass_on(info, context);
    return;
  }
  const int saved = errno;
  // acquire: pairs with make_timer()'s release. A tick that comes after drop_timer() finds another state, or another
  // thread's timer: an activation's own thread leaves its timer while the signal is blocked.
  const bool is_tick = timer->used.load(std::memory_order_acquire) == thread_timer::state::ticking &&
                       (timer->own == nullptr ||
                        timer->thread.load(std::memory_order_relaxed) == static_cast<pid_t>(syscall(SYS_gettid)));
  const bool is_call = info->si_code == call_code;
  if (is_tick && !is_call) measure_lag(*timer, *info);
  const bool may_leave = is_tick && !is_raising() && !machine::has_interrupted_alternate_stack(context) &&
                         !has_more_blocked(*timer, context);
  const bool moves = may_leave && timer->own == nullptr && machine::is_on_alternate_stack(context);
  void* const stack = moves ? timer->free_stack(timer->set, timer->worker) : nullptr;
  errno = saved;
  if (stack != nullptr) {
    machine::move_signal_frame(stack, info, context, handle_tick);
  } else if (may_leave) {
    handle_tick(info, context);
  } else {
    // It comes again until what was called hears it.
    if (is_tick && is_call) set_period(*timer, retry_ns);
    note_ended_call(context);
  }
}

/// In a child of fork(), which has no timers, and none of the threads.
void forget_threads() noexcept {
  forget_timers();
  programs.forget_others();
}

/// Called for each set of workers: a program may have put its own handler in place since the last one.
void install_handler() {
  static std::mutex one_at_a_time;
  const std::scoped_lock held(one_at_a_time);
  // On the alternate stack of threads that have one, as Go demands of every handler in the process.
  programs.take(SA_ONSTACK);
  static const bool forgets = pthread_atfork(nullptr, nullptr, forget_threads) == 0;
  static_cast<void>(forgets);
}

}  // namespace

struct posix_runaway_timer::state {
  tick_periods every;
  handlers how;
  wait_test is_wait;
  /// A thread's timer. Other threads use it inside the gate, which the thread drains before it gives the timer up.
  struct owned_timer {
    waiting::entry_gate<machine::native> gate;
    thread_timer* timer = nullptr;
  };
  std::vector<owned_timer> of_worker;

  /// Calls use() with a thread's timer, if it has one.
  template <class Use>
  void with_timer(unsigned worker, Use use) noexcept {
    owned_timer& of = of_worker[worker];
    if (!of.gate.try_enter()) return;
    use(*of.timer);
    of.gate.leave();
  }
};

posix_runaway_timer::posix_runaway_timer(unsigned workers, const tick_periods& ticks, const handlers& how,
                                         wait_test is_wait)
    : state_(new state{ticks, how, is_wait, std::vector<state::owned_timer>(workers)}) {
  install_handler();
}

posix_runaway_timer::~posix_runaway_timer() = default;

bool posix_runaway_timer::adopt(unsigned worker, void* set, bool is_worker) noexcept {
  thread_timer* const p = make_timer(CLOCK_MONOTONIC, {.every = state_->every,
                                                       .worker = worker,
                                                       .set = set,
                                                       .tick = state_->how.on_tick,
                                                       .free_stack = state_->how.free_stack,
                                                       .own = nullptr,
                                                       .fate = state_->how.fate});
  if (p == nullptr) return false;
  state_->of_worker[worker].timer = p;
  state_->of_worker[worker].gate.open();
  if (is_worker) workers_have_mask(p->usually_blocked);
  machine::unblock_signals(machine::bit_of(tick_signal));
  return true;
}

bool posix_runaway_timer::can_make(unsigned timers) {
  std::vector<int> made;  // the kernel's numbers
  made.reserve(timers);
  sigevent how{};
  how.sigev_notify = SIGEV_NONE;
  while (made.size() < timers) {
    int t = 0;
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &how, &t) != 0) break;
    made.push_back(t);
  }
  for (const int t : made) syscall(SYS_timer_delete, t);
  return made.size() == timers;
}

void posix_runaway_timer::abandon(unsigned worker) noexcept {
  state_->of_worker[worker].gate.close_and_drain();  // waits for as long as a system call takes
  drop_timer(*state_->of_worker[worker].timer);
}

void posix_runaway_timer::set_rate(unsigned worker, tick_rate rate) noexcept {
  state_->with_timer(worker, [rate](thread_timer& p) { set_period(p, period_at(p, rate)); });
}

void posix_runaway_timer::set_rate_from_late_on(unsigned worker, tick_rate rate) noexcept {
  // Behind the kernel's next own tick, where the processor's timer need not be set; a job takes a context after 10 ms.
  constexpr std::uint64_t late_ns = 6'000'000;
  state_->with_timer(worker, [rate](thread_timer& p) { set_period(p, period_at(p, rate), late_ns); });
}

void posix_runaway_timer::call(unsigned thread) noexcept {
  state_->with_timer(thread, [](thread_timer& p) {
    siginfo_t info{};
    info.si_signo = tick_signal;
    info.si_code = call_code;
    info.si_value.sival_ptr = &p;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), p.thread.load(std::memory_order_relaxed), tick_signal, &info);
  });
}

std::uint64_t posix_runaway_timer::times_blocked() const noexcept {
  rusage used{};
  syscall(SYS_getrusage, RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_nvcsw);
}

runaway_timer::own_ticks posix_runaway_timer::begin_own_thread(void* an_activation, bool in_handler,
                                                               const std::uint64_t* wanted) noexcept {
  own_ticks ticks;
  ticks.blocked = machine::signals_blocked();
  const machine::signal_bits mask = wanted != nullptr ? *wanted : usual_mask();
  thread_timer* const p = make_timer(CLOCK_THREAD_CPUTIME_ID, {.every = {},
                                                               .worker = 0,
                                                               .set = an_activation,
                                                               .tick = nullptr,
                                                               .free_stack = nullptr,
                                                               .own = state_->how.on_own_thread,
                                                               .fate = state_->how.fate_on_own_thread});
  ticks.timer = p;
  if (p != nullptr) {
    p->usually_blocked = mask;
    set_period(*p, own_tick_ns);
  }
  if (!in_handler) machine::change_signal_mask(SIG_SETMASK, &mask, nullptr);
  return ticks;
}

void posix_runaway_timer::end_own_thread(const own_ticks& ticks) noexcept {
  machine::change_signal_mask(SIG_SETMASK, &ticks.blocked, nullptr);
  if (ticks.timer != nullptr) drop_timer(*static_cast<thread_timer*>(ticks.timer));
}

bool posix_runaway_timer::act_for_program(const struct sigaction* action, struct sigaction* before) noexcept {
  return programs.act_for_program(action, before);
}

bool posix_runaway_timer::waits_at(std::uintptr_t instruction) const noexcept {
  return state_->is_wait != nullptr && state_->is_wait(instruction);
}

}  // namespace callisto::workers
