// The life of a task: creating, running, waiting, finishing; task groups and detached tasks. The entry points are in
// task_abi.cpp.
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/tasking/dependence.hpp>
#include <callisto/openmp/tasking/explicit_task.hpp>
#include <callisto/openmp/tasking/included_task.hpp>
#include <callisto/openmp/tasking/task_pool.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace callisto::openmp {

task::task() noexcept = default;
inline task::task(task& from, team& of, const task_arguments& how, std::size_t all_bytes) noexcept
    : parent(&from),
      icv(from.icv),
      group(from.group),
      is_final(from.is_final || (how.flags & task_flag::final) != 0),
      depth(from.depth + 1),
      in(&of),
      body(how.body),
      data(how.data),
      bytes(all_bytes),
      priority(how.priority > 0 ? std::min(how.priority, icvs().max_task_priority) : 0) {}
task::~task() = default;

namespace {

using counts = task::counts;

/// Frees a task. `self`, here and below, is the calling thread. It is null if that is no OpenMP thread, which may
/// happen for a thread that fulfils an event.
inline void destroy(omp_thread* self, task& t) noexcept {
  const std::size_t bytes = t.bytes;
  t.~task();
  if (self != nullptr) {
    self->spare_tasks.give(&t, bytes);
  } else {
    ::operator delete(&t);
  }
}

/// Subtracts `less` from the counts of `t`, and ends what that ends: `t` and its ancestors. `in`: the team of `t`. The
/// caller must not touch `t` afterwards.
void release(omp_thread* self, task* t, std::uint64_t less, team& in) noexcept {
  for (;;) {
    task* const above = t->parent;
    const bool is_explicit = t->is_explicit();
    const std::uint64_t left = t->below.remove(self, less);
    // Only the address is used: another thread may have freed `t`.
    if (counts::children_in(less) != 0 && counts::children_in(left) == 0) pool_of(in).notify(t);
    if (less < counts::one_reference) return;
    if (!is_explicit) {
      // Only its own reference is left: all its descendants are finished.
      if (counts::references_in(left) == 1) in.finish_work();
      return;
    }
    if (counts::references_in(left) != 0) return;
    destroy(self, *t);
    t = above;
    less = counts::one_reference;
  }
}

/// True if `t`, after its body, has no descendants, so that the caller destroys it. Else its descendants will.
bool is_last(omp_thread* self, task& t) noexcept {
  if (!t.below.has_descendants()) return true;
  return t.below.counts_alone(self) && counts::references_in(t.below.share()) == 1;
}

/// Finishes a task after its body is done and its event, if any, is fulfilled. `queue`: where tasks go that depended on
/// it.
void finish(omp_thread* self, task& t, unsigned queue) noexcept {
  team& in = *t.in;
  if (t.depends != nullptr) {
    t.parent->addresses->remove(
        t, [&](task& next) { pool_of(in).put(next, queue); }, [&](const task* next) { pool_of(in).notify(next); });
  }
  // release: publishes what the task did to the thread that waits for the group; acquire: for that thread.
  if (t.group != nullptr && t.group->unfinished.fetch_sub(1, order::acq_rel) == 1) pool_of(in).notify(t.group);
  task* const parent = t.parent;
  if (is_last(self, t)) {
    destroy(self, t);
    release(self, parent, counts::one_child + counts::one_reference, in);
  } else {
    // Its descendants keep it, and it keeps its parent.
    release(self, parent, counts::one_child, in);
    release(self, &t, counts::one_reference, in);
  }
}

bool is_cancelled(const task& t) noexcept {
  return icvs().cancellation && (t.in->cancelled() || (t.group != nullptr && t.group->is_cancelled()));
}

void run_body(omp_thread& self, task& t) noexcept {
  t.below.begin(&self);
  task* const before = std::exchange(self.at.current, &t);
  if (tool::watched()) [[unlikely]] {
    tool::run_task_body(self, *before, t);
  } else {
    t.body(t.data);
  }
  self.at.current = before;
}

/// True if the caller calls finish(). For a detachable task the second of two threads does: the runner or the one that
/// fulfils the event.
bool is_finished_with_body(omp_thread& self, task& t) noexcept {
  if (!t.detachable) return true;
  // The thread that fulfils the event cannot see what the caller alone has counted.
  if (t.below.counts_alone(&self)) t.below.share();
  // acq_rel: the second of both threads sees what the first one did.
  return (t.event.fetch_or(task::body_done, order::acq_rel) & task::fulfilled) != 0;
}

/// Adds `more` to the counts of the task that the caller runs. Tells the team about its first descendant.
inline void count_below(omp_thread& self, task& parent, std::uint64_t more, team& in) noexcept {
  bool first = parent.below.add(&self, more);
  if (parent.is_explicit()) return;
  if (parent.below.counts_alone(&self)) first = !std::exchange(parent.announced, true);
  if (first) in.add_work();
}

/// Counts a task as unfinished in its group and at its parent, which the caller runs.
inline void count_in(omp_thread& self, task& t) noexcept {
  // relaxed: only the task subtracts, and it begins later.
  if (t.group != nullptr) t.group->unfinished.fetch_add(1, order::relaxed);
  count_below(self, *t.parent, counts::one_child + counts::one_reference, *t.in);
}

/// Waits for the task's event, if it is detachable, and finishes it.
void end_undeferred(omp_thread& self, task& t) noexcept {
  if (t.detachable) {
    pool_of(*t.in).wait(self, &t, [&t](bool surely) {
      // acquire: pairs with fulfill_event(). `surely`: see task_pool::wait.
      return ((surely ? t.event.fetch_or(0, order::acq_rel) : t.event.load(order::acquire)) & task::fulfilled) != 0;
    });
  }
  finish(&self, t, self.at.number);
}

/// Runs an undeferred task that depends on other tasks, or is detachable; returns at its end.
void run_undeferred(omp_thread& self, task& t) noexcept {
  run_body(self, t);
  end_undeferred(self, t);
}

void wait_for_dependences(omp_thread& self, task& t) noexcept {
  pool_of(*t.in).wait(self, &t, [&t](bool surely) {
    atomic<std::uint64_t>& missing = t.depends->missing;
    // acquire: pairs with dependence_table::remove(). One of the count is the task's own.
    return (surely ? missing.fetch_add(0, order::acq_rel) : missing.load(order::acquire)) == 1;
  });
}

/// True if children of the caller's task are left. They notify the caller from then on, as task_pool::wait requires.
bool has_children_surely(omp_thread& self, task& t) noexcept {
  if (!t.below.counts_alone(&self)) return counts::children_in(t.below.look_surely()) != 0;
  const std::uint64_t left = t.below.share();
  // The last of several descendants tells the team that they are finished.
  if (counts::references_in(left) != 1) t.announced = false;
  return counts::children_in(left) != 0;
}

}  // namespace

void run_task(omp_thread& self, task& t) noexcept {
  if (!t.discardable || !is_cancelled(t)) {
    run_body(self, t);
    if (!is_finished_with_body(self, t)) return;
  } else if (tool::watched()) {
    tool::task_is_discarded(*self.at.current, t);
  }
  finish(&self, t, self.at.number);
}

void run_ready_tasks(omp_thread& self) noexcept {
  // acquire: pairs with make_pool()'s compare-and-swap.
  task_pool* const pool = self.in().tasks.load(order::acquire);
  if (pool == nullptr || pool->threads() < self.in().threads) return;
  for (;;) {
    task* t = pool->take(self, nullptr, false);
    // A thread that publishes a task relies on this one to find it, or to wait already.
    if (t == nullptr) t = pool->take(self, nullptr, true);
    if (t == nullptr) return;
    run_task(self, *t);
  }
}

task_pool& make_pool(team& of) {
  // acquire: pairs with the compare-and-swap below.
  task_pool* pool = of.tasks.load(order::acquire);
  while (pool == nullptr || pool->threads() < of.threads) {
    task_pool* const larger = new task_pool(of.threads, pool);
    // release: publishes the pool. The smaller one is empty, but a late thread of an earlier region may still look at
    // it.
    if (of.tasks.compare_exchange(pool, larger, order::acq_rel)) return *larger;
    larger->forget_smaller();
    delete larger;
    pool = of.tasks.load(order::acquire);
  }
  return *pool;
}

void end_included(omp_thread& self, task& t) noexcept {
  if (is_last(&self, t)) return destroy(&self, t);
  // Its descendants keep it, and from here on it keeps its parent.
  team& in = *t.in;
  count_below(self, *t.parent, counts::one_reference, in);
  release(&self, &t, counts::one_reference, in);
}

task& first_included(omp_thread& self, unsigned flags) {
  const task_arguments how{nullptr, nullptr, nullptr, 0, 1, flags, 0};
  task& t = *new (self.spare_tasks.take(sizeof(task))) task(*self.at.current, self.in(), how, sizeof(task));
  t.below.begin(&self);
  return t;
}

void start_task(omp_thread& self, task& t, bool included) {
  if (included) {
    run_body(self, t);
    end_included(self, t);
  } else {
    pool_of(self.in()).put(t, self);
  }
}

task& make_task(omp_thread& self, const task_arguments& from, bool needs_data, bool included) {
  // operator new's alignment is enough for the task itself.
  static_assert(alignof(task) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  const std::size_t alignment = std::max<std::size_t>(static_cast<std::size_t>(from.alignment), 1);
  const std::size_t bytes =
      sizeof(task) + (needs_data ? static_cast<std::size_t>(from.size) + alignment - 1 : std::size_t{0});
  task& parent = *self.at.current;
  task& t = *new (self.spare_tasks.take(bytes)) task(parent, self.in(), from, bytes);
  if (needs_data) {
    auto at = reinterpret_cast<std::uintptr_t>(&t + 1);
    at = (at + alignment - 1) / alignment * alignment;
    t.data = reinterpret_cast<void*>(at);
    if (from.copy != nullptr) {
      // The constructors of its data run as a part of the new task.
      t.discardable = false;
      self.at.current = &t;
      from.copy(t.data, from.data);
      self.at.current = &parent;
    } else {
      std::memcpy(t.data, from.data, static_cast<std::size_t>(from.size));
    }
  }
  if (!included) count_in(self, t);
  if (tool::watched()) [[unlikely]] {
    using namespace tool;
    const auto flag = [&](unsigned ours, unsigned theirs) { return (from.flags & ours) != 0 ? theirs : 0; };
    const unsigned flags = flag(task_flag::untied, task_is::untied) | flag(task_flag::mergeable, task_is::mergeable) |
                           flag(task_flag::undeferred, task_is::undeferred) | (t.is_final ? task_is::final : 0) |
                           (included ? task_is::undeferred : 0);
    task_created(self, t, flags, (from.flags & task_flag::depend) != 0);
  }
  return t;
}

// Here, beside make_task(), so that the compiler inlines that.
void defer_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long alignment, bool,
                unsigned flags, void**, int priority, void*) {
  omp_thread& self = this_thread();
  const task_arguments from = arguments_of(body, data, copy, size, alignment, flags, priority);
  start_task(self, make_task(self, from, true, false), false);
}

void meet_bound_task(omp_thread& self, task_arguments from, bool undeferred, void** depend, void* detach) {
  if (undeferred) from.flags |= task_flag::undeferred;
  task& t = make_task(self, from, from.copy != nullptr || !undeferred, false);
  if ((from.flags & task_flag::detach) != 0 && detach != nullptr) {
    t.detachable = true;
    // The event's handle, for the program and for the task itself, as the first of its data.
    void* const handle = &t;
    std::memcpy(detach, &handle, sizeof handle);
    if (t.data != nullptr) std::memcpy(t.data, &handle, sizeof handle);
  }
  if ((from.flags & task_flag::depend) != 0) {
    const std::vector<dependence> on = read_dependences(depend);
    start_bound(self, t, undeferred, &on);
  } else {
    start_bound(self, t, undeferred, nullptr);
  }
}

namespace {

/// Tells a tool what orders the task here: `out` stands for all kinds that run alone.
void tell_dependences(task& t, const std::vector<dependence>& on) noexcept {
  constexpr int in = 1, inout = 3, inoutset = 7, all = 34;
  std::vector<tool::dependence_of_task> list;
  list.reserve(on.size());
  for (const dependence& d : on) {
    const int kind = d.kind == dependence_kind::in ? in : d.kind == dependence_kind::inoutset ? inoutset : inout;
    list.push_back({.variable = {.value = d.address}, .kind = d.address == all_memory ? all : kind});
  }
  tool::task_depends(t, list);
}

}  // namespace

void start_bound(omp_thread& self, task& t, bool undeferred, const std::vector<dependence>* on, bool waits_for_event) {
  if (on != nullptr) {
    if (tool::watched()) [[unlikely]]
      tell_dependences(t, *on);
    std::unique_ptr<dependence_table>& table = t.parent->addresses;
    if (table == nullptr) table = std::make_unique<dependence_table>();
    table->add(t, *on);
    if (undeferred) {
      wait_for_dependences(self, t);
    } else {
      // acquire: pairs with dependence_table::remove(). The task's own count goes last, so that it starts once.
      if (t.depends->missing.fetch_sub(1, order::acq_rel) != 1) return;
    }
  }
  if (undeferred && waits_for_event) {
    run_undeferred(self, t);
  } else if (undeferred) {
    run_task(self, t);
  } else if (runs_at_once(self)) {
    run_task(self, t);
  } else {
    start_task(self, t, false);
  }
}

task& prepare_task(omp_thread& self, const task_arguments& how, std::size_t bytes) {
  const std::size_t all = prepared_offset + bytes;
  task& t = *new (self.spare_tasks.take(all)) task(*self.at.current, self.in(), how, all);
  t.data = reinterpret_cast<std::byte*>(&t) + prepared_offset;
  return t;
}

void drop_prepared(omp_thread& self, task& t) noexcept { destroy(&self, t); }

void start_prepared(omp_thread& self, task& t, bool undeferred, const std::vector<dependence>* on) {
  task& parent = *self.at.current;
  t.group = parent.group;
  undeferred = undeferred || parent.is_final;
  if (on != nullptr || t.detachable) {
    count_in(self, t);
    start_bound(self, t, undeferred, on, false);
  } else if (!undeferred && !runs_at_once(self)) {
    count_in(self, t);
    pool_of(self.in()).put(t, self);
  } else if (t.discardable && is_cancelled(t)) {
    destroy(&self, t);
  } else {
    run_body(self, t);
    end_included(self, t);
  }
}

void begin_inline(omp_thread& self, task& t) noexcept {
  t.group = self.at.current->group;
  if (t.detachable) count_in(self, t);
  t.below.begin(&self);
  if (tool::watched()) [[unlikely]]
    tool::task_switches(*self.at.current, t);
  self.at.current = &t;
}

void end_inline(omp_thread& self, task& t) noexcept {
  if (tool::watched()) [[unlikely]]
    tool::task_leaves(self, t, *t.parent);
  self.at.current = t.parent;
  if (!t.detachable) return end_included(self, t);
  if (is_finished_with_body(self, t)) finish(&self, t, self.at.number);
}

void wait_for_children(omp_thread& self) noexcept {
  task& current = *self.at.current;
  pool_of(self.in()).wait(self, &current, [&](bool surely) {
    return surely ? !has_children_surely(self, current) : !current.below.has_children();
  });
  // If descendants are left, they do not report to the team while this thread counts alone: it will do so at its end.
  if (!current.below.counts_alone(&self) && counts::references_in(current.below.take_back(&self)) != 1)
    current.announced = true;
}

void fulfill_event(task& t) noexcept {
  task_pool& pool = pool_of(*t.in);
  // acq_rel: the second of both threads sees what the first one did. If the body is done, `t` may be freed from here
  // on.
  const std::uint32_t before = t.event.fetch_or(task::fulfilled, order::acq_rel);
  if ((before & task::fulfilled) != 0)
    report_and_exit("omp_fulfill_event: %p event already fulfilled!", static_cast<void*>(&t));
  if ((before & task::body_done) != 0) {
    if (tool::watched()) [[unlikely]]
      tool::task_is_fulfilled(t, true);
    finish(this_thread_or_null, t, task_pool::shared_queue);
  } else {
    pool.notify(&t);
  }
}

taskgroup& enter_group(omp_thread& self) {
  task& current = *self.at.current;
  current.group = new taskgroup(current.group);
  if (tool::watched()) [[unlikely]]
    tool::syncs(self, tool::sync_kind::taskgroup, tool::endpoint::begin);
  return *current.group;
}

void leave_group(omp_thread& self) noexcept {
  task& current = *self.at.current;
  taskgroup* const group = current.group;
  if (tool::watched()) [[unlikely]]
    tool::waits(self, tool::sync_kind::taskgroup, tool::endpoint::begin);
  // acquire: pairs with finish(): work of the tasks.
  if (group->unfinished.load(order::acquire) != 0) {
    pool_of(self.in()).wait(self, group, [group](bool surely) {
      return (surely ? group->unfinished.fetch_add(0, order::acq_rel) : group->unfinished.load(order::acquire)) == 0;
    });
  }
  current.group = group->outer;
  delete group;
  if (tool::watched()) [[unlikely]] {
    tool::waits(self, tool::sync_kind::taskgroup, tool::endpoint::end);
    tool::syncs(self, tool::sync_kind::taskgroup, tool::endpoint::end);
  }
}

void cancel_taskgroup(omp_thread& self) noexcept {
  taskgroup* group = self.at.current->group;
  if (group != nullptr && group->workshare && group->outer != nullptr) group = group->outer;
  // release: publishes what happened before to is_cancelled()'s acquire.
  if (group != nullptr) group->cancelled.store(1, order::release);
}

bool is_taskgroup_cancelled(const omp_thread& self) noexcept {
  const taskgroup* const group = self.at.current->group;
  return group != nullptr && group->is_cancelled();
}

}  // namespace callisto::openmp
