// The seam between workers and whoever shares out the machine's contexts among jobs (Callisto, EuroSys 2014, section
// 2.1): what a worker asks and tells, and when.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// One for all workers of a set. This one shares with nobody; another derives from it. It outlives the set.
template <class M>
class sharing {
 public:
  using word = typename M::template atomic<std::uint32_t>;

  sharing() = default;
  virtual ~sharing() = default;
  sharing(const sharing&) = delete;
  sharing& operator=(const sharing&) = delete;

  /// Asked once for each worker, before it runs: the word that is not 0 while the worker ought to yield its context.
  /// ShouldYield reads it, relaxed, and nothing else: whoever wants the context writes it and looks at the clock.
  virtual const word& request(unsigned worker) noexcept {
    static_cast<void>(worker);
    return nobody_;
  }

  /// The worker has stopped at a point that suits it, with no activation on it: called, on the worker's own stack, when
  /// its request is not 0. Returns when the worker may run again. May sleep.
  virtual void hand_over(unsigned worker) noexcept { static_cast<void>(worker); }

  /// The worker found nothing to do, and is about to wait for work.
  virtual void fall_idle(unsigned worker) noexcept { static_cast<void>(worker); }

  /// The worker has stopped waiting: there may be work. Returns when it may run. May sleep.
  virtual void come_back(unsigned worker) noexcept { static_cast<void>(worker); }

 private:
  word nobody_{0};
};

}  // namespace callisto::workers
