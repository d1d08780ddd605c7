// Per-thread POSIX timers, in a pool: their signals interrupt what runs on the threads. For the sources of this
// folder.
#pragma once

#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>
#include <callisto/workers/preemption/tick_rate.hpp>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include <sys/types.h>

namespace callisto::workers::ticks {

constexpr int tick_signal = SIGURG;
/// The code of a signal by which posix_runaway_timer::call() interrupts a thread.
constexpr int call_code = SI_QUEUE;

/// One thread's timer. Timers are used again, and never freed, so that an address alone tells a tick from a late
/// signal, and from the signal of a timer of the program's.
struct thread_timer {
  enum class state : unsigned char { free, taken, ticking };
  std::atomic<state> used{state::free};
  std::atomic<bool> was_used{false};
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

/// 0: no ticks. The first tick is due after `least_first` nanoseconds at least.
void set_period(thread_timer& p, std::uint64_t nanoseconds, std::uint64_t least_first = 0) noexcept;
/// Returns nanoseconds.
std::uint64_t period_at(const thread_timer& p, tick_rate rate) noexcept;
/// In the handler of a tick: learns what ticks cost, and makes them come more rarely if that is much.
void measure_lag(thread_timer& p, const siginfo_t& how) noexcept;

/// Returns the calling thread's timer; null: it has none.
thread_timer* timer_of_this_thread() noexcept;
/// Returns the timer that a signal comes from; null: from none.
thread_timer* timer_of(const siginfo_t& info) noexcept;
/// Makes a timer of `clock` for the calling thread, with ticks as the rest describes; null: the system refuses one. The
/// caller lets it tick.
thread_timer* make_timer(clockid_t clock, const thread_timer& like) noexcept;
void drop_timer(thread_timer& p) noexcept;
/// In a child of fork(), which has no timers, and none of the threads.
void forget_timers() noexcept;

/// True once a thread was seen to have an alternate stack; a hint.
bool has_alternate_stacks() noexcept;
/// Notes the alternate stack of a frame.
void note_alternate_stack(const stack_t& of_thread) noexcept;

}  // namespace callisto::workers::ticks
