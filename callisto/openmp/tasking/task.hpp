// Tasks (OpenMP 5.1, section 2.12) as the rest of the runtime sees them: the state of implicit and explicit tasks,
// groups, and how waiting threads run ready tasks.
//
// A task counts its descendants by child_counts.hpp. When an implicit task has only its own reference, all its
// descendants are finished. The team hears of that (team::add_work), not of each task.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/openmp/settings/icv.hpp>
#include <callisto/openmp/settings/tool.hpp>
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

/// A taskgroup: waits for all tasks created within it, and their descendants.
struct taskgroup {
  explicit taskgroup(taskgroup* around) noexcept
      : outer(around), reductions(around != nullptr ? around->reductions : nullptr) {}

  taskgroup* const outer;
  machine::native::atomic<std::uint64_t> unfinished{0};  ///< tasks that are not finished
  machine::native::atomic<std::uint32_t> cancelled{0};
  bool workshare = false;  ///< belongs to a work-sharing construct with task reductions; cancelled with the enclosing
                           ///< group
  std::uintptr_t* reductions;  ///< the innermost reductions that its tasks can take part in (task_reduction.cpp); null:
                               ///< none
  void* reductions_of_clang = nullptr;  ///< the same for kmpc/; null: this group has none

  bool is_cancelled() const noexcept {
    // acquire: pairs with cancel_taskgroup()'s release.
    return cancelled.load(machine::order::acquire) != 0 ||
           (workshare && outer != nullptr && outer->cancelled.load(machine::order::acquire) != 0);
  }
};

/// The unit that a thread runs: its implicit task, or an explicit one.
struct task {
  /// Creates an implicit task.
  task() noexcept;
  /// Creates an explicit task, a child of `parent`.
  task(task& parent, team& in, const task_arguments&, std::size_t bytes) noexcept;
  ~task();
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  /// Reuses a finished included task without descendants for another one (included_task.hpp).
  void begin_included(task& parent, team& in, unsigned flags) noexcept;

  task* parent = nullptr;  ///< its creator; of an implicit task, the task that met the parallel construct
  task_icvs icv;
  taskgroup* group = nullptr;  ///< the innermost group that it is in
  bool is_final = false;
  unsigned depth = 0;  ///< distance from the implicit task, which has 0

  using counts = child_counts<machine::native>;
  counts below;            ///< counts of its descendants; the runner is an omp_thread
  bool announced = false;  ///< of an implicit task: the team counts its work, and it reports the end itself
  std::unique_ptr<dependence_table> addresses;  ///< dependences among its children
  std::unique_ptr<tool::of_task> told;          ///< what a tool knows of it; null: no tool watches

  bool is_explicit() const noexcept { return depth != 0; }

  // Of explicit tasks. Constant once other threads can find the task.
  team* in = nullptr;
  void (*body)(void*) = nullptr;
  void* data = nullptr;
  std::size_t bytes = 0;  ///< size of its memory, data included (task_memory.hpp)
  int priority = 0;
  bool discardable = true;  ///< can be skipped if cancelled: no constructor has made data that its body must destroy
  bool detachable = false;
  std::unique_ptr<dependences> depends;  ///< null: it depends on nothing

  // Neighbours in its queue, under that queue's lock. In a thread's list of spare tasks, `newer` only.
  task* newer = nullptr;
  task* older = nullptr;

  // The state of a detachable task: body done, event fulfilled. The thread that sets the second bit finishes it.
  static constexpr std::uint32_t body_done = 1;
  static constexpr std::uint32_t fulfilled = 2;
  machine::native::atomic<std::uint32_t> event{0};
};

/// Runs tasks of the caller's team until none can be found. The caller waits at a barrier or at the end of a region to
/// which it still belongs. Cheap if there are none.
void run_ready_tasks(omp_thread& self) noexcept;

// Groups of tasks, for the constructs that have one.

/// Begins and ends a taskgroup.
taskgroup& enter_group(omp_thread& self);
void leave_group(omp_thread& self) noexcept;

/// `cancel taskgroup`: tasks of the innermost group that have not begun are skipped. Does nothing without a group.
void cancel_taskgroup(omp_thread& self) noexcept;
/// `cancellation point taskgroup`.
bool is_taskgroup_cancelled(const omp_thread& self) noexcept;

// Task reductions (OpenMP 5.1, section 2.21.5.2), for the constructs that have some (task_reduction.cpp). `data` is the
// compiler's description. Compiled code also passes it to the functions that end them.

/// Allocates the parts of `threads` threads, notes them in `data`, and links `data` to `around`, the enclosing
/// reductions (null: none). If `shared` is not null, another thread of the construct has registered the parts there,
/// and these are used.
void register_reductions(std::uintptr_t* data, std::uintptr_t* around, const std::uintptr_t* shared, unsigned threads);
/// Frees the memory.
void unregister_reductions(std::uintptr_t* data) noexcept;

/// Joins the reductions of a work-sharing construct that the caller has gone on to. Begins a group, which lasts until
/// GOMP_workshare_task_reduction_unregister(). `first`: the caller made the share, so the other threads wait for its
/// parts.
void join_share_reductions(omp_thread& self, workshare& share, std::uintptr_t* data, bool first);

}  // namespace callisto::openmp
