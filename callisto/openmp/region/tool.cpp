// Telling a tool of events (OpenMP 5.2, chapter 19).
#include <callisto/openmp/region/tool.hpp>

#include <callisto/openmp/region/tool_callbacks.hpp>
#include <callisto/openmp/settings/icv.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

namespace callisto::openmp::tool {
namespace {

constexpr int thread_is_initial = 1;
constexpr int thread_is_worker = 2;

/// Returns the region's own data; null: the caller waits at its end.
data* region_of(omp_thread& self) { return own_of(self.in()); }

unsigned flags_of(const task& t) noexcept {
  if (t.is_explicit()) return task_is::explicit_task;
  return t.parent == nullptr ? task_is::initial : task_is::implicit;
}

}  // namespace

of_task& part_of(task& t) {
  if (t.told == nullptr) {
    t.told = std::make_unique<of_task>();
    t.told->flags = flags_of(t);
  }
  return *t.told;
}

void thread_begins(omp_thread& self) noexcept {
  self.told = {};
  tell(event::thread_begin, self.initial != nullptr ? thread_is_initial : thread_is_worker, &self.told.own);
  if (self.initial == nullptr) return;
  self.in().told = {};
  part_of(self.implicit) = {.flags = task_is::initial};
  tell(event::implicit_task, int{1}, region_of(self), own_of(self.implicit), 1U, 1U, int{task_is::initial});
}

void thread_ends(omp_thread& self) noexcept {
  if (self.initial != nullptr)
    tell(event::implicit_task, int{2}, static_cast<data*>(nullptr), own_of(self.implicit), 0U, 1U,
         int{task_is::initial});
  tell(event::thread_end, &self.told.own);
}

// Regions.

namespace {

constexpr unsigned invoked_by_program = 1;
constexpr unsigned invoked_by_library = 2;
constexpr unsigned is_team = 0x80000000U;

int invoker(const team& region) noexcept {
  return static_cast<int>((region.told.run_by_program ? invoked_by_program : invoked_by_library) | is_team);
}

}  // namespace

void region_begins(omp_thread& leader, team& region, unsigned threads) noexcept {
  task& outer = *leader.at.current;
  region.told = {.own = {},
                 .called_from = leader.told.called_from,
                 .run_by_program = std::exchange(leader.told.program_runs_next, false)};
  const unsigned requested = std::exchange(leader.told.requested, 0);
  tell(event::parallel_begin, own_of(outer), static_cast<const frame*>(&part_of(outer).stack), own_of(region),
       requested != 0 ? requested : threads, invoker(region), region.told.called_from);
}

void region_ends(omp_thread& leader, team& region) noexcept {
  tell(event::parallel_end, own_of(region), own_of(*leader.at.current), invoker(region), region.told.called_from);
}

void implicit_task_begins(omp_thread& self) noexcept {
  task& t = *self.at.current;
  part_of(t) = {.flags = task_is::implicit};
  tell(event::implicit_task, int{1}, region_of(self), own_of(t), self.in().threads, self.at.number,
       int{task_is::implicit});
}

void implicit_task_ends(omp_thread& self) noexcept {
  task& t = *self.at.current;
  part_of(t).stack.exit.value = 0;
  tell(event::implicit_task, int{2}, static_cast<data*>(nullptr), own_of(t), self.told.threads, self.at.number,
       int{task_is::implicit});
}

void member_arrives(omp_thread& self) noexcept {
  self.told.threads = self.in().threads;
  self.told.called_from = nullptr;
  self.told.at_end_of_region = true;
  syncs(self, sync_kind::barrier_of_region, endpoint::begin);
  waits(self, sync_kind::barrier_of_region, endpoint::begin);
}

void member_leaves(omp_thread& self) noexcept {
  if (!self.told.at_end_of_region) return;
  waits(self, sync_kind::barrier_of_region, endpoint::end);
  syncs(self, sync_kind::barrier_of_region, endpoint::end);
  self.told.at_end_of_region = false;
  implicit_task_ends(self);
}

// Not inlined: its frame is the one that called the task's code.
[[gnu::noinline]] void run_implicit(omp_thread& self, void (*body)(void*), void* data) {
  of_task& part = part_of(*self.at.current);
  part.stack.exit.pointer = __builtin_frame_address(0);
  part.stack.exit_flags = 0x20;  // the library's, a frame pointer
  body(data);
  part_of(*self.at.current).stack.exit.value = 0;
}

// Tasks.

namespace {

constexpr int task_complete = 1;
constexpr int task_cancelled = 3;
constexpr int task_detached = 4;
constexpr int task_fulfilled_early = 5;
constexpr int task_fulfilled_late = 6;
constexpr int task_switch = 7;

}  // namespace

void task_created(omp_thread& self, task& t, unsigned flags, bool has_dependences) noexcept {
  task& creator = *self.at.current;
  part_of(t) = {.flags = ((flags & task_is::taskwait) == 0 ? task_is::explicit_task : 0) | flags};
  tell(event::task_create, own_of(creator), static_cast<const frame*>(&part_of(creator).stack), own_of(t),
       static_cast<int>(part_of(t).flags), int{has_dependences}, self.told.called_from);
}

void task_depends(task& t, std::span<const dependence_of_task> on) noexcept {
  tell(event::dependences, own_of(t), on.data(), static_cast<int>(on.size()));
}

void task_waits_for(task& other, task& t) noexcept { tell(event::task_dependence, own_of(other), own_of(t)); }

// Not inlined, as above.
[[gnu::noinline]] void run_task_body(omp_thread& self, task& before, task& t) noexcept {
  task_switches(before, t);
  of_task& part = part_of(t);
  part.stack.exit.pointer = __builtin_frame_address(0);
  part.stack.exit_flags = 0x20;
  t.body(t.data);
  part.stack.exit.value = 0;
  task_leaves(self, t, before);
}

void task_switches(task& before, task& t) noexcept {
  tell(event::task_schedule, own_of(before), task_switch, own_of(t));
}

void task_leaves(omp_thread& self, task& t, task& after) noexcept {
  int status = task_complete;
  // acquire: pairs with fulfill_event().
  if (t.detachable && (t.event.load(order::acquire) & task::fulfilled) == 0) status = task_detached;
  if (icvs().cancellation && (self.in().cancelled() || (t.group != nullptr && t.group->is_cancelled())))
    status = task_cancelled;
  tell(event::task_schedule, own_of(t), status, own_of(after));
}

void task_is_discarded(task& current, task& t) noexcept {
  task_switches(current, t);
  tell(event::task_schedule, own_of(t), task_cancelled, own_of(current));
}

void task_is_fulfilled(task& t, bool late) noexcept {
  tell(event::task_schedule, own_of(t), late ? task_fulfilled_late : task_fulfilled_early, static_cast<data*>(nullptr));
}

// Constructs.

void works(omp_thread& self, work_kind kind, endpoint at, std::uint64_t count) noexcept {
  tell(event::work, static_cast<int>(kind), static_cast<int>(at), region_of(self), own_of(*self.at.current), count,
       self.told.called_from);
}

namespace {

int state_in(sync_kind kind) noexcept {
  switch (kind) {
    case sync_kind::explicit_barrier:
      return state::explicit_barrier;
    case sync_kind::taskwait:
      return state::taskwait;
    case sync_kind::taskgroup:
      return state::taskgroup;
    case sync_kind::reduction:
      return state::reduction;
    case sync_kind::barrier_of_region:
      return state::barrier_of_region;
    case sync_kind::barrier_of_workshare:
      return state::barrier_of_workshare;
    case sync_kind::barrier_of_teams:
      return state::barrier_of_teams;
    case sync_kind::barrier_of_library:
      break;
  }
  return state::barrier_of_library;
}

int state_at(mutex_kind kind) noexcept {
  switch (kind) {
    case mutex_kind::critical:
      return state::critical;
    case mutex_kind::atomic:
      return state::atomic;
    case mutex_kind::ordered:
      return state::ordered;
    default:
      return state::lock;
  }
}

/// The region that the wait belongs to; after the end of one, none: its data may be another region's.
data* region_in(omp_thread& self, sync_kind kind, endpoint at) {
  return kind == sync_kind::barrier_of_region && at == endpoint::end ? nullptr : region_of(self);
}

}  // namespace

void work_begins(omp_thread& self, work_kind kind, std::uint64_t count) noexcept {
  self.at.work = kind;
  self.at.work_count = count;
  works(self, kind, endpoint::begin, count);
}

void work_ends(omp_thread& self) noexcept {
  const work_kind kind = std::exchange(self.at.work, work_kind::none);
  if (kind != work_kind::none) works(self, kind, endpoint::end, self.at.work_count);
}

void masked(omp_thread& self, endpoint at) noexcept {
  tell(event::masked, static_cast<int>(at), region_of(self), own_of(*self.at.current), self.told.called_from);
}

void reduces(omp_thread& self, endpoint at) noexcept {
  tell(event::reduction, static_cast<int>(sync_kind::reduction), static_cast<int>(at), region_of(self),
       own_of(*self.at.current), self.told.called_from);
}

void syncs(omp_thread& self, sync_kind kind, endpoint at) noexcept {
  tell(event::sync_region, static_cast<int>(kind), static_cast<int>(at), region_in(self, kind, at),
       own_of(*self.at.current), self.told.called_from);
}

void waits(omp_thread& self, sync_kind kind, endpoint at) noexcept {
  self.told.now = at == endpoint::begin ? state_in(kind) : state::none;
  tell(event::sync_region_wait, static_cast<int>(kind), static_cast<int>(at), region_in(self, kind, at),
       own_of(*self.at.current), self.told.called_from);
}

namespace {

void tell_dispatch(omp_thread& self, dispatch_kind kind, const void* instance) noexcept {
  const data of{.pointer = const_cast<void*>(instance)};
  tell(event::dispatch, region_of(self), own_of(*self.at.current), static_cast<int>(kind), of);
}

}  // namespace

void dispatches(omp_thread& self, std::uint64_t start, std::uint64_t iterations) noexcept {
  /// ompt_dispatch_chunk_t.
  const struct {
    std::uint64_t start;
    std::uint64_t iterations;
  } chunk{start, iterations};
  tell_dispatch(self, dispatch_kind::loop_chunk, &chunk);
}

void dispatches_section(omp_thread& self) noexcept {
  tell_dispatch(self, dispatch_kind::section, self.told.called_from);
}

void errs(omp_thread& self, bool fatal, const char* message) noexcept {
  tell(event::error, fatal ? 2 : 1, message, message != nullptr ? std::strlen(message) : std::size_t{0},
       self.told.called_from);
}

void flushes(omp_thread& self) noexcept { tell(event::flush, &self.told.own, self.told.called_from); }

void cancels(omp_thread& self, unsigned flags) noexcept {
  tell(event::cancel, own_of(*self.at.current), static_cast<int>(flags), self.told.called_from);
}

int control(std::uint64_t command, std::uint64_t modifier, void* argument, const void* called_from) noexcept {
  constexpr int no_tool = -2, no_callback = -1;
  if (!watched()) return no_tool;
  const function f = callbacks[static_cast<unsigned>(event::control_tool)].load(order::acquire);
  if (f == nullptr) return no_callback;
  return reinterpret_cast<int (*)(std::uint64_t, std::uint64_t, void*, const void*)>(f)(command, modifier, argument,
                                                                                        called_from);
}

// Locks.

namespace {

std::uint64_t id_of(const void* lock) noexcept { return reinterpret_cast<std::uintptr_t>(lock); }

/// A thread of the program may use a lock before anything else of the library.
of_thread& told_here() noexcept { return this_thread().told; }

}  // namespace

void lock_begins(mutex_kind kind, const void* lock, const void* called_from) noexcept {
  tell(event::lock_init, static_cast<int>(kind), 0U, 0U, id_of(lock), called_from);
}
void lock_ends(mutex_kind kind, const void* lock, const void* called_from) noexcept {
  tell(event::lock_destroy, static_cast<int>(kind), id_of(lock), called_from);
}

void mutex_acquires(mutex_kind kind, const void* lock, const void* called_from) noexcept {
  constexpr unsigned spinning = 1;
  told_here().now = state_at(kind);
  told_here().waits_for = id_of(lock);
  tell(event::mutex_acquire, static_cast<int>(kind), 0U, spinning, id_of(lock), called_from);
}

void mutex_acquired(mutex_kind kind, const void* lock, const void* called_from) noexcept {
  mutex_not_acquired();
  tell(event::mutex_acquired, static_cast<int>(kind), id_of(lock), called_from);
}

void mutex_not_acquired() noexcept {
  told_here().now = state::none;
  told_here().waits_for = 0;
}

void mutex_released(mutex_kind kind, const void* lock, const void* called_from) noexcept {
  tell(event::mutex_released, static_cast<int>(kind), id_of(lock), called_from);
}

void nests(endpoint at, const void* lock, const void* called_from) noexcept {
  tell(event::nest_lock, static_cast<int>(at), id_of(lock), called_from);
}

void enters(omp_thread& self, const void* called_from, void* stack) noexcept {
  self.told.called_from = called_from;
  frame& at = part_of(*self.at.current).stack;
  at.enter.pointer = stack;
  at.enter_flags = 0x10;  // the library's, a canonical frame address
}
void returns(omp_thread& self) noexcept {
  self.told.called_from = nullptr;
  part_of(*self.at.current).stack.enter.value = 0;
}

void entered::begin(const void* called_from, void* stack) noexcept {
  caller_ = self_->at.current;
  enters(*self_, called_from, stack);
}

void entered::end() noexcept {
  self_->told.called_from = nullptr;
  // A child of fork() may have begun anew, and a tool may have ended itself.
  if (watched()) part_of(*caller_).stack.enter.value = 0;
}

}  // namespace callisto::openmp::tool
