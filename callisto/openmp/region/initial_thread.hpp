// Initial threads: threads of the application that have called the runtime.
//
// While an initial thread leads a region, it is attached to the workers (workers/activations/attached_thread.hpp): it
// holds the context of one of them, so that no more threads run than there are contexts. Elsewhere the workers do not
// know it: it can sleep, or wait for other threads that lead regions.
#pragma once

#include <callisto/openmp/region/engine.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <memory>

namespace callisto::openmp {

class initial_thread {
 public:
  initial_thread();

  /// Resets the state for a thread that begins.
  void begin() noexcept;
  /// The thread ends: dissolves all teams that it leads.
  void end() noexcept;

  /// Attaches the thread, which begins to lead a region of several threads; calls nest.
  void join_workers() noexcept;
  void leave_workers() noexcept;
  /// The thread, which runs, is set apart (kernel_state.hpp): it runs no members from here on.
  void stay_out() noexcept;
  /// Returns how many such regions it leads.
  unsigned regions() const noexcept { return regions_; }

  /// Detaches from the parent's workers, in the child of fork().
  void begin_anew_in_child() noexcept;

 private:
  waiting::plain_thread<native> on_its_own_{spin_ticks()};
  std::unique_ptr<workers::attached_here> here_;
  unsigned regions_ = 0;

 public:
  contention_group group;
  team outside;  ///< a team of one, outside of all regions
  omp_thread state;
  initial_thread* next = nullptr;  ///< in the list of states of ended threads
};

/// Calls f() so that `leader` can be preempted in it. An initial thread has joined the workers before; outside of
/// regions it is not preemptible, because it holds no context. A leader that is already in a region is preemptible as
/// it is.
template <class F>
void preemptibly(omp_thread& leader, F f) {
  if (leader.initial != nullptr && leader.initial->regions() == 1) {
    leader.self->preemptible(f);
  } else {
    f();
  }
}

}  // namespace callisto::openmp
