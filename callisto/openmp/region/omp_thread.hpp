// The state of an OpenMP thread: where it stands among regions, how it waits, and the threads that it leads.
//
// An OpenMP thread is either an initial thread, one of the application's own that has called the runtime, or a member
// of a crew (crew.hpp): an activation that runs under a thread's identity. Either way the state is found by one load of
// thread-local data, which are the identity's, wherever the activation runs.
#pragma once

#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/openmp/tasking/task.hpp>
#include <callisto/openmp/tasking/task_memory.hpp>
#include <callisto/workers/waiting/suspendable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace callisto::openmp {

using machine::native;
using machine::order;
template <class T>
using atomic = native::atomic<T>;
using suspendable = workers::suspendable<native>;

class team;
class member_pool;
class initial_thread;
struct workshare;

/// Where a thread stands: its number in its innermost region, and how far it has come there. Saved when the thread
/// begins to lead an inner region, and restored at its end.
struct position {
  team* in = nullptr;          ///< never null in a thread: outside of all regions, an initial team of one
  unsigned number = 0;         ///< omp_get_thread_num()
  workshare* share = nullptr;  ///< the work-sharing construct that it is in, or was in last (workshare.hpp)
  std::uint64_t singles = 0;   ///< `single` constructs that it has met
  task* current = nullptr;     ///< never null in a thread
  // In a loop (loop.hpp):
  std::uint64_t trip = 0;   ///< ranges of a static schedule that it has had
  std::uint64_t first = 0;  ///< the range that it runs: iterations [first, last)
  std::uint64_t last = 0;
  distributor::ranges<native>::cursor pieces{};
  bool ran_last_chunk = false;  ///< of a loop that `pieces` hands out: nothing is run after it
};

/// The OpenMP threads that descend from one initial thread, which OMP_THREAD_LIMIT counts.
struct contention_group {
  atomic<unsigned> threads{1};
};

/// One OpenMP thread. Its members are for code that runs on it, unless they say otherwise.
struct omp_thread {
  omp_thread(suspendable* waits, contention_group& counted_in) noexcept;
  ~omp_thread();
  omp_thread(const omp_thread&) = delete;
  omp_thread& operator=(const omp_thread&) = delete;

  team& in() const noexcept { return *at.in; }
  task_icvs& icv() const noexcept { return at.current->icv; }

  position at;
  task implicit;  ///< of the region that it is a member of; of an initial thread, the initial task. Leaders of inner
                  ///< regions have another one in each (team.hpp)
  const std::uint32_t id;  ///< from 1; no other thread of the process has it, or had it before
  suspendable* self;             ///< to wait, and to be resumed by others; null: it has not begun
  contention_group* group;
  initial_thread* initial = nullptr;  ///< that it is; null: a member of a crew

  /// Those that it leads, outermost first: as a crew leads one region at a time, a thread that is number 0 in regions
  /// within each other has a crew for each.
  std::vector<std::unique_ptr<member_pool>> member_pools;
  unsigned leading = 0;  ///< of them, how many lead a region now

  workshare* spare_share = nullptr;  ///< to be used next
  task_memory spare_tasks;
  task* spare_included = nullptr;  ///< to be run at once next (task.cpp), linked by `newer`
  unsigned spare_included_tasks = 0;
  std::vector<std::unique_ptr<team>> solo;  ///< for regions of one thread, outermost first
  unsigned alone = 0;                       ///< of them, how many are in use
  unsigned yields = 0;                      ///< to members, by sched_yield()
};

/// The thread that calls, which becomes an initial thread if it calls for the first time. One load and a branch.
extern constinit thread_local omp_thread* this_thread_or_null [[gnu::tls_model("initial-exec")]];
omp_thread& become_initial_thread() noexcept;
inline omp_thread& this_thread() noexcept {
  omp_thread* const t = this_thread_or_null;
  return t != nullptr ? *t : become_initial_thread();
}

/// The member of a region that calls: it runs on a worker, or on another leader's thread. Null: a thread of the
/// program's own.
inline omp_thread* calling_member() noexcept {
  omp_thread* const t = this_thread_or_null;
  return t != nullptr && t->initial == nullptr ? t : nullptr;
}

/// Lets one that can run, and has no context, have this thread's. Returns when it is this one's turn again; false, at
/// once: there is none.
bool yield_to_members() noexcept;

/// Holds a lock of the runtime's own. Compiled code and the runtime may be preempted at any instruction, but not who
/// holds a lock, or waits for one: the others would wait for whom they keep from running
/// (docs/explanation/preemption.md). Nothing
/// is allocated or freed meanwhile, if it can be avoided: the lock of malloc() may be that of a thread that is
/// preempted.
template <class Lock>
class [[nodiscard]] locked {
 public:
  explicit locked(Lock& lock) : locked(lock, this_thread()) {}
  /// `self`: the calling thread.
  locked(Lock& lock, const omp_thread& self) : shield_(*self.self), held_(lock) {}

 private:
  suspendable::shielded shield_;
  std::scoped_lock<Lock> held_;
};

/// Ends all threads that the caller leads: their thread_local destructors run. What omp_pause_resource does, and the
/// end of an initial thread. Outside of regions only.
void dissolve_member_pools(omp_thread& leader) noexcept;

}  // namespace callisto::openmp
