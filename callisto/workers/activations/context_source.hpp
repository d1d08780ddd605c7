// Where the process gets its hardware contexts from: the strategy of context_owners.hpp.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/activations/context_provider.hpp>

namespace callisto::workers {

/// Gives contexts to the process, which then owns them among jobs; context_owners decides which of its threads has
/// each. This class has all contexts from the beginning, and does not know where threads are. pinned_contexts.hpp knows
/// that; job_contexts.hpp shares with other jobs.
template <machine::policy M>
class context_source {
 public:
  static constexpr unsigned none = ~0U;

  context_source() = default;
  virtual ~context_source() = default;
  context_source(const context_source&) = delete;
  context_source& operator=(const context_source&) = delete;

  // Called by the thread that has context `c` within the process:

  /// Blocks until the context is this job's: when a thread gets it, and again when another job wants it. Clears
  /// look_request in `watch`. False, for attached threads only: the caller had better take another context.
  virtual bool acquire(unsigned c, context_watch<M>& watch, bool attached) noexcept {
    static_cast<void>(c), static_cast<void>(watch), static_cast<void>(attached);
    return true;
  }
  /// No thread of this process needs the context.
  virtual void release(unsigned c) noexcept { static_cast<void>(c); }

  // Called by any thread:

  /// Returns the context of the job's main thread; `none`: the main thread may be on any.
  virtual unsigned main_context() const noexcept { return none; }
  /// Returns the context that the calling attached thread is on now; `none`: it is on no context of the set, or that is
  /// unknown.
  virtual unsigned here() const noexcept { return none; }

  /// Returns whether acquire() would give context `c` to a thread of this process without a wait for another job; a
  /// hint.
  virtual bool is_at_hand(unsigned c) const noexcept {
    static_cast<void>(c);
    return true;
  }

  // As in context_provider:
  virtual bool may_be_asked(unsigned c) const noexcept {
    static_cast<void>(c);
    return false;
  }
  virtual bool comes_too_late(unsigned c) noexcept {
    static_cast<void>(c);
    return false;
  }
  virtual unsigned contexts_at_hand(unsigned all) const noexcept { return all; }
};

}  // namespace callisto::workers
