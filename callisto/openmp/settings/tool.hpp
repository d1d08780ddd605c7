// OMPT (OpenMP 5.2, chapter 19): whether a tool watches the program, and the types that the library shares with it.
//
// A tool is a library with a function ompt_start_tool(), such as Archer, Score-P or TAU. It is told of events by
// callbacks. The core tells by region/tool.hpp; nothing here knows the core.
#pragma once

#include <callisto/machine/native.hpp>

#include <cstdint>

namespace callisto::openmp::tool {

/// ompt_data_t: a word of the tool's own for a thread, a region or a task.
union data {
  std::uint64_t value;
  void* pointer;
};

/// ompt_frame_t: where a task's part of the stack ends and begins.
struct frame {
  data exit{};   ///< the library's frame that called the task's code; 0: that code does not run
  data enter{};  ///< the frame of the library's function that the task's code has called; 0: none
  int exit_flags = 0;
  int enter_flags = 0;
};
static_assert(sizeof(frame) == 24);

/// ompt_dependence_t.
struct dependence_of_task {
  data variable;
  int kind;
};

/// ompt_callbacks_t.
enum class event : unsigned char {
  thread_begin = 1,
  thread_end = 2,
  parallel_begin = 3,
  parallel_end = 4,
  task_create = 5,
  task_schedule = 6,
  implicit_task = 7,
  control_tool = 11,
  sync_region_wait = 16,
  mutex_released = 17,
  dependences = 18,
  task_dependence = 19,
  work = 20,
  masked = 21,
  sync_region = 23,
  lock_init = 24,
  lock_destroy = 25,
  mutex_acquire = 26,
  mutex_acquired = 27,
  nest_lock = 28,
  flush = 29,
  cancel = 30,
  reduction = 31,
  dispatch = 32,
  error = 37,
};
inline constexpr unsigned events = 38;

/// ompt_sync_region_t.
enum class sync_kind : int {
  explicit_barrier = 3,
  barrier_of_library = 4,
  taskwait = 5,
  taskgroup = 6,
  reduction = 7,
  barrier_of_workshare = 8,
  barrier_of_region = 9,
  barrier_of_teams = 10,
};

/// ompt_work_t.
enum class work_kind : int {
  none = 0,
  loop = 1,
  sections = 2,
  single_executor = 3,
  single_other = 4,
  distribute = 6,
  taskloop = 7,
  scope = 8,
  loop_static = 10,
  loop_dynamic = 11,
  loop_guided = 12,
  loop_other = 13,
};

/// ompt_mutex_t.
enum class mutex_kind : int {
  lock = 1,
  test_lock = 2,
  nest_lock = 3,
  test_nest_lock = 4,
  critical = 5,
  atomic = 6,
  ordered = 7,
};

/// ompt_dispatch_t.
enum class dispatch_kind : int { section = 2, loop_chunk = 3 };

/// ompt_scope_endpoint_t.
enum class endpoint : int { begin = 1, end = 2 };

/// ompt_task_flag_t.
namespace task_is {
inline constexpr unsigned initial = 1;
inline constexpr unsigned implicit = 2;
inline constexpr unsigned explicit_task = 4;
inline constexpr unsigned taskwait = 0x10;
inline constexpr unsigned undeferred = 0x08000000;
inline constexpr unsigned untied = 0x10000000;
inline constexpr unsigned final = 0x20000000;
inline constexpr unsigned mergeable = 0x40000000;
}  // namespace task_is

/// ompt_state_t.
namespace state {
inline constexpr int serial = 0;
inline constexpr int parallel = 1;
inline constexpr int reduction = 2;
inline constexpr int barrier_of_region = 0x11;
inline constexpr int barrier_of_workshare = 0x12;
inline constexpr int explicit_barrier = 0x14;
inline constexpr int barrier_of_library = 0x15;
inline constexpr int barrier_of_teams = 0x16;
inline constexpr int taskwait = 0x20;
inline constexpr int taskgroup = 0x21;
inline constexpr int lock = 0x41;
inline constexpr int critical = 0x42;
inline constexpr int atomic = 0x43;
inline constexpr int ordered = 0x44;
inline constexpr int none = 0x102;  ///< ompt_state_undefined; a thread's state is then told by its region
}  // namespace state

/// A task as a tool knows it.
struct of_task {
  data own{};
  frame stack{};
  unsigned flags = 0;
};
/// A thread as a tool knows it.
struct of_thread {
  data own{};
  const void* called_from = nullptr;  ///< where the program has called the library
  std::uint64_t waits_for = 0;        ///< the lock that it waits for
  unsigned requested = 0;             ///< threads that the next region is to have
  unsigned threads = 0;               ///< in the region that it has ended its part of
  int now = state::none;
  bool at_end_of_region = false;   ///< a member that waits for the end of its region, or for the next one
  bool program_runs_next = false;  ///< compiled code calls the next region's body itself
};
/// A region as a tool knows it.
struct of_region {
  data own{};
  const void* called_from = nullptr;
  bool run_by_program = false;  ///< compiled code calls the region's body itself
};

/// True while a tool watches. relaxed: it becomes true before the thread that starts the tool makes another one known
/// to the library.
/// Hidden: a check is one load, without a look into the table of global symbols.
[[gnu::visibility("hidden")]] extern constinit machine::native::atomic<bool> watches;
inline bool watched() noexcept {
#if defined(__x86_64__)
  // The relaxed load and the branch in one instruction pair: compilers load an atomic into a register first.
  asm goto("cmpb $0, %0\n\tjne %l[yes]" : : "m"(watches) : "cc" : yes);
  return false;
yes:
  return true;
#else
  return watches.load(machine::order::relaxed);
#endif
}

}  // namespace callisto::openmp::tool
