// Which threads' runaway timers tick: the agreement between who makes demand for workers, and ticks that find none.
//
// A timer that stops just when demand arises must be started again by one of the two. Both do a read-modify-write of
// one word, the number of timers at rest: whichever comes second knows of the other. So who makes demand pays for one
// such operation while all timers tick, or none can be needed.
//
// A thread that is elsewhere, which does nothing that could be interrupted for, has a timer that does not tick, whether
// it counts as one at rest or not: it is started when the thread comes back, if it is not at rest.
#pragma once

#include <callisto/machine/policy.hpp>

#include <memory>

namespace callisto::workers {

template <machine::policy M>
class timer_gate {
  using order = machine::order;

 public:
  /// All are elsewhere, and at rest.
  explicit timer_gate(unsigned threads)
      : threads_(threads), each_(new machine::atomic_of<M, unsigned>[threads]), resting_(threads) {
    for (unsigned n = 0; n < threads_; ++n) each_[n].store(0, order::relaxed);  // nobody else knows it yet
  }

  /// After demand was made that has_demand() finds: calls wake(n, here) for each thread whose timer rests; `here`: it
  /// is not elsewhere, so that its timer is to be started. From any thread.
  template <class Wake>
  void demand(Wake wake) noexcept {
    // release: who rests later sees the demand. acquire: we see that those rest who did so before.
    if (resting_.fetch_add(0, order::acq_rel) == 0) return;
    for (unsigned n = 0; n < threads_; ++n) {
      // relaxed: a look; `resting_` orders demand.
      if ((each_[n].load(order::relaxed) & ticks) != 0) continue;
      // acquire: the timer was stopped before it is started. Either we see that the thread is back, or arrive() that
      // its timer is to tick.
      const unsigned before = each_[n].fetch_or(ticks, order::acquire);
      if ((before & ticks) != 0) continue;
      resting_.fetch_sub(1, order::relaxed);  // relaxed: whoever reads too many looks at each
      wake(n, (before & here) != 0);
    }
  }

  /// Thread `n` has a timer from now on, which does not tick yet; or its timer, which rests, is to tick without demand.
  /// True: it is to be started.
  bool add(unsigned n) noexcept {
    // acquire and relaxed: as in demand().
    const unsigned before = each_[n].fetch_or(ticks, order::acquire);
    if ((before & ticks) == 0) resting_.fetch_sub(1, order::relaxed);
    return (before & here) != 0;
  }

  /// Calls f(n) for each thread whose timer ticks now. A hint, by any thread.
  template <class Function>
  void for_each_ticking(Function f) const {
    for (unsigned n = 0; n < threads_; ++n) {
      if (each_[n].load(order::relaxed) == (ticks | here)) f(n);  // relaxed: a look
    }
  }

  /// Thread `n`: it was elsewhere, and is not any more. True: its timer is to be started.
  bool arrive(unsigned n) noexcept {
    return (each_[n].fetch_or(here, order::relaxed) & ticks) != 0;  // relaxed: only this thread stops its timer
  }

  /// Thread `n`: it is elsewhere from now on. True: its timer is to be stopped.
  bool leave(unsigned n) noexcept {
    // relaxed: who starts the timer nevertheless costs a vain tick.
    return (each_[n].fetch_and(~here, order::relaxed) & ticks) != 0;
  }

  /// A timer that ticks, or would if its thread were not elsewhere, goes to rest, after stop(n), unless there is demand
  /// now: then it is as if that came later. By its thread.
  template <class Stop, class HasDemand, class Wake>
  void rest(unsigned n, Stop stop, HasDemand has_demand, Wake wake) noexcept {
    stop(n);
    // release: for who starts it. One that rests already, and ticks nevertheless now and then, rests on.
    if ((each_[n].fetch_and(~ticks, order::release) & ticks) == 0) return;
    // As in demand().
    resting_.fetch_add(1, order::acq_rel);
    if (has_demand()) demand(wake);
  }

  /// Thread `n`, whose timer may rest, has done what makes wake(n, ...) mean something else: demand that came before is
  /// seen now, as has_demand() finds it, and demand that comes later sees what was done.
  template <class HasDemand, class Wake>
  void look_again(HasDemand has_demand, Wake wake) noexcept {
    resting_.fetch_add(0, order::acq_rel);  // as in demand()
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
