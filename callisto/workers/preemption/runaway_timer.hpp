// The runaway timer: ticks that take a worker from an activation which neither ends, waits nor yields while other
// activations could go on (Callisto, EuroSys 2014, section 2.1: batches that never check in). Programs that spin at
// their flags without any call, as NAS LU does under OpenMP, need it to end at all.
//
// A worker's timer is a periodic timer of the system that signals the worker's thread, whatever runs there. It ticks
// only while there is demand: an orphan waits, a ticket could start an activation, or another job wants the context.
// Signals interrupt system calls, so a thread without demand has no ticks. The handler asks the set of workers
// (worker_set::tick()), which leaves the activation from within the handler if it may be preempted. The signal's frame
// stays on the activation's stack, and is returned from when the activation goes on, on whichever worker.
//
// The signal stays blocked while the handler runs, and until its frame is returned from; else frames would nest until
// the stack ends. So home unblocks it for the worker after a preemption, and the handler blocks it again for the worker
// on which the activation goes on.
#pragma once

#include <callisto/workers/preemption/interruption.hpp>
#include <callisto/workers/preemption/program_loops.hpp>
#include <callisto/workers/preemption/tick_rate.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

#include <signal.h>

namespace callisto::workers {

/// Returns how many system calls of the calling thread, or of the identity it runs under, were ended by a tick.
unsigned calls_ended_by_ticks() noexcept;
/// True if a tick has ended a call since there were `before` of them, with this result: minus EINTR, or what the call
/// had done by then. False if another signal was handled before the tick; one that was handled after it, at the same
/// moment, is overlooked.
bool tick_ended_call(unsigned before, long result) noexcept;

/// The fate of a signal of the program's.
enum class signal_fate : unsigned char {
  handled,      ///< the program's handler runs at once
  this_thread,  ///< it comes later, on this thread
  any_thread,   ///< it comes later here, unless another thread takes it before
};

/// The timers of a set's threads, as the set uses them. One object for a set.
class runaway_timer {
 public:
  runaway_timer() = default;
  virtual ~runaway_timer() = default;
  runaway_timer(const runaway_timer&) = delete;
  runaway_timer& operator=(const runaway_timer&) = delete;

  /// Lets the thread's timer, if it has one now, tick at this rate from now on. From any thread, also in handlers. A
  /// system call.
  virtual void set_rate(unsigned thread, tick_rate rate) noexcept = 0;
  /// Does the same, but the first tick may come as late as another job's patience allows.
  virtual void set_rate_from_late_on(unsigned thread, tick_rate rate) noexcept { set_rate(thread, rate); }

  /// Interrupts the thread, if it has a timer now, by a tick that is not due (interruption::is_call); another one at
  /// the same time may be it. From any thread, also in handlers.
  virtual void call(unsigned thread) noexcept { static_cast<void>(thread); }
  /// Sends the calling thread a signal.
  virtual void raise(int signal) noexcept { static_cast<void>(signal); }

  /// Lets the calling thread take these signals. A system call.
  virtual void unblock_only(std::uint64_t signals) noexcept { static_cast<void>(signals); }

  /// On a thread's own stack, after what ran there was left from within the handler: signals may come again.
  virtual void unblock() noexcept = 0;
  /// In the handler, when what it interrupted goes on: no signals before its frame is returned from. They would find
  /// the handler's stack.
  virtual void block() noexcept = 0;

  /// Returns how often the calling thread has blocked in the system. A system call, some 100 ns.
  virtual std::uint64_t times_blocked() const noexcept { return 0; }

  /// Ticks of an activation's own thread, and the signals that the thread blocks otherwise.
  struct own_ticks {
    void* timer = nullptr;
    std::uint64_t blocked = 0;
  };
  /// An activation goes on upon its own thread, which has a tick from time to time while it computes. From now on the
  /// thread takes the signals that workers take, or, if `mask` is not null, those that it does not name. In a handler
  /// the mask comes with the handler's end.
  virtual own_ticks begin_own_thread(void* an_activation, bool in_handler, const std::uint64_t* mask) noexcept {
    static_cast<void>(an_activation), static_cast<void>(in_handler), static_cast<void>(mask);
    return {};
  }
  virtual void end_own_thread(const own_ticks& ticks) noexcept { static_cast<void>(ticks); }

  // For threads and activations that the program has set a mask for. A system call each.

  /// Returns the calling thread's mask, and lets it take the signals that workers take, unless it is to be `kept`.
  virtual std::uint64_t put_off_mask(bool kept) noexcept {
    static_cast<void>(kept);
    return 0;
  }
  virtual void put_on_mask(std::uint64_t mask) noexcept { static_cast<void>(mask); }
  /// True if workers have this mask.
  virtual bool is_usual(std::uint64_t mask) const noexcept {
    static_cast<void>(mask);
    return true;
  }
  /// True if a signal has come for the calling thread that it blocks.
  virtual bool has_held() const noexcept { return false; }

  /// In the handler: true if a thread at this instruction waits for certain (program_loops.hpp).
  virtual bool waits_at(std::uintptr_t instruction) const noexcept {
    static_cast<void>(instruction);
    return false;
  }
};

/// Timers of POSIX for threads of the native machine. They signal SIGURG, which programs ignore unless they have a use
/// for it; Go's runtime preempts by it for the same reasons. A SIGURG that is no tick goes to the program's own action.
class posix_runaway_timer final : public runaway_timer {
 public:
  /// Called by the handler on the thread. True: what ran there was left meanwhile, and goes on, maybe on another
  /// thread.
  using handler = bool (*)(void* set, unsigned thread, const interruption& at) noexcept;
  /// Returns the top of a free stack for a handler that may leave what runs on the thread; null: it may not be left
  /// here. Called by the handler, where its frame is on an alternate stack.
  using stack_finder = void* (*)(void* set, unsigned thread) noexcept;

  /// Called by the handler on an activation's own thread. True: as for `handler`.
  using own_handler = bool (*)(void* an_activation) noexcept;

  /// Says what becomes of a signal of the program's, given by its bit, on the thread of a set, or, with 0 as the
  /// thread's number, on the own thread of an activation. Called in its handler.
  using fate_finder = signal_fate (*)(void* set_or_activation, unsigned thread, std::uint64_t signal) noexcept;

  struct handlers {
    handler on_tick;
    own_handler on_own_thread;
    stack_finder free_stack;
    fate_finder fate;
    fate_finder fate_on_own_thread;
  };

  /// `is_wait`: knows loops that wait; null: two ticks at one place tell a wait.
  posix_runaway_timer(unsigned threads, const tick_periods& ticks, const handlers& how, wait_test is_wait);
  ~posix_runaway_timer() override;

  /// True if the calling thread has no alternate stack.
  static bool lacks_stack() noexcept;
  /// On the thread, before adopt(): gives it an alternate stack, where ticks are handled. Null: takes it away, if the
  /// program has set no other.
  static void handle_on(std::byte* stack, std::size_t bytes) noexcept;
  /// sigaltstack() as the program sees it, on a thread that it made: a stack that handle_on() gave is none.
  static int set_stack_for_program(const stack_t* wanted, stack_t* before) noexcept;
  /// On the thread, before it runs anything: makes its timer, and unblocks the signal. False: the system refuses one.
  /// While the program blocks more signals than usual on the thread, as in one of its handlers, ticks do nothing: for
  /// up to 50 ticks, or 2,000 if a thread of the program has an alternate stack. A mask that the program has set by a
  /// call is no such case. `is_worker`: its mask is what workers usually have.
  bool adopt(unsigned thread, void* set, bool is_worker) noexcept;
  /// True if the system lets the process have this number of timers at once, as the limits are now. Two system calls a
  /// timer.
  static bool can_make(unsigned timers);
  /// On that thread, once it needs no ticks.
  void abandon(unsigned thread) noexcept;

  /// sigaction() for the ticks' signal as the program sees it (program_signal.hpp). False: the signal is not taken, and
  /// the system's call applies.
  static bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept;
  /// The last act of a handler of the program's, given by its `context`: it may have begun on another thread, and
  /// returns as this one.
  static void end_handler_here(void* context) noexcept;
  /// In the handler of a signal of the program's, which no instruction caused: true if the program's handler must not
  /// run here now. The signal comes again when it can (worker_set::put_off_signal()).
  static bool put_off_signal(siginfo_t* info, void* context) noexcept;
  /// raise() as the program means it: no tick takes the caller to another thread before the handler has begun.
  static int raise_for_program(int signal) noexcept;
  /// Called when the handler has begun.
  static void has_come_by_raise() noexcept;

  void set_rate(unsigned thread, tick_rate rate) noexcept override;
  void set_rate_from_late_on(unsigned thread, tick_rate rate) noexcept override;
  void call(unsigned thread) noexcept override;
  void raise(int signal) noexcept override;
  void unblock() noexcept override;
  void block() noexcept override;
  void unblock_only(std::uint64_t signals) noexcept override;
  std::uint64_t times_blocked() const noexcept override;
  own_ticks begin_own_thread(void* an_activation, bool in_handler, const std::uint64_t* mask) noexcept override;
  void end_own_thread(const own_ticks& ticks) noexcept override;
  std::uint64_t put_off_mask(bool kept) noexcept override;
  void put_on_mask(std::uint64_t mask) noexcept override;
  bool is_usual(std::uint64_t mask) const noexcept override;
  bool has_held() const noexcept override;
  bool waits_at(std::uintptr_t instruction) const noexcept override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace callisto::workers
