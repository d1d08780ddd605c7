// What a leader publishes and followers run (Callisto-RTS, ATC'15 section 2.1: "a work_item ... with a single run
// function containing a loop which claims a batch of iterations before calling the workload-specific loop body").
#pragma once

#include <callisto/workers/teams/context_lease.hpp>

namespace callisto::workers {

/// One parallel loop in flight. It lives on its leader's stack: followers may touch it only between entering and
/// leaving the gate of the slot that it is published in.
template <machine::policy M>
class work_item {
 public:
  /// Ends the publication early: called by a thread that finds nothing left to claim, while it takes part.
  class publication {
   public:
    virtual void withdraw() noexcept = 0;

   protected:
    ~publication() = default;
  };

  /// Takes part in the loop as thread number `thread` until nothing is left to claim. Never throws: what a body throws
  /// is kept for the leader. `published` is null when the leader runs the item alone. `on`: where the thread stands, or
  /// null if nobody else wants the context; when it is away afterwards, it has left before that.
  virtual void run(unsigned thread, publication* published, context_lease<M>* on) noexcept = 0;

 protected:
  ~work_item() = default;
};

}  // namespace callisto::workers
