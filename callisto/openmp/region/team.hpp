// A team: the threads that run one region, and where they meet: barriers, the region's end, cancellation.
//
// Two words do it. `work_` counts who has come, at a barrier or to the region's end, and whose tasks are not finished;
// one addition says whether all is there. `phase_` is an SVar (workers/waiting/latch.hpp) that everybody who waits
// watches, spinning shortly and then suspended: a generation that each barrier and each start of a region increases,
// with the number of threads of the region, and flags.
//
//   phase = generation (42 bits) | threads (18 bits) | dissolved | done | cancelled | help
//   work  = threads with tasks (24 bits) | threads at the end (20 bits) | threads at a barrier (20 bits)
//
// A crew's team is used for one region after the other, so a thread that has come to the end of a region and waits for
// the next one (crew.hpp) may still look at these two words when that one runs without it. What it may do then is
// below, at help_at_end().
#pragma once

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/tasking/task.hpp>
#include <callisto/workers/waiting/latch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::distributor {
class layout;
}

namespace callisto::openmp {

struct workshare;
class task_pool;

/// How many threads a team can have.
inline constexpr unsigned most_threads = (1U << 18) - 1;

class alignas(native::line_size) team {
 public:
  team();
  ~team();

  // What a region is, constant while it runs. Written by the leader, thread 0. First, on one line, what members read
  // when they begin: each line more that the leader has written to has to come from its processor.
  unsigned threads = 1;
  unsigned level = 0;         ///< omp_get_level()
  unsigned active_level = 0;  ///< omp_get_active_level()
  proc_bind bind = proc_bind::none;
  bool begins_in_loop = false;  ///< the threads begin in the loop whose share is `first_share`
  bool shows_affinity = false;  ///< they are to say where they are (OMP_DISPLAY_AFFINITY)
  void (*body)(void*) = nullptr;
  void* data = nullptr;
  task* outer = nullptr;                   ///< that has met the construct
  taskgroup* group = nullptr;              ///< that implicit tasks begin in: of GOMP_parallel_reductions()
  workshare* first_share = nullptr;        ///< where threads begin (workshare.hpp)
  contention_group* counted_in = nullptr;  ///< where members are counted
  task_icvs icv;                           ///< that implicit tasks begin with
  std::uint64_t spin_ticks = 0;            ///< how long its threads spin when they wait

  position before;  ///< where the leader stands outside: `before.in` is the enclosing team, null if none
  omp_thread* leader = nullptr;
  task leader_task;            ///< the leader's implicit task in this region
  unsigned teams = 1;          ///< omp_get_num_teams()
  unsigned team_number = 0;    ///< omp_get_team_num()
  unsigned shown_threads = 0;  ///< of the last region whose threads have said where they are
  /// Thread i is members[i]; longer than `threads` where the crew is.
  std::vector<omp_thread*> members;

  // For work-sharing constructs (workshare.hpp).
  atomic<std::uint64_t> singles{0};          ///< `single` constructs that somebody runs or has run
  void* copyprivate = nullptr;               ///< between two barriers
  atomic<std::uint32_t> share_cancelled{0};  ///< the loop or the sections that the threads are in
  /// Of the threads, as distributors take it. Each thread of the team may call it.
  const distributor::layout& layout();

  atomic<task_pool*> tasks{nullptr};  ///< made when there is a task (task_pool.hpp)

  /// Returns when all threads have called it and all tasks of the region are finished; runs tasks meanwhile.
  void barrier(omp_thread& self) noexcept;

  /// Likewise; true, perhaps at once, if the region is cancelled.
  bool barrier_cancellable(omp_thread& self) noexcept;

  void cancel() noexcept;
  bool cancelled() const noexcept { return (phase_.read() & cancelled_flag) != 0; }

  // For tasks. A region, or a barrier, is not over while there is such work.

  /// A thread has tasks that are not finished, none of which can be found before that. A locked instruction on a word
  /// that all share. acquire: whose call for help was taken before it sees that, and calls again.
  void add_work() noexcept { work_.fetch_add(one_task, order::acquire); }
  /// All tasks of a thread that has arrived are finished. Ends the barrier or the region if it waited for no others.
  void finish_work() noexcept;
  /// Whether some thread waits at a barrier, or at the end: a look, for who has put up a task in a section under a
  /// lock. relaxed: whoever had searched under that lock has arrived before.
  bool has_waiting_threads() const noexcept { return work_.load(order::relaxed) % one_task != 0; }
  /// Those that wait come and run tasks.
  void ask_for_help() noexcept;

  // For crews and leaders.

  /// The leader: the region that the members describe begins.
  void start() noexcept;
  /// The leader, with its part done: returns when all threads have come to the end and all tasks are finished.
  void finish_as_leader(omp_thread& self) noexcept;
  /// A member, with its part done. Returns the generation, for wait_for_region().
  std::uint64_t finish_as_member(omp_thread& self) noexcept;
  /// A member: returns when the next region has begun that the thread `number` takes part in; false: the crew is
  /// dissolved. `last`: the generation when its last one ended, or of generation() when it was made.
  bool wait_for_region(omp_thread& self, unsigned number, std::uint64_t last) noexcept;
  /// The generation now: for a new member, before the region begins that it is wanted for.
  std::uint64_t generation() const noexcept { return generation_of(phase_.read()); }
  /// The leader: members leave wait_for_region().
  void dissolve() noexcept;
  /// The child of fork(): its only thread, in its implicit task, is the one thread of its teams from now on. Nobody
  /// else is there to come.
  void begin_anew_in_child(omp_thread& self, task& implicit) noexcept;
  bool in_child = false;  ///< that has happened

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

  /// Until wanted(phase_); returns that value.
  template <class Wanted>
  std::uint64_t wait(omp_thread& self, Wanted wanted) noexcept;
  template <bool Cancellable>
  bool meet(omp_thread& self) noexcept;
  /// The caller has come to the barrier, or to the end, as `how` says. `work_` as it is then.
  std::uint64_t arrive(omp_thread& self, std::uint64_t how) noexcept;
  void pass_barrier() noexcept;
  void finish_region() noexcept;
  void flag(std::uint64_t bits) noexcept;
  void take_call_for_help() noexcept;
  void help_at_end(omp_thread& self, std::uint64_t generation) noexcept;

  workers::latch<native> layouts_latch_;
  struct made_layout;
  std::unique_ptr<made_layout> layouts_;                ///< a list: one for each number of threads that asked for one
  atomic<const distributor::layout*> layout_{nullptr};  ///< the last
  alignas(native::line_size) atomic<std::uint64_t> work_{0};
  alignas(native::line_size) workers::latch<native> latch_;
  workers::svar<native> phase_{latch_, one_generation};
};

/// The team of the caller.
inline team& this_team() noexcept { return this_thread().in(); }

}  // namespace callisto::openmp
