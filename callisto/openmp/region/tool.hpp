// The events that the core tells a tool (settings/tool.hpp). Each function is called only while a tool watches, unless
// it says otherwise, and is out of line: without a tool an event costs one load and a branch.
#pragma once

#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/settings/tool.hpp>

#include <span>

namespace callisto::openmp::tool {

/// Starts the tool, if the process has one: OMP_TOOL, OMP_TOOL_LIBRARIES. Called once, by the first thread that becomes
/// an OpenMP thread, before it does. Callable in any case.
void start() noexcept;

/// Returns what the tool knows of a task.
of_task& part_of(task& t);

void thread_begins(omp_thread& self) noexcept;
void thread_ends(omp_thread& self) noexcept;

// Regions. The leader: region_begins, task_begins, body, end_of_region (in the barrier), task_ends, region_ends.
void region_begins(omp_thread& leader, team& region, unsigned threads) noexcept;
void region_ends(omp_thread& leader, team& region) noexcept;
void implicit_task_begins(omp_thread& self) noexcept;
void implicit_task_ends(omp_thread& self) noexcept;
/// A member is at the end of its region's body. It hears of the region's end when it leaves its wait.
void member_arrives(omp_thread& self) noexcept;
void member_leaves(omp_thread& self) noexcept;
/// Calls body(data) of an implicit task.
void run_implicit(omp_thread& self, void (*body)(void*), void* data);

// Tasks.
void task_created(omp_thread& self, task& t, unsigned flags, bool has_dependences) noexcept;
void task_depends(task& t, std::span<const dependence_of_task> on) noexcept;
/// `t` waits for `other`. Under the lock of their dependences.
void task_waits_for(task& other, task& t) noexcept;
/// Runs the body of `t`, which the caller has made its current task.
void run_task_body(omp_thread& self, task& before, task& t) noexcept;
void task_switches(task& before, task& t) noexcept;
/// `t` is done, or was not to run.
void task_leaves(omp_thread& self, task& t, task& after) noexcept;
void task_is_discarded(task& current, task& t) noexcept;
/// Its event is fulfilled; `late`: its body was done before.
void task_is_fulfilled(task& t, bool late) noexcept;

// Constructs.
void work_begins(omp_thread& self, work_kind kind, std::uint64_t count) noexcept;
/// Ends the work that the caller has begun; does nothing if there is none.
void work_ends(omp_thread& self) noexcept;
/// Tells of one end of a construct that may stand in another work.
void works(omp_thread& self, work_kind kind, endpoint at, std::uint64_t count) noexcept;
void masked(omp_thread& self, endpoint at) noexcept;
void reduces(omp_thread& self, endpoint at) noexcept;
void syncs(omp_thread& self, sync_kind kind, endpoint at) noexcept;
void waits(omp_thread& self, sync_kind kind, endpoint at) noexcept;
/// The caller begins some iterations of its loop.
void dispatches(omp_thread& self, std::uint64_t start, std::uint64_t iterations) noexcept;
/// The caller begins a section.
void dispatches_section(omp_thread& self) noexcept;
void flushes(omp_thread& self) noexcept;
/// `fatal`: the program ends.
void errs(omp_thread& self, bool fatal, const char* message) noexcept;
void cancels(omp_thread& self, unsigned flags) noexcept;
/// omp_control_tool(). Callable in any case.
int control(std::uint64_t command, std::uint64_t modifier, void* argument, const void* called_from) noexcept;

// Locks. `called_from`: of the program.
void lock_begins(mutex_kind kind, const void* lock, const void* called_from) noexcept;
void lock_ends(mutex_kind kind, const void* lock, const void* called_from) noexcept;
void mutex_acquires(mutex_kind kind, const void* lock, const void* called_from) noexcept;
/// `test` kinds count as the plain ones.
void mutex_acquired(mutex_kind kind, const void* lock, const void* called_from) noexcept;
void mutex_not_acquired() noexcept;
void mutex_released(mutex_kind kind, const void* lock, const void* called_from) noexcept;
/// A lock that the caller has already is taken or given up once more.
void nests(endpoint at, const void* lock, const void* called_from) noexcept;

// A function that takes a lock saves no registers for a tool, because the telling is a separate function.

/// Calls take(), which returns when the caller holds the lock.
template <class Take>
[[gnu::noinline, gnu::cold]] void take_and_tell(mutex_kind kind, const void* lock, const void* called_from, Take take) {
  mutex_acquires(kind, lock, called_from);
  take();
  mutex_acquired(kind, lock, called_from);
}
template <class Take>
[[gnu::always_inline]] inline void taking(mutex_kind kind, const void* lock, const void* called_from, Take take) {
  if (watched()) [[unlikely]]
    return take_and_tell(kind, lock, called_from, take);
  take();
}
/// Calls give(), which gives the lock up.
template <class Give>
[[gnu::noinline, gnu::cold]] void give_and_tell(mutex_kind kind, const void* lock, const void* called_from, Give give) {
  give();
  mutex_released(kind, lock, called_from);
}
template <class Give>
[[gnu::always_inline]] inline void giving(mutex_kind kind, const void* lock, const void* called_from, Give give) {
  if (watched()) [[unlikely]]
    return give_and_tell(kind, lock, called_from, give);
  give();
}

/// While it exists, the thread waits in a construct.
class [[nodiscard]] waiting_in {
 public:
  waiting_in(omp_thread& self, sync_kind kind) noexcept : self_(watched() ? &self : nullptr), kind_(kind) {
    if (self_ == nullptr) [[likely]]
      return;
    syncs(*self_, kind_, endpoint::begin);
    waits(*self_, kind_, endpoint::begin);
  }
  ~waiting_in() {
    if (self_ == nullptr) [[likely]]
      return;
    waits(*self_, kind_, endpoint::end);
    syncs(*self_, kind_, endpoint::end);
  }
  waiting_in(const waiting_in&) = delete;
  waiting_in& operator=(const waiting_in&) = delete;

 private:
  omp_thread* self_;
  sync_kind kind_;
};

/// While it exists, the program is in a function of the library: where it has called it, and the function's frame.
class [[nodiscard]] entered {
 public:
  [[gnu::always_inline]] entered(omp_thread& self, const void* called_from, void* stack) noexcept
      : self_(watched() ? &self : nullptr) {
    if (self_ != nullptr) [[unlikely]]
      begin(called_from, stack);
  }
  [[gnu::always_inline]] ~entered() {
    if (self_ != nullptr) [[unlikely]]
      end();
  }
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

 private:
  void begin(const void* called_from, void* stack) noexcept;
  void end() noexcept;

  omp_thread* self_;
  task* caller_ = nullptr;
};

/// Notes for as long as a region lasts that compiled code runs itself.
void enters(omp_thread& self, const void* called_from, void* stack) noexcept;
void returns(omp_thread& self) noexcept;

/// In a function that compiled code calls: notes that, for tools.
#define CALLISTO_ENTERED(self) \
  const ::callisto::openmp::tool::entered noted_for_tools(self, __builtin_return_address(0), __builtin_dwarf_cfa())
/// Calls f() as the function that compiled code has called.
template <class F>
[[gnu::noinline, gnu::cold]] auto as_told(omp_thread& self, const void* called_from, void* stack, F f) {
  const entered noted(self, called_from, stack);
  return f();
}
/// Where compiled code has called the function. GCC would load __builtin_return_address(0) at the function's beginning,
/// tool or not.
#if defined(__x86_64__)
#define CALLISTO_CALLER (static_cast<void**>(__builtin_dwarf_cfa())[-1])
#else
#define CALLISTO_CALLER __builtin_return_address(0)
#endif
/// In a function that is called often: returns f() if a tool watches.
#define CALLISTO_IF_TOLD(self, f)                       \
  if (::callisto::openmp::tool::watched()) [[unlikely]] \
  return ::callisto::openmp::tool::as_told(self, CALLISTO_CALLER, __builtin_dwarf_cfa(), f)
/// Notes only where compiled code has called.
#define CALLISTO_CALLED(self)                           \
  if (::callisto::openmp::tool::watched()) [[unlikely]] \
  (self).told.called_from = CALLISTO_CALLER

}  // namespace callisto::openmp::tool
