// What a leader publishes and followers run (Callisto-RTS, ATC'15 section 2.1: "a work_item ... with a single run
// function containing a loop which claims a batch of iterations before calling the workload-specific loop body").
#pragma once

namespace callisto::workers {

template <class M>
class team;

/// One parallel loop in flight. It lives on its leader's stack: followers may touch it only between entering and
/// leaving the gate of the slot that it is published in.
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
  /// is kept for the leader. `published` is null when the leader runs the item alone.
  virtual void run(unsigned thread, publication* published) noexcept = 0;

 protected:
  ~work_item() = default;
};

}  // namespace callisto::workers
