// Tasks (OpenMP 5.1, section 2.12) as the rest of the runtime sees them: what each implicit and explicit task carries,
// groups of tasks, and how threads that wait run those that are ready.
//
// What a task counts of its descendants: descendants.hpp. When an implicit task has no reference but its own, all its
// descendants are finished: this is what the team hears of (team::add_work), not each task.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/openmp/settings/icv.hpp>
#include <callisto/openmp/tasking/child_counts.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace callisto::openmp {

struct omp_thread;
struct workshare;
class team;
class dependence_table;
struct dependences;
struct task_arguments;

/// What `taskgroup` waits for: all tasks made within it, and their descendants.
struct taskgroup {
  explicit taskgroup(taskgroup* around) noexcept
      : outer(around), reductions(around != nullptr ? around->reductions : nullptr) {}

  taskgroup* const outer;
  machine::native::atomic<std::uint64_t> unfinished{0};  ///< tasks
  machine::native::atomic<std::uint32_t> cancelled{0};
  bool workshare = false;      ///< of a work-sharing construct with task reductions: cancelled with the one around it
  std::uintptr_t* reductions;  ///< the innermost that its tasks can take part in (task_reduction.cpp); null: none

  bool is_cancelled() const noexcept {
    // acquire: what happened before the cancellation.
    return cancelled.load(machine::order::acquire) != 0 ||
           (workshare && outer != nullptr && outer->cancelled.load(machine::order::acquire) != 0);
  }
};

/// What a thread runs at any time: its implicit task, or an explicit one.
struct task {
  /// Implicit.
  task() noexcept;
  /// Explicit, a child of `parent`.
  task(task& parent, team& in, const task_arguments&, std::size_t bytes) noexcept;
  ~task();
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  /// One without descendants that was run at once is run again, as another task (task.cpp).
  void begin_included(task& parent, team& in, unsigned flags) noexcept;

  task* parent = nullptr;  ///< that created it; of an implicit task, the one that met the parallel construct
  task_icvs icv;
  taskgroup* group = nullptr;  ///< the innermost that it is in
  bool is_final = false;
  unsigned depth = 0;  ///< below the implicit task, whose is 0

  using counts = child_counts<machine::native>;
  counts below;            ///< its runner is the omp_thread that runs it
  bool announced = false;  ///< implicit: the team knows of descendants; no more once the last of them is to tell it
  std::unique_ptr<dependence_table> addresses;  ///< that its children depend on each other by

  bool is_explicit() const noexcept { return depth != 0; }

  // Of explicit tasks. Constant once others can find it.
  team* in = nullptr;
  void (*body)(void*) = nullptr;
  void* data = nullptr;
  std::size_t bytes = 0;  ///< that it was made in, its data included (task_memory.hpp)
  int priority = 0;
  bool discardable = true;  ///< need not run once it is cancelled: no constructor has made what it would destroy
  bool detachable = false;
  std::unique_ptr<dependences> depends;  ///< null: on nothing

  // The queue that it stands in, under that queue's lock; or a thread's spare ones, `newer` only.
  task* newer = nullptr;
  task* older = nullptr;

  // detach: its body is done, its event is fulfilled; the second of both finishes it.
  static constexpr std::uint32_t body_done = 1;
  static constexpr std::uint32_t fulfilled = 2;
  machine::native::atomic<std::uint32_t> event{0};
};

/// Runs tasks of the caller's team until none can be had now. The caller waits at a barrier or at the end of a region,
/// of which it is still a part. Harmless, and cheap, if there are none.
void run_ready_tasks(omp_thread& self) noexcept;

// Groups of tasks, for the constructs that have one.

/// taskgroup's beginning and end.
taskgroup& enter_group(omp_thread& self);
void leave_group(omp_thread& self) noexcept;

/// `cancel taskgroup`: tasks of the innermost group that have not begun will not. Nothing, if there is no group.
void cancel_taskgroup(omp_thread& self) noexcept;
/// `cancellation point taskgroup`.
bool is_taskgroup_cancelled(const omp_thread& self) noexcept;

// Task reductions (OpenMP 5.1, section 2.21.5.2), for the constructs that have some (task_reduction.cpp). `data` is the
// compiler's description, which the compiled code hands to the functions that end them, too.

/// Memory for `threads` threads' parts, in `data`, which knows those of `around` (null: none) from now on. If `shared`
/// is not null, the parts are those that another thread of the construct has registered there.
void register_reductions(std::uintptr_t* data, std::uintptr_t* around, const std::uintptr_t* shared, unsigned threads);
/// Gives the memory back.
void unregister_reductions(std::uintptr_t* data) noexcept;

/// The caller has gone on to a work-sharing construct with task reductions, which has a group of its own, up to
/// GOMP_workshare_task_reduction_unregister(). `first`: it has made the share, so the others wait for what it does
/// here.
void join_share_reductions(omp_thread& self, workshare& share, std::uintptr_t* data, bool first);

}  // namespace callisto::openmp
