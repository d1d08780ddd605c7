// Included tasks: a task that its thread runs at once, on the same stack, with the data that are there. The path of
// most tasks of a program that makes many, so it is inline.
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

/// Makes an included task if the thread has no spare one.
[[gnu::noinline]] task& first_included(omp_thread& self, unsigned flags);
/// Ends an included task whose body is done.
[[gnu::noinline]] void end_included(omp_thread& self, task& t) noexcept;

/// How deep included tasks stand within each other without one being made anew.
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

/// Its body is done.
[[gnu::always_inline]] inline void leave_included(omp_thread& self, task& t) noexcept {
  if (!t.below.is_fresh() || t.addresses != nullptr || self.spare_included_tasks == most_spare_included) [[unlikely]]
    return end_included(self, t);
  t.newer = self.spare_included;
  self.spare_included = &t;
  ++self.spare_included_tasks;
}

/// As run_included(), of such a task.
[[gnu::always_inline]] inline void run_included(omp_thread& self, void (*body)(void*), void* data, unsigned flags) {
  task& parent = *self.at.current;
  task& t = make_included(self, parent, flags);
  self.at.current = &t;
  body(data);
  self.at.current = &parent;
  leave_included(self, t);
}

}  // namespace callisto::openmp
