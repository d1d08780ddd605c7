// Which threads' runaway timers tick: the agreement between threads that make demand for workers, and ticks that find
// none.
//
// A timer that stops just when demand arises must be started again by one of the two sides. Both do a read-modify-write
// of one word, the number of timers at rest, so the later one knows of the earlier one. Making demand costs one such
// operation while all timers tick.
//
// A thread is elsewhere while it runs nothing that a tick could end. Its timer does not tick then, whether it counts as
// one at rest or not. If it is not at rest, it is started when the thread comes back.
#pragma once

#include <callisto/machine/policy.hpp>

#include <memory>

namespace callisto::workers {

template <machine::policy M>
class timer_gate {
  using order = machine::order;

 public:
  /// At first all threads are elsewhere, and all timers at rest.
  explicit timer_gate(unsigned threads)
      : threads_(threads), each_(new machine::atomic_of<M, unsigned>[threads]), resting_(threads) {
    for (unsigned n = 0; n < threads_; ++n) each_[n].store(0, order::relaxed);  // relaxed: no other thread knows it yet
  }

  /// Called after demand was made that has_demand() finds. Calls wake(n, here) for each thread with a timer at rest;
  /// `here`: the thread is not elsewhere, and its timer is to be started. From any thread.
  template <class Wake>
  void demand(Wake wake) noexcept {
    // release: publishes the demand to a later rest(). acquire: pairs with the release of earlier ones.
    if (resting_.fetch_add(0, order::acq_rel) == 0) return;
    for (unsigned n = 0; n < threads_; ++n) {
      // relaxed: a look; `resting_` orders demand.
      if ((each_[n].load(order::relaxed) & ticks) != 0) continue;
      // acquire: pairs with rest()'s release; the timer was stopped before it is started. Either this sees that the
      // thread is back, or arrive() sees that its timer is to tick.
      const unsigned before = each_[n].fetch_or(ticks, order::acquire);
      if ((before & ticks) != 0) continue;
      resting_.fetch_sub(1, order::relaxed);  // relaxed: a stale count only costs one extra scan
      wake(n, (before & here) != 0);
    }
  }

  /// Thread `n` has a timer from now on, which does not tick yet; or its timer, at rest, is to tick without demand.
  /// True: the timer is to be started.
  bool add(unsigned n) noexcept {
    // acquire and relaxed: as in demand().
    const unsigned before = each_[n].fetch_or(ticks, order::acquire);
    if ((before & ticks) == 0) resting_.fetch_sub(1, order::relaxed);
    return (before & here) != 0;
  }

  /// Calls f(n) for each thread with a timer that ticks now; a hint. From any thread.
  template <class Function>
  void for_each_ticking(Function f) const {
    for (unsigned n = 0; n < threads_; ++n) {
      if (each_[n].load(order::relaxed) == (ticks | here)) f(n);  // relaxed: a look
    }
  }

  /// Thread `n` comes back from elsewhere. True: its timer is to be started. By the thread.
  bool arrive(unsigned n) noexcept {
    return (each_[n].fetch_or(here, order::relaxed) & ticks) != 0;  // relaxed: only this thread stops its timer
  }

  /// Thread `n` is elsewhere from now on. True: its timer is to be stopped. By the thread.
  bool leave(unsigned n) noexcept {
    // relaxed: a thread that starts the timer nevertheless costs a vain tick.
    return (each_[n].fetch_and(~here, order::relaxed) & ticks) != 0;
  }

  /// Calls stop(n), and lets the timer of thread `n` rest. If has_demand() then, does what demand(wake) does. By the
  /// thread.
  template <class Stop, class HasDemand, class Wake>
  void rest(unsigned n, Stop stop, HasDemand has_demand, Wake wake) noexcept {
    stop(n);
    // release: publishes the stop to demand()'s acquire. A timer that rests already, and ticks slowly, rests on.
    if ((each_[n].fetch_and(~ticks, order::release) & ticks) == 0) return;
    // acq_rel: as in demand().
    resting_.fetch_add(1, order::acq_rel);
    if (has_demand()) demand(wake);
  }

  /// Called after a thread with a timer that may rest has changed what wake(n, ...) does for it. Demand that came
  /// before is seen by has_demand(), and then wake() is called; demand that comes later sees the change.
  template <class HasDemand, class Wake>
  void look_again(HasDemand has_demand, Wake wake) noexcept {
    resting_.fetch_add(0, order::acq_rel);  // acq_rel: as in demand()
    if (has_demand()) wake();
  }

 private:
  static constexpr unsigned ticks = 1;  ///< its timer does not rest
  static constexpr unsigned here = 2;   ///< it is not elsewhere

  const unsigned threads_;
  std::unique_ptr<machine::atomic_of<M, unsigned>[]> each_;
  machine::atomic_of<M, unsigned> resting_;
};

}  // namespace callisto::workers
