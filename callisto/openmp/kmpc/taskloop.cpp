// taskloop: the iterations of a loop in tasks, each a copy of the compiler's with its bounds.
#include <callisto/openmp/kmpc/tasks.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/tasking/task_shares.hpp>

#include <cstring>

namespace callisto::openmp::kmpc {
namespace {

using duplicate = void (*)(task_head* to, task_head* from, i32 has_last_iteration);

/// Returns a copy of a task that is not started.
task_head* copy_of(omp_thread& self, task_head* pattern) {
  const task_data& data = data_of(pattern);
  task_head* const copy = allocate(self, data.flags, data.head_bytes, data.shareds_bytes, pattern->routine);
  void* const shareds = copy->shareds;
  std::memcpy(copy, pattern, data.head_bytes + data.shareds_bytes);
  copy->shareds = shareds;
  return copy;
}

struct request {
  task_head* pattern;
  u64* first;  ///< in the pattern
  u64* last;   ///< inclusive
  i64 step;
  bool undeferred;
  bool has_group;
  i32 how;  ///< 1: `wanted` is the grain size; 2: it is the number of tasks
  u64 wanted;
  bool strict;
  duplicate construct;  ///< constructs a task's private variables; null: they are bytes
};

u64 trips_of(const request& r) noexcept {
  const u64 first = *r.first, last = *r.last;
  if (r.step == 1) return last - first + 1;
  return r.step > 0 ? (last - first) / static_cast<u64>(r.step) + 1
                    : (first - last) / (0 - static_cast<u64>(r.step)) + 1;
}

void start_tasks(omp_thread& self, const request& r, u64 trips) {
  // More tasks than threads, so that threads which end early find some.
  constexpr u64 for_each_thread = 10;
  const task_shares parts = share_out(trips, r.how == 1 && r.wanted != 0, r.strict, r.how != 0 ? r.wanted : 0,
                                      for_each_thread * self.in().threads);
  const auto in_copy = [&r](task_head* copy, u64* bound) -> u64& {
    return *reinterpret_cast<u64*>(reinterpret_cast<std::byte*>(copy) +
                                   (reinterpret_cast<std::byte*>(bound) - reinterpret_cast<std::byte*>(r.pattern)));
  };
  u64 first = *r.first;
  for (u64 n = 0; n < parts.tasks; ++n) {
    task_head* const copy = copy_of(self, r.pattern);
    const u64 next = first + parts.size(n) * static_cast<u64>(r.step);
    const bool is_last = n + 1 == parts.tasks;
    in_copy(copy, r.first) = first;
    in_copy(copy, r.last) = is_last ? *r.last : next - static_cast<u64>(r.step);
    if (r.construct != nullptr) r.construct(copy, r.pattern, is_last ? 1 : 0);
    first = next;
    start(self, copy, r.undeferred, nullptr);
  }
}

void meet(const request& r) {
  omp_thread& self = this_thread();
  if (r.has_group) enter_group(self);
  const u64 trips = trips_of(r);
  if (tool::watched()) [[unlikely]]
    tool::works(self, tool::work_kind::taskloop, tool::endpoint::begin, trips);
  if (trips != 0) start_tasks(self, r, trips);
  if (tool::watched()) [[unlikely]]
    tool::works(self, tool::work_kind::taskloop, tool::endpoint::end, trips);
  destroy_privates(self, r.pattern);
  drop_prepared(self, task_of(r.pattern));
  if (r.has_group) leave_group(self);
}

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp::kmpc;

CALLISTO_OPENMP_ABI void __kmpc_taskloop_5(compiled_at, i32, task_head* pattern, i32 condition, u64* first, u64* last,
                                           i64 step, i32 nogroup, i32 how, u64 wanted, i32 modifier, void* construct) {
  CALLISTO_ENTERED(callisto::openmp::this_thread());
  meet({.pattern = pattern,
        .first = first,
        .last = last,
        .step = step,
        .undeferred = condition == 0,
        .has_group = nogroup == 0,
        .how = how,
        .wanted = wanted,
        .strict = modifier != 0,
        .construct = reinterpret_cast<duplicate>(construct)});
}
CALLISTO_OPENMP_ABI void __kmpc_taskloop(compiled_at at, i32 self, task_head* pattern, i32 condition, u64* first,
                                         u64* last, i64 step, i32 nogroup, i32 how, u64 wanted, void* construct) {
  __kmpc_taskloop_5(at, self, pattern, condition, first, last, step, nogroup, how, wanted, 0, construct);
}
