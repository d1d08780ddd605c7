// The pool of timers, and the alternate stacks of their threads.
#include <callisto/workers/preemption/thread_timer.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::workers::ticks {

namespace {

constexpr unsigned most_thread_timers = 4096;  // twice the largest machine that Linux is configured for by default
thread_timer thread_timers[most_thread_timers];

/// A thread was seen to have an alternate stack. relaxed, all: a hint.
std::atomic<bool> alternate_stacks{false};

/// The alternate stack that handle_on() gave the thread.
constinit thread_local void* given_alternate [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace

void set_period(thread_timer& p, std::uint64_t nanoseconds, std::uint64_t least_first) noexcept {
  p.period.store(nanoseconds, std::memory_order_relaxed);  // relaxed: a hint
  const auto as_time = [](std::uint64_t ns) {
    return timespec{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  };
  const itimerspec both{as_time(nanoseconds), as_time(nanoseconds == 0 ? 0 : std::max(nanoseconds, least_first))};
  syscall(SYS_timer_settime, p.timer, 0, &both, nullptr);
}

std::uint64_t period_at(const thread_timer& p, tick_rate rate) noexcept {
  return p.every.of(rate, p.lag.load(std::memory_order_relaxed));  // relaxed: a hint
}

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

// Searches from where make_timer() began to look for a free one.
thread_timer* timer_of_this_thread() noexcept {
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

thread_timer* timer_of(const siginfo_t& info) noexcept {
  auto* const timer = static_cast<thread_timer*>(info.si_value.sival_ptr);
  const std::less<const thread_timer*> before;
  const bool is_one = (info.si_code == SI_TIMER || info.si_code == call_code) && !before(timer, thread_timers) &&
                      before(timer, thread_timers + most_thread_timers);
  return is_one ? timer : nullptr;
}

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
    // and timer_of_this_thread()'s acquires.
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

void forget_timers() noexcept {
  for (thread_timer& p : thread_timers) p.thread.store(0, std::memory_order_relaxed);  // relaxed: it has one thread
}

bool has_alternate_stacks() noexcept { return alternate_stacks.load(std::memory_order_relaxed); }

// After exec() the flags are still those of the program before; only the size
// says that there is none.
void note_alternate_stack(const stack_t& of_thread) noexcept {
  if ((of_thread.ss_flags & SS_DISABLE) == 0 && of_thread.ss_size != 0)
    alternate_stacks.store(true, std::memory_order_relaxed);
}

}  // namespace callisto::workers::ticks

namespace callisto::workers {

bool posix_runaway_timer::lacks_stack() noexcept {
  stack_t now{};
  return syscall(SYS_sigaltstack, nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0;
}

void posix_runaway_timer::handle_on(std::byte* stack, std::size_t bytes) noexcept {
  const stack_t alternate{.ss_sp = stack, .ss_flags = stack == nullptr ? SS_DISABLE : 0, .ss_size = bytes};
  if (stack == nullptr && std::exchange(ticks::given_alternate, nullptr) == nullptr) return;
  if (syscall(SYS_sigaltstack, &alternate, nullptr) == 0) ticks::given_alternate = stack;
}

int posix_runaway_timer::set_stack_for_program(const stack_t* wanted, stack_t* before) noexcept {
  if (syscall(SYS_sigaltstack, wanted, before) != 0) return -1;
  if (ticks::given_alternate == nullptr) return 0;
  if (before != nullptr && before->ss_sp == ticks::given_alternate)
    *before = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  if (wanted == nullptr) return 0;
  ticks::given_alternate = nullptr;
  if (ticks::thread_timer* const p = ticks::timer_of_this_thread(); p != nullptr) p->alternate = nullptr;
  return 0;
}

}  // namespace callisto::workers
