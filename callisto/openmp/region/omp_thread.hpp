// The state of an OpenMP thread: its position among regions, how it waits, and the threads that it leads.
//
// There are two kinds of OpenMP threads. An initial thread is a thread of the application that has called the runtime.
// A member of a pool (member_pool.hpp) is an activation with a thread identity. One load of thread-local data finds the
// state of either: the data belong to the identity, wherever the activation runs.
#pragma once

#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/openmp/settings/tool.hpp>
#include <callisto/openmp/tasking/task.hpp>
#include <callisto/openmp/tasking/task_memory.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace callisto::openmp {

using machine::native;
using machine::order;
template <class T>
using atomic = native::atomic<T>;
using suspendable = waiting::suspendable<native>;

class team;
class member_pool;
class initial_thread;
struct workshare;

/// Where a thread stands: its number in its innermost region, and its progress there. Saved when the thread begins to
/// lead an inner region, restored at the end of that region.
struct position {
  team* in = nullptr;          ///< never null in a thread; outside of all regions, the initial team of one
  unsigned number = 0;         ///< omp_get_thread_num()
  workshare* share = nullptr;  ///< the current or latest work-sharing construct (workshare.hpp)
  std::uint64_t singles = 0;   ///< `single` constructs met so far
  task* current = nullptr;     ///< never null in a thread
  // Progress in a loop (loop.hpp).
  std::uint64_t trip = 0;   ///< ranges of a static schedule taken so far
  std::uint64_t first = 0;  ///< the current range: iterations [first, last)
  std::uint64_t last = 0;
  std::uint64_t reserved = 0;    ///< iterations behind the current range that the thread has claimed
  std::uint64_t batch = 0;       ///< chunks of its last claim; 0: none yet
  std::uint64_t claimed_at = 0;  ///< when that was, in native::ticks()
  distributor::splitting_ranges<native>::cursor pieces{};
  bool ran_last_chunk = false;  ///< of a loop that `pieces` hands out: the thread runs nothing more of it
  // For tools: the work-sharing construct that the thread has begun.
  tool::work_kind work = tool::work_kind::none;
  std::uint64_t work_count = 0;
  // Of kmpc/ alone.
  bool in_order = false;            ///< the loop has ordered regions
  bool reduces_atomically = false;  ///< the latest reduction
  void* doacross = nullptr;         ///< the loop with cross-iteration dependences that the thread is in

  /// The thread is at the beginning of a region. A handler of the program's may interrupt this anywhere and ask for the
  /// thread's number and settings, so `in` and `current` are never null meanwhile.
  void begin(team& region, unsigned has_number, workshare* at_share, task& runs) noexcept {
    in = &region;
    number = has_number;
    current = &runs;
    share = at_share;
    singles = 0;
    trip = first = last = reserved = batch = claimed_at = 0;
    pieces = {};
    ran_last_chunk = false;
    work = tool::work_kind::none;
    work_count = 0;
    in_order = reduces_atomically = false;
    doacross = nullptr;
  }
};

/// The OpenMP threads that descend from one initial thread: the unit of OMP_THREAD_LIMIT.
struct contention_group {
  atomic<unsigned> threads{1};
  /// How many threads of the last outermost region have printed their affinity. The initial thread's.
  unsigned shown_threads = 0;
};

/// One OpenMP thread. Its members are for code that runs on the thread, unless they say otherwise.
struct omp_thread {
  omp_thread(suspendable* waits, contention_group& counted_in) noexcept;
  ~omp_thread();
  omp_thread(const omp_thread&) = delete;
  omp_thread& operator=(const omp_thread&) = delete;

  team& in() const noexcept { return *at.in; }
  task_icvs& icv() const noexcept { return at.current->icv; }

  position at;
  task implicit;  ///< of the region that it is a member of; of an initial thread, the initial task. A leader of inner
                  ///< regions has another one in each (team.hpp)
  const std::uint32_t id;            ///< from 1, unique in the process for all time
  const unsigned number_in_process;  ///< from 0: the smallest that no other OpenMP thread has. Programs of clang index
                                     ///< arrays by it
  suspendable* self;                 ///< suspends and resumes this thread; null: it has not begun
  contention_group* group;
  initial_thread* initial = nullptr;  ///< its own state if it is an initial thread; null: a member of a pool

  /// The pools that it leads, outermost first. A pool runs one region at a time, so a thread that is number 0 in nested
  /// regions has a pool for each level.
  std::vector<std::unique_ptr<member_pool>> member_pools;
  unsigned leading = 0;  ///< how many of the pools run a region

  workshare* spare_share = nullptr;  ///< memory for the next one
  task_memory spare_tasks;
  task* spare_included = nullptr;  ///< tasks to reuse for included tasks (included_task.hpp), linked by `newer`
  unsigned spare_included_tasks = 0;
  std::vector<std::unique_ptr<team>> solo;  ///< teams for regions of one thread, outermost first
  unsigned alone = 0;                       ///< how many of them are in use
  unsigned yields = 0;                      ///< calls of sched_yield() that ran a member

  // Of kmpc/ alone: what calls say for the region that follows, and copies of threadprivate variables.
  unsigned pushed_threads = 0;
  proc_bind pushed_bind = proc_bind::none;
  int pushed_teams = 0;
  int pushed_thread_limit = 0;
  std::shared_ptr<void> threadprivates;

  mutable tool::of_thread told;  ///< what a tool knows of it
};

/// The calling thread's state: one load and a branch. A thread that calls for the first time becomes an initial thread.
extern constinit thread_local omp_thread* this_thread_or_null [[gnu::tls_model("initial-exec")]];
omp_thread& become_initial_thread() noexcept;
inline omp_thread& this_thread() noexcept {
  omp_thread* const t = this_thread_or_null;
  return t != nullptr ? *t : become_initial_thread();
}

/// Returns how many OpenMP threads the process has.
unsigned threads_in_process() noexcept;

/// Returns the calling thread's state if it is a member of a region, which runs on a worker or on another leader's
/// thread. Null: a thread of the program.
inline omp_thread* calling_member() noexcept {
  omp_thread* const t = this_thread_or_null;
  return t != nullptr && t->initial == nullptr ? t : nullptr;
}

/// Held by a thread of the program, a leader among them, while it changes what the kernel keeps for its thread and says
/// so: a tick in between would run a member on that thread, which the change is none of. Does nothing in a member.
class [[nodiscard]] keeps_members_away {
 public:
  keeps_members_away() noexcept {
    if (this_thread_or_null != nullptr && this_thread_or_null->initial != nullptr)
      shield_.emplace(*this_thread_or_null->self);
  }

 private:
  std::optional<suspendable::shielded> shield_;
};

/// Lets a runnable OpenMP thread without a context have this thread's context. Returns true when this thread has a turn
/// again, or false at once if there is no such thread.
bool yield_to_members() noexcept;

/// Holds a lock of the runtime. Compiled code and the runtime can be preempted at any instruction, but not a thread
/// that holds or awaits a lock: the waiters would occupy the context of the thread that they wait for. While a lock is
/// held, code avoids allocating and freeing: a preempted thread may hold malloc()'s lock.
template <class Lock>
class [[nodiscard]] locked {
 public:
  explicit locked(Lock& lock) : locked(lock, this_thread()) {}
  /// `self` is the calling thread.
  locked(Lock& lock, const omp_thread& self) : shield_(*self.self), held_(lock) {}

 private:
  suspendable::shielded shield_;
  std::scoped_lock<Lock> held_;
};

/// Ends all threads that the caller leads, and runs their thread_local destructors: omp_pause_resource, and the end of
/// an initial thread. Callable outside of regions only.
void dissolve_member_pools(omp_thread& leader) noexcept;

}  // namespace callisto::openmp
