// A worker, and the threads that work as one.
#pragma once

#include <callisto/machine/fibers/fiber.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/signal_safe.hpp>
#include <callisto/workers/activations/context_provider.hpp>
#include <callisto/workers/preemption/tick_policy.hpp>

#include <cstdint>
#include <utility>

namespace callisto::workers {

template <machine::policy M>
class activation;
template <machine::policy M>
class attached_thread;
template <machine::policy M>
class worker_set;

/// One thread's worth of running activations, on one hardware context.
template <machine::policy M>
class alignas(M::line_size) worker {
 public:
  unsigned number() const noexcept { return number_; }

  /// Returns the activation that runs on it; null: none does. For code on this worker.
  activation<M>* current() const noexcept { return current_; }

  /// ShouldYield: true if another thread or job wants the context.
  bool should_yield() const noexcept { return watch_.should_yield(); }

 private:
  friend class activation<M>;
  friend class worker_set<M>;

  worker(unsigned number, const context_watch<M>& watch) noexcept : number_(number), watch_(watch) {}

  unsigned number_;
  const context_watch<M>& watch_;
  machine::fiber own_home_;  ///< of the worker's own thread
  // Of the thread that works as this worker: its own, or the attached thread that has the context. The context's word
  // (context_owners.hpp) hands them on.
  machine::plain_of<M, machine::fiber*> home_{nullptr};
  const attached_thread<M>* host_ = nullptr;  ///< the attached thread; null: its own thread

  activation<M>* spare_ = nullptr;  ///< idle, for the next ticket
  /// Signals of the program's that its own thread blocks until they can come (worker_set::put_off_signal()).
  machine::signal_safe<std::uint64_t> put_off_{0};
  activation<M>* current_ = nullptr;
  unsigned orphans_in_a_row_ = 0;
};

/// A thread of the set that can have a timer, a worker's or an attached one, as handlers of ticks on it see it.
template <machine::policy M>
struct alignas(M::line_size) ticked_thread {
  enum class role : std::uint8_t {
    elsewhere,        ///< a tick has nothing to interrupt
    attached_thread,  ///< it runs the application's code
    worker,           ///< it works as `works_as`
  };

  // Written by the thread itself:
  machine::signal_safe<role> does{role::elsewhere};
  machine::signal_safe<unsigned> turn{0};  ///< counts changes of what runs on it
  worker<M>* works_as = nullptr;

  // For handlers:
  tick_policy ticks;
  bool has_waited = false;    ///< the last tick without demand has waited for a peer
  std::uint64_t blocked = 0;  ///< how often the thread had blocked at the last look

  /// When an attached thread that was busy briefly before began again, in M::ticks(); 0: it was not. relaxed: threads
  /// that start its timer take it for a hint.
  machine::atomic_of<M, std::uint64_t> brief_from{0};
  /// True if its first tick may come late (tick_policy::was_brief()).
  bool is_brief(std::uint64_t now) const noexcept {
    const std::uint64_t from = brief_from.load(machine::order::relaxed);
    return from != 0 && tick_policy::is_brief(now - from, M::ticks_per_second());
  }
  /// True if the thread has blocked since the last look. One that is about to make a system call has not.
  bool has_blocked(std::uint64_t times) noexcept { return times != std::exchange(blocked, times); }
};

}  // namespace callisto::workers
