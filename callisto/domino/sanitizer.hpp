// Tells ThreadSanitizer of the order of Domino's tasks, in a program that it checks and that uses a library built
// without it: it sees tasks, and not the rings, phases and lanes that put them in order. Nothing in other programs.
//
// An edge is told by an address that one thread releases and another acquires. The addresses are of plain members and
// of places of this file, since the layout of what the library shares with programs is the same in both.
// 1. The program before run(), and tasks: the scheduler's address. Tasks, and the program after run(): 8 bytes behind.
// 2. Tasks of one lane, whatever thread has it: the lane's address. Tasks on one stack: an address by that.
// 3. A phase and the next: one of four addresses a group, by the number of the phase. A phase that only puts tasks into
//    their buckets has none that the program would see, so the last two count.
// 4. A group and those after it: an address of each group.
// 5. The spawn of a counted task, and the task: one of many addresses, by what the task is. Merged tasks have their
//    marks, which ThreadSanitizer sees; so it does keys.
#pragma once

#include <callisto/domino/group.hpp>
#include <callisto/domino/lane.hpp>
#include <callisto/domino/scheduler.hpp>
#include <callisto/domino/task.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/thread_sanitizer.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::domino {

#if defined(CALLISTO_TOLD_TSAN)

/// The addresses.
struct told {
  using native = machine::native;
  static void* begin_of_run(const scheduler<native>& of) noexcept { return address(&of); }
  static void* end_of_run(const scheduler<native>& of) noexcept { return address(&of, 8); }
  /// Tasks run on stacks of the library, with which another thread may go on.
  static void* stack(const void* object) noexcept {
    constexpr std::uintptr_t part = std::uintptr_t{1} << 16;
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(object) / part * std::uint64_t{0x9e3779b97f4a7c15u};
    return address(places, mixed >> 54 << 3);
  }
  static void* before_group(const group<native>& g) noexcept { return address(&g.between); }
  static void* phase(const group<native>& g, std::uint64_t number) noexcept {
    static_assert(sizeof g.followers >= 24);
    return number % 4 == 3 ? address(&g.width) : address(&g.followers, number % 4 * 8);
  }
  static void* spawned(const scheduler<native>& of, const task& t) noexcept {
    std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(&of) ^ t.head;
    task::each_word(t.words(), [&](unsigned w) { mixed = (mixed ^ t.record[w]) * 0x9e3779b97f4a7c15u; });
    return address(places, (mixed * 0x9e3779b97f4a7c15u >> 54) * 8);
  }
  static void release_to_followers(const group<native>& g) noexcept {
    for (const group<native>* f : g.followers) {
      __tsan_release(before_group(*f));
      release_to_followers(*f);  // the follower may have no task
    }
  }

 private:
  static void* address(const void* of, std::size_t behind = 0) noexcept {
    return const_cast<char*>(static_cast<const char*>(of)) + behind;
  }
  inline static char places[std::size_t{8} << 10] = {};
};

/// While it lives, the calling thread runs a task.
class task_seen {
 public:
  task_seen(lane<machine::native>& at, const group<machine::native>& in, const scheduler<machine::native>& of,
            const task& t) noexcept
      : at_(seen(this, at, in, of, t)), in_(in), of_(of), phase_(in.phases) {}
  ~task_seen() {
    // The lane and the stack come last: another thread may go on with them, and this object stands there.
    lane<machine::native>& at = at_;
    __tsan_release(told::phase(in_, phase_));
    told::release_to_followers(in_);
    __tsan_release(told::end_of_run(of_));
    __tsan_release(&at);
    __tsan_release(told::stack(this));
  }
  task_seen(const task_seen&) = delete;
  task_seen& operator=(const task_seen&) = delete;

 private:
  /// Called before the object is written.
  static lane<machine::native>& seen(const void* self, lane<machine::native>& at, const group<machine::native>& in,
                                     const scheduler<machine::native>& of, const task& t) noexcept {
    __tsan_acquire(told::stack(self));
    __tsan_acquire(&at);
    __tsan_acquire(told::begin_of_run(of));
    __tsan_acquire(told::before_group(in));
    const std::uint64_t phase = in.phases;
    __tsan_acquire(told::phase(in, phase - 1));
    __tsan_acquire(told::phase(in, phase - 2));
    __tsan_acquire(told::spawned(of, t));
    return at;
  }

  lane<machine::native>& at_;
  const group<machine::native>& in_;
  const scheduler<machine::native>& of_;
  const std::uint64_t phase_;
};

/// While it lives, the calling thread is alone in a group, between two phases.
class between_phases_seen {
 public:
  between_phases_seen(lane<machine::native>& at, const group<machine::native>& in) noexcept
      : at_(seen(this, at, in)), in_(in) {}
  ~between_phases_seen() {
    lane<machine::native>& at = at_;
    __tsan_release(told::phase(in_, in_.phases - 1));  // of the phase that has ended
    told::release_to_followers(in_);
    __tsan_release(told::end_of_run(at.owner()));
    __tsan_release(&at);
    __tsan_release(told::stack(this));
  }
  between_phases_seen(const between_phases_seen&) = delete;
  between_phases_seen& operator=(const between_phases_seen&) = delete;

 private:
  static lane<machine::native>& seen(const void* self, lane<machine::native>& at,
                                     const group<machine::native>& in) noexcept {
    __tsan_acquire(told::stack(self));
    __tsan_acquire(&at);
    __tsan_acquire(told::begin_of_run(at.owner()));
    for (std::uint64_t phase = 0; phase < 4; ++phase) __tsan_acquire(told::phase(in, phase));
    return at;
  }

  lane<machine::native>& at_;
  const group<machine::native>& in_;
};

/// While it lives, the calling thread is in run().
class run_seen {
 public:
  explicit run_seen(const scheduler<machine::native>& of) noexcept : of_(of) { __tsan_release(told::begin_of_run(of)); }
  ~run_seen() { __tsan_acquire(told::end_of_run(of_)); }
  run_seen(const run_seen&) = delete;
  run_seen& operator=(const run_seen&) = delete;

 private:
  const scheduler<machine::native>& of_;
};

/// Called before a counted task is spawned.
inline void show_spawned(const scheduler<machine::native>& of, const task& t) noexcept {
  __tsan_release(told::spawned(of, t));
}

#else

struct [[maybe_unused]] task_seen {
  task_seen(const lane<machine::native>&, const group<machine::native>&, const scheduler<machine::native>&,
            const task&) noexcept {}
};
struct [[maybe_unused]] run_seen {
  explicit run_seen(const scheduler<machine::native>&) noexcept {}
};
inline void show_spawned(const scheduler<machine::native>&, const task&) noexcept {}

#endif

}  // namespace callisto::domino
