// The runaway timer: ticks that take a worker from an activation which neither ends, waits nor yields while others
// could go on (Callisto, EuroSys 2014, section 2.1: batches that never check in; programs that spin at flags of their
// own without any call, as NAS LU does under OpenMP, need it to end at all).
//
// A worker's timer is a periodic timer of the system that signals the worker's thread, whatever runs there. It ticks
// only while there is demand: an orphan waits, a ticket could start an activation, or another job wants the context.
// Signals interrupt system calls, so nobody has any otherwise. The handler asks the set of workers
// (worker_set::tick()), which leaves from within the handler if the activation may be preempted: the signal's frame
// stays on the activation's stack, and is returned from when the activation goes on, on whichever worker.
//
// The signal stays blocked while the handler runs, and until its frame is returned from; else frames would nest until
// the stack ends. So home unblocks it for the worker after a preemption, and the handler blocks it again for the worker
// on which it goes on.
#pragma once

#include <callisto/workers/preemption/loop_traps.hpp>

#include <cstdint>
#include <memory>

#include <signal.h>

namespace callisto::workers {

/// Where a tick found its thread.
struct interruption {
  std::uintptr_t instruction = 0;  ///< 0: not known
  bool is_late = false;            ///< it could not come when it was due
  std::uint64_t period = 0;        ///< in nanoseconds, how long after the last one it was due
  std::uint64_t registers = 0;     ///< a digest of the general ones, but for `instruction`

  /// Whether the thread has got nowhere since `last`, in the same activation, as who watches a flag: it is in the same
  /// few lines of code, and has the same in its registers, which a loop that computes something has not.
  bool gets_nowhere_since(const interruption& last) const noexcept {
    return are_near(instruction, last.instruction) && registers == last.registers;
  }
  /// In the same few lines of code.
  static bool are_near(std::uintptr_t a, std::uintptr_t b) noexcept {
    return a != 0 && b != 0 && (a < b ? b - a : a - b) < 128;
  }
};

/// How many system calls of the thread, or the identity, that calls were ended by a tick.
unsigned calls_ended_by_ticks() noexcept;
/// Whether a tick has ended one since there were so many, with this result: minus EINTR, or what it had done by then.
/// Not if a signal was handled before the tick; one that was handled after it, at the same moment, is overlooked.
bool tick_ended_call(unsigned before, long result) noexcept;

/// What a set of workers asks of the timers of its workers. One for all of a set.
class runaway_timer {
 public:
  runaway_timer() = default;
  virtual ~runaway_timer() = default;
  runaway_timer(const runaway_timer&) = delete;
  runaway_timer& operator=(const runaway_timer&) = delete;

  /// The worker's timer, if it has one now, is to tick from now on; `rarely`: where ticks are dear, so that they take
  /// next to nothing. From any thread. A system call.
  virtual void start(unsigned worker, bool rarely) noexcept = 0;
  /// In the handler: ticks are to come quickly, as far as they leave the thread most of its time, until start() or
  /// rest(). A system call.
  virtual void hurry(unsigned worker) noexcept = 0;
  /// By the thread, also in the handler: no more ticks until start(), but a few where somebody has to look `slowly`,
  /// and fewer if `rarely`. A system call.
  virtual void rest(unsigned worker, bool slowly, bool rarely) noexcept = 0;

  /// On a worker's own stack, after an activation was left from within the handler: ticks may come again.
  virtual void unblock() noexcept = 0;
  /// In the handler, when its activation goes on: no ticks before its frame is returned from.
  virtual void block() noexcept = 0;

  /// In the handler: whether who is found at this instruction waits, certainly (spin_loop.hpp).
  virtual bool waits_at(std::uintptr_t instruction) const noexcept {
    static_cast<void>(instruction);
    return false;
  }
  /// In the handler: whoever waits at this instruction is from now on met at once (spin_traps.hpp). False: only by
  /// ticks.
  virtual bool trap(std::uintptr_t instruction) noexcept {
    static_cast<void>(instruction);
    return false;
  }
};

/// Ticks by POSIX timers for worker threads of the native machine: SIGURG, which programs ignore unless they have a use
/// for it (the reasons are those of Go's runtime, which preempts by it, too). The program's own handler gets what are
/// no ticks.
class posix_runaway_timer final : public runaway_timer {
 public:
  /// The handler calls this on the worker's thread. True: what runs there was left meanwhile, maybe on another thread.
  using handler = bool (*)(void* set, unsigned worker, const interruption& at) noexcept;
  /// Likewise, where what runs there has met a trap.
  using wait_handler = trap_outcome (*)(void* set, unsigned worker) noexcept;

  /// In nanoseconds of the clock, not of processor time: an activation that the kernel makes wait keeps its worker,
  /// too. All where ticks are cheap: a tick costs a microsecond or two on a processor of one's own, but 30 on some
  /// virtual ones, where ticks every 20 would leave the program nothing.
  struct periods {
    std::uint64_t quick, usual, slow;
  };
  /// Traps beside the ticks.
  struct trap_handlers {
    loop_traps* in = nullptr;                    ///< null: no traps
    wait_handler by_signal = nullptr;            ///< in a handler of signals
    loop_traps::call_handler by_call = nullptr;  ///< outside of handlers; all timers of the process have the same
  };
  posix_runaway_timer(unsigned workers, const periods& ticks, handler call, const trap_handlers& traps);
  ~posix_runaway_timer() override;

  /// On the worker's thread, before it runs: makes its timer, and unblocks the signal. False: the system refuses one.
  /// While the program has more signals blocked than the thread has now, in a handler of its own for instance, ticks do
  /// nothing, for up to 50 of them, 2,000 if a thread of the program has an alternate stack.
  bool adopt(unsigned worker, void* set) noexcept;
  /// On that thread, when it needs no ticks any more.
  void abandon(unsigned worker) noexcept;

  /// sigaction() for the ticks' signal as the program sees it (program_signal.hpp). False: it is the system's.
  static bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept;
  /// raise(SIGURG) as the program means it.
  static int raise_for_program() noexcept;

  void start(unsigned worker, bool rarely) noexcept override;
  void hurry(unsigned worker) noexcept override;
  void rest(unsigned worker, bool slowly, bool rarely) noexcept override;
  void unblock() noexcept override;
  void block() noexcept override;
  bool waits_at(std::uintptr_t instruction) const noexcept override;
  bool trap(std::uintptr_t instruction) noexcept override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace callisto::workers
