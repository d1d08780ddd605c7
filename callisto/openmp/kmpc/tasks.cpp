// Tasks, dependences, groups. Compiled code creates a task, fills its data, and starts it, by separate calls.
#include <callisto/openmp/kmpc/tasks.hpp>
#include <callisto/openmp/region/tool.hpp>

#include <algorithm>
#include <utility>

namespace callisto::openmp::kmpc {
namespace {

void run(void* a_data) {
  auto* const head = reinterpret_cast<task_head*>(static_cast<task_data*>(a_data) + 1);
  omp_thread& self = this_thread();
  task_data& data = data_of(head);
  // A cancelled task comes here only if its private variables are to be destroyed.
  // `taskwait` with `nowait` makes a task without a routine.
  if (head->routine != nullptr && (!icvs().cancellation || (!self.in().cancelled() && !is_taskgroup_cancelled(self)))) {
    do {
      data.again = false;
      head->routine(static_cast<i32>(self.number_in_process), head);
    } while (data.again);
  }
  destroy_privates(self, head);
}

dependence_kind kind_of(std::uint8_t flags) noexcept {
  if (flags == 1) return dependence_kind::in;
  return flags == 8 ? dependence_kind::inoutset : dependence_kind::out;
}

std::vector<dependence> read(i32 count, const depend_item* items, i32 more, const depend_item* more_items) {
  // All memory: this bit, or, of older compilers, this address.
  constexpr std::uint8_t everything = 0x80;
  constexpr std::uintptr_t every_address = ~std::uintptr_t{0};
  std::vector<dependence> list;
  list.reserve(static_cast<std::size_t>(std::max(count, 0)) + static_cast<std::size_t>(std::max(more, 0)));
  const auto add = [&list](const depend_item& item) {
    if ((item.flags & everything) != 0 || item.address == every_address) {
      list.push_back({.address = all_memory, .kind = dependence_kind::out});
    } else {
      list.push_back({.address = item.address, .kind = kind_of(item.flags)});
    }
  };
  std::for_each_n(items, std::max(count, 0), add);
  std::for_each_n(more_items, std::max(more, 0), add);
  return each_once(std::move(list));
}

/// Meets a task that does nothing, and depends on the list.
void meet_empty_task(omp_thread& self, bool undeferred, const std::vector<dependence>& on) {
  if (undeferred && self.at.current->addresses == nullptr) return;
  start(self, allocate(self, alloc_flag::tied, sizeof(task_head), 0, nullptr), undeferred, &on);
}

i32 meet(task_head* head) {
  omp_thread& self = this_thread();
  // The next part of the untied task that the caller runs.
  if (&task_of(head) == self.at.current) {
    data_of(head).again = true;
  } else {
    start(self, head, false, nullptr);
  }
  return 0;
}

}  // namespace

task_head* allocate(omp_thread& self, u32 flags, std::size_t head_bytes, std::size_t shareds_bytes,
                    i32 (*routine)(i32, task_head*)) {
  head_bytes = (head_bytes + 15) / 16 * 16;
  const task_arguments how{.body = run,
                           .data = nullptr,
                           .copy = nullptr,
                           .size = 0,
                           .alignment = 1,
                           .flags = (flags & alloc_flag::final) != 0 ? task_flag::final : 0,
                           .priority = 0};
  task& t = prepare_task(self, how, sizeof(task_data) + head_bytes + shareds_bytes);
  auto* const data = new (t.data) task_data{flags, false, head_bytes, shareds_bytes, 0};
  auto* const head = reinterpret_cast<task_head*>(data + 1);
  head->shareds = shareds_bytes != 0 ? reinterpret_cast<std::byte*>(head) + head_bytes : nullptr;
  head->routine = routine;
  head->part = 0;
  t.discardable = (flags & alloc_flag::destructors) == 0;
  t.detachable = (flags & alloc_flag::proxy) != 0;
  return head;
}

namespace {

/// Tells a tool that a task begins its life.
void tell_of(omp_thread& self, task_head* head, bool undeferred, bool has_dependences) noexcept {
  using namespace tool;
  const u32 flags = data_of(head).flags;
  const bool waits_only = head->routine == nullptr;
  task_created(self, task_of(head),
               ((flags & alloc_flag::tied) == 0 ? task_is::untied : 0) |
                   ((flags & alloc_flag::mergeable) != 0 ? task_is::mergeable : 0) |
                   (task_of(head).is_final ? task_is::final : 0) | (waits_only ? task_is::taskwait : 0) |
                   (undeferred || self.at.current->is_final ? task_is::undeferred : 0),
               has_dependences);
}

}  // namespace

void start(omp_thread& self, task_head* head, bool undeferred, const std::vector<dependence>* on) {
  task& t = task_of(head);
  if ((data_of(head).flags & alloc_flag::priority) != 0)
    t.priority = std::clamp(head->second.priority, 0, icvs().max_task_priority);
  if (tool::watched()) [[unlikely]]
    tell_of(self, head, undeferred, on != nullptr);
  start_prepared(self, t, undeferred, on);
}

void destroy_privates(omp_thread& self, task_head* head) {
  if ((data_of(head).flags & alloc_flag::destructors) != 0)
    head->first.destructors(static_cast<i32>(self.number_in_process), head);
}

}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp;
using namespace callisto::openmp::kmpc;

CALLISTO_OPENMP_ABI task_head* __kmpc_omp_task_alloc(compiled_at, i32, u32 flags, std::size_t head_bytes,
                                                     std::size_t shareds_bytes, i32 (*routine)(i32, task_head*)) {
  return allocate(this_thread(), flags, head_bytes, shareds_bytes, routine);
}
CALLISTO_OPENMP_ABI task_head* __kmpc_omp_target_task_alloc(compiled_at, i32, u32 flags, std::size_t head_bytes,
                                                            std::size_t shareds_bytes, i32 (*routine)(i32, task_head*),
                                                            i64 /*device*/) {
  return allocate(this_thread(), flags, head_bytes, shareds_bytes, routine);
}
CALLISTO_OPENMP_ABI i32 __kmpc_omp_task(compiled_at, i32, task_head* head) {
  CALLISTO_IF_TOLD(this_thread(), [head] { return meet(head); });
  return meet(head);
}
CALLISTO_OPENMP_ABI i32 __kmpc_omp_task_parts(compiled_at, i32, task_head* head) {
  CALLISTO_IF_TOLD(this_thread(), [head] { return meet(head); });
  return meet(head);
}
CALLISTO_OPENMP_ABI i32 __kmpc_omp_task_with_deps(compiled_at, i32, task_head* head, i32 count,
                                                  const depend_item* items, i32 more, const depend_item* more_items) {
  CALLISTO_ENTERED(this_thread());
  const std::vector<dependence> on = read(count, items, more, more_items);
  start(this_thread(), head, false, on.empty() ? nullptr : &on);
  return 0;
}
CALLISTO_OPENMP_ABI void __kmpc_omp_task_begin_if0(compiled_at, i32, task_head* head) {
  omp_thread& self = this_thread();
  if (tool::watched()) [[unlikely]] {
    CALLISTO_ENTERED(self);
    tell_of(self, head, true, false);
  }
  begin_inline(self, task_of(head));
}
CALLISTO_OPENMP_ABI void __kmpc_omp_task_complete_if0(compiled_at, i32, task_head* head) {
  omp_thread& self = this_thread();
  // Further parts of an untied task.
  while (std::exchange(data_of(head).again, false)) head->routine(static_cast<i32>(self.number_in_process), head);
  destroy_privates(self, head);
  end_inline(self, task_of(head));
}
CALLISTO_OPENMP_ABI i32 __kmpc_omp_reg_task_with_affinity(compiled_at, i32, task_head*, i32 /*count*/,
                                                          void* /*items*/) {
  return 0;
}

CALLISTO_OPENMP_ABI i32 __kmpc_omp_taskwait(compiled_at, i32) {
  omp_thread& self = this_thread();
  CALLISTO_IF_TOLD(self, ([&self] {
                     const tool::waiting_in noted(self, tool::sync_kind::taskwait);
                     if (self.at.current->below.has_children()) wait_for_children(self);
                     return i32{0};
                   }));
  if (self.at.current->below.has_children()) wait_for_children(self);
  return 0;
}
CALLISTO_OPENMP_ABI i32 __kmpc_omp_taskyield(compiled_at, i32, i32 /*part*/) {
  yield_to_members();
  return 0;
}
CALLISTO_OPENMP_ABI void __kmpc_omp_wait_deps(compiled_at, i32, i32 count, const depend_item* items, i32 more,
                                              const depend_item* more_items) {
  CALLISTO_ENTERED(this_thread());
  meet_empty_task(this_thread(), true, read(count, items, more, more_items));
}
CALLISTO_OPENMP_ABI void __kmpc_omp_taskwait_deps_51(compiled_at, i32, i32 count, const depend_item* items, i32 more,
                                                     const depend_item* more_items, i32 has_no_wait) {
  CALLISTO_ENTERED(this_thread());
  meet_empty_task(this_thread(), has_no_wait == 0, read(count, items, more, more_items));
}

CALLISTO_OPENMP_ABI void __kmpc_taskgroup(compiled_at, i32) {
  omp_thread& self = this_thread();
  CALLISTO_CALLED(self);
  enter_group(self);
}
CALLISTO_OPENMP_ABI void __kmpc_end_taskgroup(compiled_at, i32) {
  omp_thread& self = this_thread();
  CALLISTO_ENTERED(self);
  void* const reductions = self.at.current->group->reductions_of_clang;
  leave_group(self);
  if (reductions != nullptr) finish_reductions(reductions);
}

/// Returns the event that omp_fulfill_event() takes: the task itself.
CALLISTO_OPENMP_ABI void* __kmpc_task_allow_completion_event(compiled_at, i32, task_head* head) {
  task& t = task_of(head);
  t.detachable = true;
  return &t;
}
CALLISTO_OPENMP_ABI void __kmpc_proxy_task_completed(i32, task_head* head) { fulfill_event(task_of(head)); }
CALLISTO_OPENMP_ABI void __kmpc_proxy_task_completed_ooo(task_head* head) { fulfill_event(task_of(head)); }

/// Returns a number of the task that the caller runs, or of its parent, that no other unfinished task has.
CALLISTO_OPENMP_ABI u64 __kmpc_get_taskid() { return reinterpret_cast<u64>(this_thread().at.current); }
CALLISTO_OPENMP_ABI u64 __kmpc_get_parent_taskid() { return reinterpret_cast<u64>(this_thread().at.current->parent); }
