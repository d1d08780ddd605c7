// A team: the threads that run one region, and their meeting points: barriers, the region's end, cancellation.
//
// Two words implement it:
// - `work_` counts arrivals at the barrier or at the region's end, and threads with unfinished tasks. One addition
//   tells the last thread that it is the last.
// - `phase_` is an SVar (waiting/latch.hpp) that all waiting threads watch; they spin shortly, then suspend. It
//   holds a generation, which each barrier and each start of a region increments, the region's threads, and flags.
//
//   phase = generation (42 bits) | threads (18 bits) | dissolved | done | cancelled | help
//   work  = threads with tasks (24 bits) | threads at the end (20 bits) | threads at a barrier (20 bits)
//
// A pool's team runs its regions in turn. A member that waits for its next region (member_pool.hpp) may still read both
// words while a region runs without it; help_at_end() says what it may do then.
#pragma once

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/tasking/task.hpp>
#include <callisto/waiting/latch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::distributor {
class layout;
}

namespace callisto::openmp {

struct workshare;
class task_pool;

/// The most threads that a team can have.
inline constexpr unsigned most_threads = (1U << 18) - 1;

class alignas(native::line_size) team {
 public:
  team();
  ~team();

  // The region, constant while it runs. The leader, thread 0, writes it. The fields that members read at their start
  // come first, on one line: each further line would have to come from the leader's cache.
  unsigned threads = 1;
  unsigned level = 0;         ///< omp_get_level()
  unsigned active_level = 0;  ///< omp_get_active_level()
  proc_bind bind = proc_bind::none;
  bool begins_in_loop = false;  ///< the threads begin in the loop of `first_share`
  bool shows_affinity = false;  ///< the threads print their affinity (OMP_DISPLAY_AFFINITY)
  void (*body)(void*) = nullptr;
  void* data = nullptr;
  task* outer = nullptr;                   ///< the task that met the parallel construct
  taskgroup* group = nullptr;              ///< the group that implicit tasks begin in, of GOMP_parallel_reductions()
  workshare* first_share = nullptr;        ///< the share at which threads begin (workshare.hpp)
  contention_group* counted_in = nullptr;  ///< the contention group of the members
  task_icvs icv;                           ///< the first values of implicit tasks
  std::uint64_t spin_ticks = 0;            ///< how long its threads spin when they wait

  position before;  ///< the leader's position outside; `before.in` is the enclosing team, or null
  omp_thread* leader = nullptr;
  task leader_task;          ///< the leader's implicit task in this region
  unsigned teams = 1;        ///< omp_get_num_teams()
  unsigned team_number = 0;  ///< omp_get_team_num()
  int level_in_others = 0;   ///< in how many regions of other runtimes the leader was (settings/other_runtimes.hpp)
  tool::of_region told;      ///< what a tool knows of the region
  /// Thread i is members[i]. Longer than `threads` if the pool has more members.
  std::vector<omp_thread*> members;

  // For work-sharing constructs (workshare.hpp).
  atomic<std::uint64_t> singles{0};          ///< `single` constructs that a thread has begun
  void* copyprivate = nullptr;               ///< valid between two barriers
  atomic<std::uint32_t> share_cancelled{0};  ///< 1: the current loop or sections construct is cancelled
  /// Returns the threads as distributors describe them. Callable by each thread of the team.
  const distributor::layout& layout();

  atomic<task_pool*> tasks{nullptr};  ///< created with the first task (task_pool.hpp)

  /// Returns when all threads have called it and all tasks of the region are finished; runs tasks meanwhile. `kind`:
  /// what a tool is told.
  void barrier(omp_thread& self, tool::sync_kind kind = tool::sync_kind::barrier_of_workshare) noexcept;

  /// Waits as barrier() does; if the region is cancelled, returns true at once.
  bool barrier_cancellable(omp_thread& self, tool::sync_kind kind = tool::sync_kind::barrier_of_workshare) noexcept;

  void cancel() noexcept;
  bool cancelled() const noexcept { return (phase_.read() & cancelled_flag) != 0; }

  // For tasks. Neither a region nor a barrier ends while work is counted.

  /// Counts a thread that has unfinished tasks. Called before the first of them can be found. One locked instruction on
  /// a word that all threads share. acquire: pairs with take_call_for_help(), so that the thread asks for help again if
  /// a call was cleared too early.
  void add_work() noexcept { work_.fetch_add(one_task, order::acquire); }
  /// All tasks of a thread that has arrived are finished. If nothing else is missing, ends the barrier or the region.
  void finish_work() noexcept;
  /// True if a thread waits at a barrier or at the end. For a thread that has just published a task in a section under
  /// a lock. relaxed: a thread that had searched under that lock has arrived before.
  bool has_waiting_threads() const noexcept { return work_.load(order::relaxed) % one_task != 0; }
  /// Has the waiting threads look for tasks.
  void ask_for_help() noexcept;

  // For pools and leaders.

  /// Called by the leader: begins the region that the data members describe.
  void start() noexcept;
  /// Called by the leader at its end: returns when all threads have come to the end and all tasks are finished.
  void finish_as_leader(omp_thread& self) noexcept;
  /// Called by a member at its end. Returns the generation, for wait_for_region().
  std::uint64_t finish_as_member(omp_thread& self) noexcept;
  /// Called by a member: returns true when the next region with the thread `number` has begun, or false if the pool is
  /// dissolved. `last`: the generation at the end of the member's last region; of a new member, the one that
  /// generation() returned.
  bool wait_for_region(omp_thread& self, unsigned number, std::uint64_t last) noexcept;
  /// Returns the generation, for a new member, before the region begins that needs the member.
  std::uint64_t generation() const noexcept { return generation_of(phase_.read()); }
  /// Called by the leader: members leave wait_for_region().
  void dissolve() noexcept;
  /// Called by the child of fork(): its only thread, in its implicit task, is the one thread of its teams from then on.
  /// It must not wait for other threads.
  void begin_anew_in_child(omp_thread& self, task& implicit) noexcept;
  bool in_child = false;  ///< the child of fork() has called begin_anew_in_child()

 private:
  static constexpr std::uint64_t help_flag = 1;
  static constexpr std::uint64_t cancelled_flag = 2;
  static constexpr std::uint64_t done_flag = 4;
  static constexpr std::uint64_t dissolved_flag = 8;
  static constexpr unsigned threads_shift = 4;
  static constexpr unsigned generation_shift = 22;
  static constexpr std::uint64_t one_generation = std::uint64_t{1} << generation_shift;
  static constexpr std::uint64_t generation_of(std::uint64_t phase) noexcept { return phase >> generation_shift; }
  static constexpr unsigned threads_of(std::uint64_t phase) noexcept {
    return static_cast<unsigned>(phase >> threads_shift) & most_threads;
  }

  static constexpr std::uint64_t one_arrived = 1;
  static constexpr std::uint64_t one_ended = std::uint64_t{1} << 20;
  static constexpr std::uint64_t one_task = std::uint64_t{1} << 40;

  /// Waits until wanted(phase_); returns that value.
  template <class Wanted>
  std::uint64_t wait(omp_thread& self, Wanted wanted) noexcept;
  template <bool Cancellable>
  bool meet(omp_thread& self) noexcept;
  /// Counts the caller as arrived at the barrier or the end, as `how` says. Returns the new `work_`.
  std::uint64_t arrive(omp_thread& self, std::uint64_t how) noexcept;
  void pass_barrier() noexcept;
  void finish_region() noexcept;
  void flag(std::uint64_t bits) noexcept;
  void take_call_for_help() noexcept;
  void help_at_end(omp_thread& self, std::uint64_t generation) noexcept;

  waiting::latch<native> layouts_latch_;
  struct made_layout;
  std::unique_ptr<made_layout> layouts_;  ///< a list, with one layout for each number of threads that was asked for
  atomic<const distributor::layout*> layout_{nullptr};  ///< the latest one
  alignas(native::line_size) atomic<std::uint64_t> work_{0};
  alignas(native::line_size) waiting::latch<native> latch_;
  waiting::svar<native> phase_{latch_, one_generation};
};

/// Returns the caller's team.
inline team& this_team() noexcept { return this_thread().in(); }

}  // namespace callisto::openmp
