// Included tasks: tasks that their thread runs at once, on the same stack, with the data where they are.
//
// A program that creates many tasks runs most of them this way, so the path is inline. Its parent continues when the
// task is finished, so neither the parent nor a group counts it. A finished one is kept and reused: only members that
// may differ are set anew.
#pragma once

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/tasking/explicit_task.hpp>
#include <callisto/openmp/tasking/task.hpp>

namespace callisto::openmp {

inline void task::begin_included(task& from, team& of, unsigned flags) noexcept {
  parent = &from;
  icv = from.icv;
  group = from.group;
  is_final = from.is_final || (flags & task_flag::final) != 0;
  depth = from.depth + 1;
  in = &of;
}

/// Creates an included task, if the thread has no spare one.
[[gnu::noinline]] task& first_included(omp_thread& self, unsigned flags);
/// Ends an included task after its body.
[[gnu::noinline]] void end_included(omp_thread& self, task& t) noexcept;

/// The most finished included tasks that a thread keeps.
constexpr unsigned most_spare_included = 64;

[[gnu::always_inline]] inline task& make_included(omp_thread& self, task& parent, unsigned flags) {
  task* const t = self.spare_included;
  if (t == nullptr) [[unlikely]]
    return first_included(self, flags);
  self.spare_included = t->newer;
  --self.spare_included_tasks;
  t->begin_included(parent, self.in(), flags);
  return *t;
}

/// Keeps the finished task for reuse, or ends it if it has descendants.
[[gnu::always_inline]] inline void leave_included(omp_thread& self, task& t) noexcept {
  if (!t.below.is_fresh() || t.addresses != nullptr || self.spare_included_tasks == most_spare_included) [[unlikely]]
    return end_included(self, t);
  t.newer = self.spare_included;
  self.spare_included = &t;
  ++self.spare_included_tasks;
}

/// Runs body(data) as an included task.
[[gnu::always_inline]] inline void run_included(omp_thread& self, void (*body)(void*), void* data, unsigned flags) {
  task& parent = *self.at.current;
  task& t = make_included(self, parent, flags);
  self.at.current = &t;
  body(data);
  self.at.current = &parent;
  leave_included(self, t);
}

}  // namespace callisto::openmp
