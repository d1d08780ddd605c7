// The member pool: the threads of one leader, which run its regions in turn and wait in between.
//
// A member is an activation with its own thread identity, for as long as the pool exists. A region begins by one write
// to a word that the members watch (team.hpp). Member i of each region is the same OpenMP thread with the same
// thread-local data, as the standard requires for `threadprivate` data. The pool grows when a region is larger than all
// before, and never shrinks.
#pragma once

#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/openmp/region/engine.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/region/team.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace callisto::openmp {

class member_pool {
 public:
  /// Creates an empty pool.
  explicit member_pool(omp_thread& leader);
  /// Ends the members; returns when their thread_local destructors have run. Callable outside of the pool's regions
  /// only.
  ~member_pool();
  member_pool(const member_pool&) = delete;
  member_pool& operator=(const member_pool&) = delete;

  /// Adds members until there are `threads`, leader included. Returns how many there are: fewer if the system refuses
  /// more. Takes tens of microseconds for each new member.
  unsigned provide(unsigned threads) noexcept;

  team region;

  /// Returns how many threads the outermost pools of all initial threads have, leaders included. If they are more than
  /// the contexts, a spinning thread may occupy the context that its partner needs, as in a single team that is too
  /// large. A hint.
  static unsigned threads_of_all() noexcept;
  /// Resets the count, in the child of fork().
  static void forget_all() noexcept;

 private:
  struct member {
    member(member_pool& member_pool_of, unsigned has_number);

    member_pool& of;
    const unsigned number;
    std::uint64_t seen;            ///< for wait_for_region()
    const kernel_state inherited;  ///< from the leader
    const bool stays;              ///< on its own thread: the leader is set apart
    machine::thread_identity identity;
    omp_thread thread;
    std::optional<workers::native_ticket> ticket;
  };

  static void live(workers::native_activation& self, void* a_member, workers::native_ticket of);
  static void run_regions(member& m) noexcept;

  omp_thread& leader_;
  const bool counts_;  ///< the pool counts in threads_of_all()
  std::vector<std::unique_ptr<member>> others_;
};

}  // namespace callisto::openmp
