// A crew: a leader's threads, which run one region after the other with it and wait in between.
//
// A member is an activation under an identity of its own, for as long as the crew exists: a region begins by one write
// to a word that the members watch (team.hpp), and member i of the next region is the same OpenMP thread with the same
// thread-local data, as the standard wants of `threadprivate` data. A crew grows when a region is larger than all
// before, and never shrinks.
#pragma once

#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/openmp/region/engine.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/region/team.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace callisto::openmp {

class member_pool {
 public:
  /// Without members.
  explicit member_pool(omp_thread& leader);
  /// Ends them, and waits until their thread_local destructors have run. Outside of its regions.
  ~member_pool();
  member_pool(const member_pool&) = delete;
  member_pool& operator=(const member_pool&) = delete;

  /// Sees to it that there are `threads`, the leader included; returns how many there are, which are fewer if the
  /// system refuses more. Tens of microseconds for each that is new.
  unsigned provide(unsigned threads) noexcept;

  team region;

  /// How many threads the outermost crews of initial threads have, the leaders included: where those are more than the
  /// contexts, whoever spins may keep the one that he waits for from running, as in one team that is so large. A hint.
  static unsigned threads_of_all() noexcept;
  /// In the child of fork().
  static void forget_all() noexcept;

 private:
  struct member {
    member(member_pool& member_pool_of, unsigned has_number);

    member_pool& of;
    const unsigned number;
    std::uint64_t seen;  ///< for wait_for_region()
    machine::thread_identity identity;
    omp_thread thread;
    std::optional<workers::native_ticket> ticket;
  };

  static void live(workers::native_activation& self, void* a_member, workers::native_ticket of);
  static void run_regions(member& m) noexcept;

  omp_thread& leader_;
  const bool counts_;  ///< in threads_of_all()
  std::vector<std::unique_ptr<member>> others_;
};

}  // namespace callisto::openmp
