// taskloop (OpenMP 5.1, section 2.12.2): the iterations of a loop in tasks, each with its bounds in its data.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/tasking/explicit_task.hpp>
#include <callisto/openmp/tasking/included_task.hpp>
#include <callisto/openmp/tasking/task_shares.hpp>

#include <cstdint>
#include <type_traits>

namespace callisto::openmp {
namespace {

/// Returns the number of iterations from `start` to `end`, exclusive. `step` is positive if `up`. Computes unsigned,
/// because T's own arithmetic may overflow.
template <class T>
std::uint64_t count_trips(T start, T end, T step, bool up) {
  if (up ? start >= end : start <= end) return 0;
  const std::uint64_t distance = up ? static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start)
                                    : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  const std::uint64_t stride =
      up ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
  return (distance - 1) / stride + 1;
}

/// The head of a task's data: its bounds, and the reductions.
template <class T>
struct loop_data {
  T first;
  T end;
  std::uintptr_t* reductions;
};

/// The body of GOMP_taskloop for loops that count in T. `wanted`: the number of tasks, or the grain size.
template <class T>
void meet_taskloop(void (*body)(void*), void* prototype, void (*copy)(void*, void*), long size, long alignment,
                   unsigned flags, unsigned long wanted, int priority, T start, T end, T step) {
  const task_arguments from{.body = body,
                            .data = prototype,
                            .copy = copy,
                            .size = size,
                            .alignment = alignment,
                            .flags = flags,
                            .priority = priority};
  const bool up = std::is_signed_v<T> ? step > 0 : (flags & task_flag::up) != 0;
  omp_thread& self = this_thread();
  auto* const data = static_cast<loop_data<T>*>(from.data);
  const bool has_group = (from.flags & task_flag::nogroup) == 0;
  const bool reduces = has_group && (from.flags & task_flag::reduction) != 0;
  if (icvs().cancellation && (self.in().cancelled() || is_taskgroup_cancelled(self))) {
    if (reduces) data->reductions[2] = 0;
    return;
  }
  const std::uint64_t trips = count_trips(start, end, step, up);
  if (trips == 0) {
    // 0 means that nothing was registered.
    if (reduces) data->reductions[2] = 0;
    return;
  }
  const task_shares parts = share_out(trips, (from.flags & task_flag::grainsize) != 0,
                                      (from.flags & task_flag::strict) != 0, wanted, self.in().threads);
  if (has_group) {
    taskgroup& group = enter_group(self);
    if (reduces) {
      register_reductions(data->reductions, group.reductions, nullptr, self.in().threads);
      group.reductions = data->reductions;
    }
  }
  if (tool::watched()) [[unlikely]]
    tool::works(self, tool::work_kind::taskloop, tool::endpoint::begin, trips);
  const bool undeferred = (from.flags & task_flag::if_clause) == 0;
  auto first = static_cast<std::uint64_t>(start);
  // Included tasks run in turn, so the prototype itself can be the data of each included task.
  const bool shares_data = from.copy == nullptr && !tool::watched();
  for (std::uint64_t n = 0; n < parts.tasks; ++n) {
    const bool included = undeferred || runs_at_once(self);
    const auto set_bounds = [&](loop_data<T>& of) {
      const std::uint64_t next = first + parts.size(n) * static_cast<std::uint64_t>(step);
      of.first = static_cast<T>(first);
      // A single task ends where the loop does; of several, the last one ends with the last step.
      of.end = parts.tasks == 1 ? end : static_cast<T>(next);
      first = next;
    };
    if (included && shares_data) {
      set_bounds(*data);
      run_included(self, body, data, flags);
      continue;
    }
    task& t = make_task(self, from, true, included);
    set_bounds(*static_cast<loop_data<T>*>(t.data));
    start_task(self, t, included);
  }
  if (tool::watched()) [[unlikely]]
    tool::works(self, tool::work_kind::taskloop, tool::endpoint::end, trips);
  if (has_group) leave_group(self);
}

}  // namespace
}  // namespace callisto::openmp

using namespace callisto::openmp;

CALLISTO_OPENMP_ABI void GOMP_taskloop(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                                       long alignment, unsigned flags, unsigned long wanted, int priority, long start,
                                       long end, long step) {
  CALLISTO_ENTERED(this_thread());
  meet_taskloop(body, data, copy, size, alignment, flags, wanted, priority, start, end, step);
}

CALLISTO_OPENMP_ABI void GOMP_taskloop_ull(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                                           long alignment, unsigned flags, unsigned long wanted, int priority,
                                           unsigned long long start, unsigned long long end, unsigned long long step) {
  CALLISTO_ENTERED(this_thread());
  meet_taskloop(body, data, copy, size, alignment, flags, wanted, priority, start, end, step);
}
