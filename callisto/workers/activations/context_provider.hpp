// The seam between workers and whoever shares out the machine's contexts among jobs, and within one (Callisto,
// EuroSys 2014, section 2.1): what a worker asks and tells, and when.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// What whoever has a context looks at to know whether somebody else wants it.
template <machine::policy M>
struct context_watch {
  using order = machine::order;

  /// ShouldYield. A load or two of lines that are written only when somebody wants something.
  bool should_yield() const noexcept {
    // relaxed: wishes. What follows from them is agreed upon elsewhere.
    return request.load(order::relaxed) != 0 || (word != nullptr && word->load(order::relaxed) != calm);
  }

  /// Not 0: a thread of this process wants the context, or wants it to be looked at.
  machine::atomic_of<M, std::uint32_t> request{0};
  // Another job wants it, perhaps, when `*word` is not `calm`. Written before somebody has the context.
  const machine::atomic_of<M, std::uint64_t>* word = nullptr;
  std::uint64_t calm = 0;
};

/// One for all workers of a set. This one shares with nobody; others derive from it. It outlives the set.
template <machine::policy M>
class context_provider {
 public:
  context_provider() = default;
  virtual ~context_provider() = default;
  context_provider(const context_provider&) = delete;
  context_provider& operator=(const context_provider&) = delete;

  /// Asked once for each worker, before it runs.
  virtual const context_watch<M>& watch(unsigned worker) noexcept {
    static_cast<void>(worker);
    return nobody_;
  }

  /// The worker has stopped at a point that suits it, with no activation on it: called, on the worker's own stack, when
  /// it should yield. True: it may run on; false: the context is gone, and nothing is to be done there. May sleep.
  virtual bool hand_over(unsigned worker) noexcept {
    static_cast<void>(worker);
    return true;
  }

  /// The worker found nothing to do, and is about to wait for work. True: nobody else has the context now, so it may
  /// spin for a while.
  virtual bool fall_idle(unsigned worker) noexcept {
    static_cast<void>(worker);
    return true;
  }

  /// The worker has stopped waiting: there may be work. True: it may run; false: there is none any more. May sleep.
  virtual bool come_back(unsigned worker) noexcept {
    static_cast<void>(worker);
    return true;
  }

  /// Whether other jobs may ask for the worker's context at any time: then ticks look for that. Else look_for_others()
  /// tells when that changes.
  virtual bool may_be_asked(unsigned worker) const noexcept {
    static_cast<void>(worker);
    return false;
  }

  /// Whether the worker, woken for what others have done in the meantime, had better come_back() nevertheless, to have
  /// its context the next time.
  virtual bool comes_too_late(unsigned worker) noexcept {
    static_cast<void>(worker);
    return false;
  }

  /// Of `all` contexts, how many workers can have at once if they want to; a hint.
  virtual unsigned contexts_at_hand(unsigned all) const noexcept { return all; }

 private:
  context_watch<M> nobody_;
};

}  // namespace callisto::workers
