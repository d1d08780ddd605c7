// Initial threads: threads of the application that have called the runtime.
//
// While it leads a region, such a thread is a guest of the workers (workers/activations/attached_thread.hpp): it has the context of one of
// them, so that no more threads run than there are contexts. Elsewhere it has nothing to do with them: it may sleep, or
// wait for other threads that lead regions of their own.
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

  /// As if it were new: for a thread that begins.
  void begin() noexcept;
  /// Its thread ends: all that it leads ends, too.
  void end() noexcept;

  /// It is to lead a region of several threads, maybe within another one.
  void join_workers() noexcept;
  void leave_workers() noexcept;
  /// How many such regions it leads.
  unsigned regions() const noexcept { return regions_; }

  /// The child of fork(): the workers are not there.
  void begin_anew_in_child() noexcept;

 private:
  workers::plain_thread<native> on_its_own_{spin_ticks()};
  std::unique_ptr<workers::attached_here> here_;
  unsigned regions_ = 0;

 public:
  contention_group group;
  team outside;  ///< of one thread, outside of all regions
  omp_thread state;
  initial_thread* next = nullptr;  ///< among those that have ended
};

/// Calls f(), in which `leader`, who has joined the workers if it is an initial thread, may be preempted: outside of
/// regions such a one is in nobody's way, and is not. Whoever is in a region may be already.
template <class F>
void preemptibly(omp_thread& leader, F f) {
  if (leader.initial != nullptr && leader.initial->regions() == 1) {
    leader.self->preemptible(f);
  } else {
    f();
  }
}

}  // namespace callisto::openmp
