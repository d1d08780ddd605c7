// Timers of POSIX that signal a thread, and the handler of their signal.
#include <callisto/workers/preemption/runaway_timer.hpp>

#include <callisto/machine/fibers/signal_frame.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/workers/preemption/program_signal.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers {
namespace {

constexpr int tick_signal = SIGURG;
/// The code of a signal by which posix_runaway_timer::call() interrupts a thread.
constexpr int call_code = SI_QUEUE;

/// One thread's timer. Timers are used again, and never freed, so that an address alone tells a tick from a late
/// signal, and from the signal of a timer of the program's.
struct thread_timer {
  enum class state : unsigned char { free, taken, ticking };
  std::atomic<state> used{state::free};
  std::atomic<bool> was_used{false};
  std::atomic<unsigned> setting{0};      ///< threads that set its rate at the moment
  int timer = 0;                         ///< the kernel's number
  std::atomic<std::uint64_t> period{0};  ///< nanoseconds; a hint, since two threads may set a rate at once
  /// How long after a tick is due its handler begins, usually, in nanoseconds (tick_rate.hpp). The handler writes it.
  std::atomic<std::uint64_t> lag{0};
  std::atomic<pid_t> thread{0};  ///< the thread that it signals; 0: none
  tick_periods every;
  unsigned worker = 0;
  machine::signal_bits usually_blocked = 0;  ///< by what runs on the thread; for the thread
  std::size_t alternate_bytes = 0;
  void* alternate = nullptr;       ///< the thread's own alternate stack, if it was given one; null: it was not
  unsigned with_more_blocked = 0;  ///< ticks in a row that found more blocked; for the thread
  void* set = nullptr;
  posix_runaway_timer::handler tick = nullptr;
  posix_runaway_timer::stack_finder free_stack = nullptr;
  posix_runaway_timer::own_handler own = nullptr;  ///< instead of `tick`: `set` is an activation on its own thread
  posix_runaway_timer::fate_finder fate = nullptr;
};

/// The processor time between two ticks of an activation's own thread.
constexpr std::uint64_t own_tick_ns = 4'000'000;
/// The time between two interruptions of a thread that is called in a handler of the program's.
constexpr std::uint64_t retry_ns = 1'000'000;
constexpr unsigned most_thread_timers = 4096;  // twice the largest machine that Linux is configured for by default
thread_timer thread_timers[most_thread_timers];
void on_signal(int, siginfo_t* info, void* context);
constinit program_signal programs(tick_signal, on_signal);
// For the handler: found by one load, without a call, under any identity.

constinit thread_local unsigned calls_ended [[gnu::tls_model("initial-exec")]] = 0;
constinit thread_local long last_ended_with [[gnu::tls_model("initial-exec")]] = 0;

void set_period(thread_timer& p, std::uint64_t nanoseconds) noexcept {
  p.period.store(nanoseconds, std::memory_order_relaxed);  // relaxed: a hint
  const timespec period{static_cast<time_t>(nanoseconds / 1'000'000'000),
                        static_cast<long>(nanoseconds % 1'000'000'000)};
  const itimerspec both{period, period};
  syscall(SYS_timer_settime, p.timer, 0, &both, nullptr);
}

std::uint64_t period_at(const thread_timer& p, tick_rate rate) noexcept {
  return p.every.of(rate, p.lag.load(std::memory_order_relaxed));  // relaxed: a hint
}

/// In the handler of a tick: learns what ticks cost, and makes them come more rarely if that is much.
void measure_lag(thread_timer& p, const siginfo_t& how) noexcept {
  const std::uint64_t period = p.period.load(std::memory_order_relaxed);  // relaxed: a hint
  itimerspec left{};
  if (period == 0 || period > period_at(p, tick_rate::rare) || syscall(SYS_timer_gettime, p.timer, &left) != 0) return;
  const auto until_next = static_cast<std::uint64_t>(left.it_value.tv_nsec);
  const std::uint64_t measured =
      (static_cast<std::uint64_t>(how.si_overrun) + 1) * period - std::min(until_next, period);
  const std::uint64_t lag = learned_lag(p.lag.load(std::memory_order_relaxed), measured);  // relaxed: the handler's own
  p.lag.store(lag, std::memory_order_relaxed);
  const std::uint64_t wanted = p.every.lengthened(period, lag);
  if (wanted != period) set_period(p, wanted);
}

/// True if the interrupted thread waited in a system call: the kernel had the call begin anew, as SA_RESTART says, or
/// ended it with EINTR. A thread that is about to make a call looks the same.
bool is_in_call([[maybe_unused]] const mcontext_t& machine) noexcept {
#if defined(__x86_64__)
  constexpr std::array<unsigned char, 2> call{0x0F, 0x05};
  const auto at = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  const auto is_call = [&](std::uintptr_t where) {
    // Both bytes are in the page of the interrupted instruction, which can be read.
    constexpr std::uintptr_t least_page = 4096;
    return where / least_page == at / least_page && (where + 1) / least_page == at / least_page &&
           std::memcmp(reinterpret_cast<const void*>(where), call.data(), call.size()) == 0;
  };
  return is_call(at) || (machine.gregs[REG_RAX] == -EINTR && is_call(at - call.size()));
#else
  return false;
#endif
}

/// Reads the frame that the kernel has made of the interrupted thread.
interruption where(const void* frame, const siginfo_t& how, std::uint64_t period) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(frame)->uc_mcontext;
  interruption at;
  at.is_call = how.si_code == call_code;
  at.is_late = !at.is_call && how.si_overrun != 0;
  at.is_in_call = is_in_call(machine);
  at.period = period;
#if defined(__x86_64__)
  at.instruction = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  // All registers but the instruction's address and the flags, which depend on where a comparison was interrupted.
  static_assert(REG_R8 == 0 && REG_RSP == 15 && REG_RIP == 16);
  for (int r = REG_R8; r <= REG_RSP; ++r)
    at.registers = std::rotl(at.registers, 5) * 0x9E3779B97F4A7C15 + static_cast<std::uint64_t>(machine.gregs[r]);
#elif defined(__aarch64__)
  at.instruction = machine.pc;
  at.registers = machine.sp;
  for (const std::uint64_t r : machine.regs) at.registers = std::rotl(at.registers, 5) * 0x9E3779B97F4A7C15 + r;
#else
  static_cast<void>(machine);
#endif
  return at;
}

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool sees_ended_calls = true;
#else
constexpr bool sees_ended_calls = false;
#endif

/// If the interrupted thread stands just behind a system call, a tick has ended the call, with what is in the register
/// for results: notes that. A call that is to be made again, as SA_RESTART says, has the thread stand before it.
void note_ended_call(const void* frame) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(frame)->uc_mcontext;
#if defined(__x86_64__)
  constexpr std::array<unsigned char, 2> call{0x0F, 0x05};
  const auto next = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  const auto result = static_cast<long>(machine.gregs[REG_RAX]);
#elif defined(__aarch64__)
  constexpr std::array<unsigned char, 4> call{0x01, 0x00, 0x00, 0xD4};
  const auto next = static_cast<std::uintptr_t>(machine.pc);
  const auto result = static_cast<long>(machine.regs[0]);
#else
  constexpr std::array<unsigned char, 0> call{};
  const std::uintptr_t next = 0;
  const long result = 0;
  static_cast<void>(machine);
#endif
  // Code in the same page as the next instruction can be read. At the beginning of a page the last instruction is taken
  // for a call; tick_ended_call() compares the result.
  constexpr std::uintptr_t least_page = 4096;
  if (next % least_page >= call.size() &&
      std::memcmp(reinterpret_cast<const void*>(next - call.size()), call.data(), call.size()) != 0)
    return;
  last_ended_with = result;
  ++calls_ended;
}

/// Returns the calling thread's timer; null: it has none. Searches from where adopt() began to look for a free one.
thread_timer* of_this_thread() noexcept {
  const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
  const auto first = static_cast<unsigned>(thread) % most_thread_timers;
  for (unsigned n = 0; n < most_thread_timers; ++n) {
    thread_timer& p = thread_timers[(first + n) % most_thread_timers];
    // acquire: pairs with adopt()'s release. Only this thread gives its timer up.
    if (p.thread.load(std::memory_order_acquire) == thread) return &p;
    if (!p.was_used.load(std::memory_order_relaxed)) break;  // relaxed: this thread set it, if it has a timer
  }
  return nullptr;
}

/// What workers block usually. relaxed, always: alike for all workers.
std::atomic<machine::signal_bits> workers_block{0};

/// Returns what workers block, and what runs on them unless the program says otherwise.
machine::signal_bits usual_mask() noexcept {
  return workers_block.load(std::memory_order_relaxed) & ~machine::bit_of(tick_signal);
}

/// Returns what the interrupted thread blocked. The frame has the kernel's set, which is shorter than the C library's.
machine::signal_bits mask_in(const void* frame) noexcept {
  machine::signal_bits mask = 0;
  std::memcpy(&mask, &static_cast<const ucontext_t*>(frame)->uc_sigmask, sizeof mask);
  return mask;
}

/// True if one of these signals has come for the calling thread, or for a process that blocks it everywhere.
bool has_come(machine::signal_bits which) noexcept {
  machine::signal_bits come = 0;
  return which != 0 && syscall(SYS_rt_sigpending, &come, sizeof come) == 0 && (come & which) != 0;
}

/// What was interrupted goes on upon this thread, which may differ from the one that it was interrupted on. Writes this
/// thread's alternate stack into the frame, from which the kernel sets it. A thread with another thread's alternate
/// stack would run handlers on top of that thread's. The mask is that of what goes on.
void return_as_this_thread(void* frame) noexcept {
  stack_t& alternate = static_cast<ucontext_t*>(frame)->uc_stack;
  stack_t here{};
  syscall(SYS_sigaltstack, nullptr, &here);
  // A stack of the program's that the kernel disarms while a handler runs is in the frame only.
  constexpr auto disarms_itself = std::uint32_t{1} << 31;
  if ((static_cast<std::uint32_t>(alternate.ss_flags) & disarms_itself) == 0) alternate = here;
}

/// True once a thread was seen to have an alternate stack. relaxed, all: a hint.
std::atomic<bool> alternate_stacks{false};
/// Notes the alternate stack of a frame. After exec() the flags are still those of the program before; only the size
/// says that there is none.
void note_alternate_stack(const stack_t& of_thread) noexcept {
  if ((of_thread.ss_flags & SS_DISABLE) == 0 && of_thread.ss_size != 0)
    alternate_stacks.store(true, std::memory_order_relaxed);
}

/// True if the program blocks more than usual there, as in a handler of its own. If the handler were left, its mask
/// would stay on this thread, and the handler would go on with another's. Often a tick finds a handler at its first
/// instruction: the kernel delivers both signals when a system call returns. A mask that stays for long becomes usual;
/// later if there are alternate stacks, since a handler that ends on another thread than it began on changes that
/// thread's (return_as_this_thread()).
bool has_more_blocked(thread_timer& p, const void* frame) noexcept {
  const stack_t& alternate = static_cast<const ucontext_t*>(frame)->uc_stack;
  if (alternate.ss_sp != p.alternate) note_alternate_stack(alternate);
  const unsigned most_ticks = alternate_stacks.load(std::memory_order_relaxed) ? 2000 : 50;
  const machine::signal_bits mask = mask_in(frame);
  if ((mask & ~p.usually_blocked) == 0 || p.with_more_blocked >= most_ticks || is_mask_of_program(mask)) {
    p.usually_blocked = mask;
    p.with_more_blocked = 0;
    return false;
  }
  ++p.with_more_blocked;
  return true;
}

/// The alternate stack that handle_on() gave the thread.
constinit thread_local void* given_alternate [[gnu::tls_model("initial-exec")]] = nullptr;

/// Returns the timer that a signal comes from; null: from none.
thread_timer* timer_of(const siginfo_t& info) noexcept {
  auto* const timer = static_cast<thread_timer*>(info.si_value.sival_ptr);
  const std::less<const thread_timer*> before;
  const bool is_one = (info.si_code == SI_TIMER || info.si_code == call_code) && !before(timer, thread_timers) &&
                      before(timer, thread_timers + most_thread_timers);
  return is_one ? timer : nullptr;
}

/// May leave what was interrupted. errno is the identity's before and after, wherever the activation goes on in
/// between.
void meet_tick(siginfo_t* info, void* context) noexcept {
  const int saved = errno;
  thread_timer& timer = *timer_of(*info);
  // What runs there may have set an alternate stack of its own, by a system call. It takes it along to another worker.
  const stack_t set_by_itself = static_cast<ucontext_t*>(context)->uc_stack;
  const bool has_its_own = timer.alternate != nullptr && set_by_itself.ss_sp != timer.alternate;
  if (has_its_own) {
    const stack_t given{.ss_sp = timer.alternate, .ss_flags = 0, .ss_size = timer.alternate_bytes};
    syscall(SYS_sigaltstack, &given, nullptr);
  }
  const std::uint64_t period = timer.period.load(std::memory_order_relaxed);  // relaxed: a hint
  interruption at = where(context, *info, period);
  at.has_held = has_come(mask_in(context) & ~usual_mask());
  // On its own thread an activation stays with the signals that came there.
  if (timer.own != nullptr ? !at.has_held && timer.own(timer.set) : timer.tick(timer.set, timer.worker, at)) {
    return_as_this_thread(context);
    const thread_timer* const here = has_its_own ? of_this_thread() : nullptr;
    if (here != nullptr && here->alternate != nullptr) static_cast<ucontext_t*>(context)->uc_stack = set_by_itself;
  }
  // After that: while a leader is left, ticks interrupt what runs on its thread, too.
  note_ended_call(context);
  errno = saved;
}

/// The program has sent itself the signal, which is about to come. A standard signal that is pending absorbs the next
/// one, so what comes may be a tick.
constinit thread_local bool is_raised [[gnu::tls_model("initial-exec")]] = false;
/// The program has sent itself another signal, and its handler has not begun.
constinit thread_local bool is_raising [[gnu::tls_model("initial-exec")]] = false;

// Runs anywhere, also under the identity of another thread. It touches that identity's thread-local data only.
void on_signal(int, siginfo_t* info, void* context) {
  thread_timer* const timer = timer_of(*info);
  const bool raised = std::exchange(is_raised, false);
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
  const bool may_leave = is_tick && !is_raising && !machine::has_interrupted_alternate_stack(context) &&
                         !has_more_blocked(*timer, context);
  const bool moves = may_leave && timer->own == nullptr && machine::is_on_alternate_stack(context);
  void* const stack = moves ? timer->free_stack(timer->set, timer->worker) : nullptr;
  errno = saved;
  if (stack != nullptr) {
    machine::move_signal_frame(stack, info, context, meet_tick);
  } else if (may_leave) {
    meet_tick(info, context);
  } else {
    // It comes again until what was called hears it.
    if (is_tick && is_call) set_period(*timer, retry_ns);
    note_ended_call(context);
  }
}

/// In a child of fork(), which has no timers, and none of the threads.
void forget_threads() noexcept {
  for (thread_timer& p : thread_timers) p.thread.store(0, std::memory_order_relaxed);  // relaxed: it has one thread
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

unsigned calls_ended_by_ticks() noexcept { return calls_ended; }
bool tick_ended_call(unsigned before, long result) noexcept {
  return calls_ended != before && (!sees_ended_calls || last_ended_with == result);
}

struct posix_runaway_timer::state {
  tick_periods every;
  handlers how;
  loop_traps* loops;
  std::vector<std::atomic<thread_timer*>> of_worker;

  /// Calls use() with a thread's timer, if it has one; the thread may be about to give the timer up.
  template <class Use>
  void with(unsigned worker, Use use) noexcept {
    // relaxed: loaded again below.
    thread_timer* const p = of_worker[worker].load(std::memory_order_relaxed);
    if (p == nullptr) return;
    // seq_cst, all four, with those of abandon(): either that waits for this, or this sees that the timer is gone.
    p->setting.fetch_add(1, std::memory_order_seq_cst);
    if (of_worker[worker].load(std::memory_order_seq_cst) == p) use(*p);
    p->setting.fetch_sub(1, std::memory_order_seq_cst);
  }
};

posix_runaway_timer::posix_runaway_timer(unsigned workers, const tick_periods& ticks, const handlers& how,
                                         loop_traps* loops)
    : state_(new state{ticks, how, loops, std::vector<std::atomic<thread_timer*>>(workers)}) {
  install_handler();
}

posix_runaway_timer::~posix_runaway_timer() = default;

bool posix_runaway_timer::lacks_stack() noexcept {
  stack_t now{};
  return syscall(SYS_sigaltstack, nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0;
}

void posix_runaway_timer::handle_on(std::byte* stack, std::size_t bytes) noexcept {
  const stack_t alternate{.ss_sp = stack, .ss_flags = stack == nullptr ? SS_DISABLE : 0, .ss_size = bytes};
  if (stack == nullptr && std::exchange(given_alternate, nullptr) == nullptr) return;
  if (syscall(SYS_sigaltstack, &alternate, nullptr) == 0) given_alternate = stack;
}

int posix_runaway_timer::set_stack_for_program(const stack_t* wanted, stack_t* before) noexcept {
  if (syscall(SYS_sigaltstack, wanted, before) != 0) return -1;
  if (given_alternate == nullptr) return 0;
  if (before != nullptr && before->ss_sp == given_alternate)
    *before = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  if (wanted == nullptr) return 0;
  given_alternate = nullptr;
  if (thread_timer* const p = of_this_thread(); p != nullptr) p->alternate = nullptr;
  return 0;
}

/// Makes a timer of `clock` for the calling thread, with ticks as the rest describes; null: the system refuses one. The
/// caller lets it tick.
thread_timer* make_timer(clockid_t clock, const thread_timer& like) noexcept {
  const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
  const auto first = static_cast<unsigned>(thread) % most_thread_timers;
  for (unsigned n = 0; n < most_thread_timers; ++n) {
    thread_timer& p = thread_timers[(first + n) % most_thread_timers];
    // relaxed: a first look. acquire: pairs with abandon()'s release; the last user is done with it.
    auto free = thread_timer::state::free;
    if (p.used.load(std::memory_order_relaxed) != free ||
        !p.used.compare_exchange_strong(free, thread_timer::state::taken, std::memory_order_acquire))
      continue;
    p.was_used.store(true, std::memory_order_relaxed);  // relaxed: read by threads that have one
    sigevent how{};
    how.sigev_notify = SIGEV_THREAD_ID;
    how.sigev_signo = tick_signal;
    how.sigev_value.sival_ptr = &p;
    how._sigev_un._tid = thread;  // glibc 2.36 has no other name for it
    // Not openmp/libc/thread_signals.cpp.
    if (syscall(SYS_timer_create, clock, &how, &p.timer) != 0) {
      p.used.store(thread_timer::state::free, std::memory_order_release);  // release: as in drop_timer()
      return nullptr;
    }
    p.worker = like.worker;
    stack_t alternate{};
    syscall(SYS_sigaltstack, nullptr, &alternate);
    p.alternate = given_alternate;
    p.alternate_bytes = given_alternate != nullptr ? alternate.ss_size : 0;
    if (given_alternate == nullptr) note_alternate_stack(alternate);
    p.usually_blocked = machine::signals_blocked();
    p.with_more_blocked = 0;
    p.every = like.every;
    p.set = like.set;
    p.tick = like.tick;
    p.free_stack = like.free_stack;
    p.own = like.own;
    p.fate = like.fate;
    // Last: a signal of its last user may still be on its way. release, both: publish what is above to on_signal()'s
    // and of_this_thread()'s acquires.
    p.used.store(thread_timer::state::ticking, std::memory_order_release);
    p.thread.store(thread, std::memory_order_release);
    return &p;
  }
  return nullptr;
}

void drop_timer(thread_timer& p) noexcept {
  syscall(SYS_timer_delete, p.timer);
  p.thread.store(0, std::memory_order_relaxed);                        // relaxed: no other thread looks for it
  p.used.store(thread_timer::state::free, std::memory_order_release);  // release: the next user's acquire
}

bool posix_runaway_timer::adopt(unsigned worker, void* set, bool is_worker) noexcept {
  thread_timer* const p = make_timer(CLOCK_MONOTONIC, {.every = state_->every,
                                                       .worker = worker,
                                                       .set = set,
                                                       .tick = state_->how.on_tick,
                                                       .free_stack = state_->how.free_stack,
                                                       .own = nullptr,
                                                       .fate = state_->how.fate});
  if (p == nullptr) return false;
  state_->of_worker[worker].store(p, std::memory_order_seq_cst);  // seq_cst: see state::with()
  if (is_worker) workers_block.store(p->usually_blocked, std::memory_order_relaxed);
  machine::unblock_signals(machine::bit_of(tick_signal));
  return true;
}

void posix_runaway_timer::abandon(unsigned worker) noexcept {
  // seq_cst: see state::with().
  thread_timer& p = *state_->of_worker[worker].exchange(nullptr, std::memory_order_seq_cst);
  while (p.setting.load(std::memory_order_seq_cst) != 0) {
    // For as long as a system call takes.
  }
  drop_timer(p);
}

void posix_runaway_timer::set_rate(unsigned worker, tick_rate rate) noexcept {
  state_->with(worker, [rate](thread_timer& p) { set_period(p, period_at(p, rate)); });
}

void posix_runaway_timer::call(unsigned thread) noexcept {
  state_->with(thread, [](thread_timer& p) {
    siginfo_t info{};
    info.si_signo = tick_signal;
    info.si_code = call_code;
    info.si_value.sival_ptr = &p;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), p.thread.load(std::memory_order_relaxed), tick_signal, &info);
  });
}

void posix_runaway_timer::raise(int signal) noexcept { syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal); }

void posix_runaway_timer::unblock() noexcept {
  const machine::signal_bits mask = usual_mask();
  machine::change_signal_mask(SIG_SETMASK, &mask, nullptr);
}

void posix_runaway_timer::block() noexcept { machine::block_signals(~machine::caused_signals); }

void posix_runaway_timer::unblock_only(std::uint64_t signals) noexcept { machine::unblock_signals(signals); }

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

std::uint64_t posix_runaway_timer::put_off_mask(bool kept) noexcept {
  const machine::signal_bits usual = usual_mask();
  machine::signal_bits mask = 0;
  machine::change_signal_mask(SIG_SETMASK, kept ? nullptr : &usual, &mask);
  return mask;
}
void posix_runaway_timer::put_on_mask(std::uint64_t mask) noexcept {
  machine::change_signal_mask(SIG_SETMASK, &mask, nullptr);
}
bool posix_runaway_timer::is_usual(std::uint64_t mask) const noexcept { return mask == usual_mask(); }
bool posix_runaway_timer::has_held() const noexcept { return has_come(machine::signals_blocked() & ~usual_mask()); }

bool posix_runaway_timer::may_be_in_handler() noexcept {
  const thread_timer* const p = of_this_thread();
  const machine::signal_bits mask = machine::signals_blocked();
  if (p == nullptr || ((mask & ~p->usually_blocked) != 0 && !is_mask_of_program(mask))) return true;
  stack_t current{};
  return alternate_stacks.load(std::memory_order_relaxed) &&
         (syscall(SYS_sigaltstack, nullptr, &current) != 0 || (current.ss_flags & SS_ONSTACK) != 0);
}

bool posix_runaway_timer::act_for_program(const struct sigaction* action, struct sigaction* before) noexcept {
  return programs.act_for_program(action, before);
}

void posix_runaway_timer::end_handler_here(void* context) noexcept {
  if (of_this_thread() == nullptr) return;
  // No tick takes it to yet another thread. Returning unblocks the signal.
  machine::block_signals(machine::bit_of(tick_signal));
  return_as_this_thread(context);
}

bool posix_runaway_timer::put_off_signal(siginfo_t* info, void* context) noexcept {
  if (of_this_thread() == nullptr) return false;
  // A tick may have left the handler already; from here on it stays on its thread. With SA_NODEFER the signal would
  // come again at once.
  const machine::signal_bits bit = machine::bit_of(info->si_signo);
  const machine::signal_bits both = bit | machine::bit_of(tick_signal);
  machine::signal_bits before = 0;
  machine::change_signal_mask(SIG_BLOCK, &both, &before);
  const thread_timer* const p = of_this_thread();
  const signal_fate fate = p != nullptr ? p->fate(p->set, p->worker, bit) : signal_fate::handled;
  if (fate == signal_fate::handled) {
    machine::change_signal_mask(SIG_SETMASK, &before, nullptr);
    return false;
  }
  const int saved = errno;
  // The frame has the mask for the time after the handler.
  machine::signal_bits mask = mask_in(context) | bit;
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
  bool& flag = signal == tick_signal ? is_raised : is_raising;
  const machine::signals_blocked_here blocked(machine::bit_of(tick_signal) | machine::bit_of(signal));
  flag = true;
  return static_cast<int>(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal));
}
void posix_runaway_timer::has_come_by_raise() noexcept { is_raising = false; }

bool posix_runaway_timer::waits_at(std::uintptr_t instruction) const noexcept {
  return state_->loops != nullptr && state_->loops->is_wait(instruction);
}
bool posix_runaway_timer::trap(std::uintptr_t instruction) noexcept {
  return state_->loops != nullptr && state_->loops->put(instruction);
}

}  // namespace callisto::workers
