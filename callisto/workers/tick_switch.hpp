// Which workers' runaway timers tick: the agreement between who makes demand for workers, and ticks that find none.
//
// A timer that stops just when demand arises must be started again by one of the two. Both do a read-modify-write of
// one word, the number of timers at rest: whichever comes second knows of the other. So who makes demand pays for one
// such operation while all timers tick, or none can be needed.
#pragma once

#include <callisto/machine/policy.hpp>

#include <memory>

namespace callisto::workers {

template <class M>
class tick_switch {
  using order = machine::order;

 public:
  explicit tick_switch(unsigned workers)
      : workers_(workers), ticks_(new typename M::template atomic<bool>[workers]), resting_(workers) {
    for (unsigned n = 0; n < workers; ++n) ticks_[n].store(false, order::relaxed);  // nobody else knows it yet
  }

  /// After demand was made that has_demand() finds: calls start(n) for each worker whose timer rests. From any thread.
  template <class Start>
  void demand(Start start) noexcept {
    // release: who rests later sees the demand. acquire: we see that those rest who did so before.
    if (resting_.fetch_add(0, order::acq_rel) == 0) return;
    for (unsigned n = 0; n < workers_; ++n) {
      // acquire: the timer was stopped before it is started. relaxed otherwise: `resting_` orders demand.
      if (ticks_[n].load(order::relaxed) || ticks_[n].exchange(true, order::acquire)) continue;
      resting_.fetch_sub(1, order::relaxed);  // relaxed: whoever reads too many looks at each
      start(n);
    }
  }

  /// Worker `n` has a timer from now on, which had none: whoever started it before did nothing. Calls start(n).
  template <class Start>
  void add(unsigned n, Start start) noexcept {
    // acquire and relaxed: as in demand().
    if (!ticks_[n].exchange(true, order::acquire)) resting_.fetch_sub(1, order::relaxed);
    start(n);
  }

  /// A tick on worker `n`, whose timer ticks, found nothing to do for some time: stop(n), unless demand comes now.
  template <class Stop, class HasDemand, class Start>
  void rest(unsigned n, Stop stop, HasDemand has_demand, Start start) noexcept {
    stop(n);
    ticks_[n].store(false, order::release);  // release: for who starts it
    // As in demand().
    resting_.fetch_add(1, order::acq_rel);
    if (has_demand()) demand(start);
  }

 private:
  const unsigned workers_;
  std::unique_ptr<typename M::template atomic<bool>[]> ticks_;
  typename M::template atomic<unsigned> resting_;
};

}  // namespace callisto::workers
