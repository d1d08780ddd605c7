// The tasking constructs as compiled code calls them: GOMP_task, taskwait, taskgroup, taskyield, and the omp_* routines
// on tasks.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/tasking/explicit_task.hpp>
#include <callisto/openmp/tasking/included_task.hpp>

#include <cstdint>

using namespace callisto::openmp;

namespace {

/// True if the construct that the caller meets creates no task, because its region or group is cancelled.
bool is_cancelled_here(const omp_thread& self) noexcept {
  return icvs().cancellation && (self.in().cancelled() || is_taskgroup_cancelled(self));
}

/// Handles every kind of task.
[[gnu::noinline]] void meet_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,
                                 bool if_clause, unsigned flags, void** depend, int priority, void* detach) {
  omp_thread& self = this_thread();
  if (is_cancelled_here(self)) return;
  const task_arguments from = arguments_of(body, data, copy, size, alignment, flags, priority);
  const bool undeferred = !if_clause || self.at.current->is_final;
  if ((flags & (task_flag::depend | task_flag::detach)) != 0) {
    meet_bound_task(self, from, undeferred, depend, detach);
  } else if (undeferred || runs_at_once(self)) {
    if (copy == nullptr && !tool::watched()) {
      run_included(self, body, data, flags);
    } else {
      start_task(self, make_task(self, from, copy != nullptr, true), true);
    }
  } else {
    start_task(self, make_task(self, from, true, false), false);
  }
}

}  // namespace

CALLISTO_OPENMP_ABI void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                                   long alignment, bool if_clause, unsigned flags, void** depend, int priority,
                                   void* detach) {
  omp_thread& self = this_thread();
  CALLISTO_IF_TOLD(self,
                   [=] { meet_task(body, data, copy, size, alignment, if_clause, flags, depend, priority, detach); });
  if ((flags & (task_flag::depend | task_flag::detach)) == 0 && !icvs().cancellation) {
    if (if_clause && !runs_at_once(self)) {
      return defer_task(body, data, copy, size, alignment, if_clause, flags, depend, priority, detach);
    }
    // Most tasks of a program that creates many: they run here, with the data where they are.
    if (copy == nullptr) return run_included(self, body, data, flags);
  }
  meet_task(body, data, copy, size, alignment, if_clause, flags, depend, priority, detach);
}

CALLISTO_OPENMP_ABI void GOMP_taskwait() {
  omp_thread& self = this_thread();
  CALLISTO_IF_TOLD(self, ([&self] {
                     const tool::waiting_in noted(self, tool::sync_kind::taskwait);
                     if (self.at.current->below.has_children()) wait_for_children(self);
                   }));
  if (self.at.current->below.has_children()) wait_for_children(self);
}

/// An undeferred task that does nothing.
CALLISTO_OPENMP_ABI void GOMP_taskwait_depend(void** depend) {
  omp_thread& self = this_thread();
  if (self.at.current->addresses == nullptr || is_cancelled_here(self)) return;
  GOMP_task([](void*) {}, nullptr, nullptr, 0, 1, false, task_flag::depend, depend, 0, nullptr);
}

/// A deferred task that does nothing.
CALLISTO_OPENMP_ABI void GOMP_taskwait_depend_nowait(void** depend) {
  GOMP_task([](void*) {}, nullptr, nullptr, 0, 1, true, task_flag::depend, depend, 0, nullptr);
}

/// Gives the context to another OpenMP thread that can use it. It begins no other task: that would stand on this one's
/// stack and block it.
CALLISTO_OPENMP_ABI void GOMP_taskyield() { yield_to_members(); }

CALLISTO_OPENMP_ABI void GOMP_taskgroup_start() {
  omp_thread& self = this_thread();
  CALLISTO_CALLED(self);
  enter_group(self);
}

CALLISTO_OPENMP_ABI void GOMP_taskgroup_end() {
  omp_thread& self = this_thread();
  CALLISTO_ENTERED(self);
  leave_group(self);
}

CALLISTO_OPENMP_ABI int omp_in_final() { return this_thread().at.current->is_final ? 1 : 0; }

CALLISTO_OPENMP_ABI int omp_in_explicit_task() { return this_thread().at.current->is_explicit() ? 1 : 0; }

/// Callable by any thread, of the team or not.
CALLISTO_OPENMP_ABI void omp_fulfill_event(std::uintptr_t event) { fulfill_event(*reinterpret_cast<task*>(event)); }
