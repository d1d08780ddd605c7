// Creating explicit tasks: the common part of GOMP_task and GOMP_taskloop.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/tasking/dependence.hpp>
#include <callisto/openmp/tasking/task_pool.hpp>

#include <cstddef>
#include <vector>

namespace callisto::openmp {

/// The flags of GOMP_task and GOMP_taskloop, as GCC 9 and later compile them.
namespace task_flag {
inline constexpr unsigned untied = 1;
inline constexpr unsigned final = 2;
inline constexpr unsigned mergeable = 4;
inline constexpr unsigned depend = 8;
inline constexpr unsigned priority = 16;
inline constexpr unsigned up = 256;
inline constexpr unsigned grainsize = 512;
inline constexpr unsigned if_clause = 1024;
inline constexpr unsigned nogroup = 2048;
inline constexpr unsigned reduction = 4096;
inline constexpr unsigned detach = 8192;
inline constexpr unsigned strict = 16384;
inline constexpr unsigned undeferred = 1U << 30;  ///< not the compiler's: what a tool is told
}  // namespace task_flag

/// A task as compiled code describes it.
struct task_arguments {
  void (*body)(void*);
  void* data;
  void (*copy)(void*, void*);  ///< makes the task's data from `data`; null: bytes are copied
  long size;                   ///< bytes of the data
  long alignment;
  unsigned flags;
  int priority;
};

/// Creates a child of the caller's task. `needs_data`: it gets a copy of the data. `included`: the caller runs it at
/// once; else it counts as unfinished from here on.
task& make_task(omp_thread& self, const task_arguments& from, bool needs_data, bool included);

/// True if the caller should run a new task at once: it is alone, all its tasks are included, or enough tasks are
/// queued.
inline bool runs_at_once(const omp_thread& self) noexcept {
  const team& in = self.in();
  if (in.threads == 1 || self.at.current->is_final) return true;
  task_pool* const pool = in.tasks.load(machine::order::acquire);  // acquire: pairs with make_pool()'s compare-and-swap
  return pool != nullptr && pool->threads() >= in.threads && pool->is_full(self.at.number);
}

/// Returns GOMP_task's arguments as a struct.
inline task_arguments arguments_of(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                                   long alignment, unsigned flags, int priority) noexcept {
  return {body, data, copy, size, alignment, flags, (flags & task_flag::priority) != 0 ? priority : 0};
}

/// Creates a task that waits for nothing, and queues it for any thread of the team. Has GOMP_task's parameters, so that
/// GOMP_task can jump here.
void defer_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long alignment, bool,
                unsigned flags, void**, int priority, void*);

/// Creates a task that waits for other tasks or for an event, and has it run. `undeferred`: returns when it is
/// finished. `depend`, `detach`: GOMP_task's arguments.
void meet_bound_task(omp_thread& self, task_arguments from, bool undeferred, void** depend, void* detach);

/// Has a task run that make_task() has counted, when what it depends on is finished. `on`: null if it depends on
/// nothing. `undeferred`: returns when it is finished; or, without `waits_for_event`, when its body is done. libgomp's
/// compiled code relies on the first, because the data may be on the caller's stack; libomp's programs on the second
/// (OpenMP 5.1, section 2.12.1).
void start_bound(omp_thread& self, task& t, bool undeferred, const std::vector<dependence>* on,
                 bool waits_for_event = true);

// Tasks that are created and started by separate calls. Compiled code fills their data in between.

/// The distance from a prepared task to its data.
inline constexpr std::size_t prepared_offset = (sizeof(task) + 15) / 16 * 16;
/// Creates a child of the caller's task, with `bytes` of data that are not initialized. Counts it nowhere yet.
task& prepare_task(omp_thread& self, const task_arguments& how, std::size_t bytes);
/// Destroys a prepared task that is not to run.
void drop_prepared(omp_thread& self, task& t) noexcept;
/// Runs a prepared task, or queues it. `undeferred` and `on`: as for start_bound().
void start_prepared(omp_thread& self, task& t, bool undeferred, const std::vector<dependence>* on);
/// The caller itself runs the body of a prepared task between these two functions.
void begin_inline(omp_thread& self, task& t) noexcept;
void end_inline(omp_thread& self, task& t) noexcept;

/// Runs the task if it is `included`, else queues it. The caller must not touch it afterwards.
void start_task(omp_thread& self, task& t, bool included);

/// Returns when the children of the caller's task are finished; runs descendants meanwhile.
void wait_for_children(omp_thread& self) noexcept;

/// Fulfils the event of a detachable task, from any thread.
void fulfill_event(task& t) noexcept;

}  // namespace callisto::openmp
