// Work items, which a leader publishes and followers run (Callisto-RTS, ATC 2015, section 2.1: "a work_item ... with a
// single run function containing a loop which claims a batch of iterations before calling the workload-specific loop
// body").
#pragma once

#include <callisto/workers/teams/context_lease.hpp>

namespace callisto::workers {

/// One parallel loop in flight. It lives on its leader's stack: a follower may touch it only between entering and
/// leaving the gate of the slot in which it is published.
template <machine::policy M>
class work_item {
 public:
  /// Ends the publication early. A thread in the loop calls it when it finds nothing left to claim.
  class publication {
   public:
    virtual void withdraw() noexcept = 0;

   protected:
    ~publication() = default;
  };

  /// Takes part in the loop as thread number `thread` until nothing is left to claim. Never throws: a body's exception
  /// is kept for the leader. `published` is null if the leader runs the item alone. `on` is the lease of the thread's
  /// context, or null if no other job can want it. If it is away afterwards, the thread left before the end.
  virtual void run(unsigned thread, publication* published, context_lease<M>* on) noexcept = 0;

 protected:
  ~work_item() = default;
};

}  // namespace callisto::workers
