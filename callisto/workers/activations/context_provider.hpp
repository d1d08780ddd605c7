// The seam between workers and what shares out hardware contexts, among jobs and within one (Callisto, EuroSys 2014,
// section 2.1): what a worker asks and tells, and when.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// Words of a context. The thread that has the context reads them to learn whether the context is wanted elsewhere.
template <machine::policy M>
struct context_watch {
  using order = machine::order;

  // Bits of `request`:
  static constexpr std::uint32_t attached_request = 1;  ///< an attached thread waits for the context
  static constexpr std::uint32_t look_request = 2;  ///< context_source::acquire() is to be called; it clears the bit

  /// ShouldYield: true if another thread or job wants the context. Costs a load or two of lines that are written only
  /// when the context is wanted.
  bool should_yield() const noexcept {
    // relaxed: both are requests; the words of context_owners.hpp and cosched/ decide what follows.
    return request.load(order::relaxed) != 0 || (word != nullptr && word->load(order::relaxed) != calm);
  }

  /// Requests from threads of this process.
  machine::atomic_of<M, std::uint32_t> request{0};
  // Another job may want the context while `*word` differs from `calm`. Both are written before a thread gets the
  // context.
  const machine::atomic_of<M, std::uint64_t>* word = nullptr;
  std::uint64_t calm = 0;
};

/// Provides the workers of a set with contexts. This class shares with no other job; context_owners.hpp lends contexts
/// to attached threads, and obtains them from other jobs. One object for a set, which it outlives.
template <machine::policy M>
class context_provider {
 public:
  context_provider() = default;
  virtual ~context_provider() = default;
  context_provider(const context_provider&) = delete;
  context_provider& operator=(const context_provider&) = delete;

  /// Returns the watch of the worker's context. Called once for each worker, before it runs.
  virtual const context_watch<M>& watch(unsigned worker) noexcept {
    static_cast<void>(worker);
    return calm_;
  }

  /// Called on the worker's own stack, with no activation on it, when it should yield. True: the worker may run on;
  /// false: it has lost the context. May block.
  virtual bool hand_over(unsigned worker) noexcept {
    static_cast<void>(worker);
    return true;
  }

  /// The worker found nothing to do, and is about to wait for work. True: the context is free now, so that the worker
  /// may spin on it for a while.
  virtual bool fall_idle(unsigned worker) noexcept {
    static_cast<void>(worker);
    return true;
  }

  /// The worker has stopped waiting: there may be work. True: it has its context, and may run; false: it has none, and
  /// waits for work again. May block.
  virtual bool come_back(unsigned worker) noexcept {
    static_cast<void>(worker);
    return true;
  }

  /// True if other jobs may ask for the worker's context at any time, so that ticks have to look for that. If that
  /// changes, worker_set::look_for_others() is called.
  virtual bool may_be_asked(unsigned worker) const noexcept {
    static_cast<void>(worker);
    return false;
  }

  /// True if the worker should reacquire its context although the work that woke it is done, so that it is ready for
  /// the next region.
  virtual bool comes_too_late(unsigned worker) noexcept {
    static_cast<void>(worker);
    return false;
  }

  /// Returns how many of `all` contexts workers can have at once if they want to; a hint.
  virtual unsigned contexts_at_hand(unsigned all) const noexcept { return all; }

 private:
  context_watch<M> calm_;
};

}  // namespace callisto::workers
