// Tasks: work that is made while other work runs, such as the halves of a recursion. The maker of a task group waits
// for it.
//
// Tasks run on the threads that run loops. A thread runs its own tasks newest first and takes other threads' tasks
// oldest first (work stealing; Blumofe, Leiserson, JACM 1999; Frigo, Leiserson, Randall, PLDI 1998).
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/host/floating_environment.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/exceptions.hpp>
#include <callisto/machine/system/thread_sanitizer.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace callisto {

class task_group;

namespace loop {

/// One task: a callable that runs once, or is dropped.
struct task {
  void (*call)(task&, bool runs);  ///< runs and ends it, or only ends it; throws what the callable throws
  task_group* group;
};

/// Returns room for a task, from what the calling thread has given back; throws std::bad_alloc.
[[nodiscard]] CALLISTO_API void* take_task_room(std::size_t bytes);
CALLISTO_API void give_task_room(void* room, std::size_t bytes) noexcept;

/// A task with its callable, in its own allocation.
template <class F>
struct stored_task final : task {
  template <class G>
  explicit stored_task(G&& g, task_group* of) : task{ends, of}, f(std::forward<G>(g)) {}

  static void ends(task& t, bool runs) {
    struct owner {
      stored_task& mine;
      ~owner() {
        mine.~stored_task();
        give_task_room(&mine, sizeof mine);
      }
    };
    const machine::seen_by_sanitizer made(&t);
    const machine::seen_by_sanitizer shown(t.group);
    const owner one{static_cast<stored_task&>(t)};
    if (runs) std::invoke(one.mine.f);
  }

  F f;
};

/// A task that refers to a callable of its maker, which waits.
template <class F>
struct borrowed_task final : task {
  borrowed_task(F& g, task_group* of) noexcept : task{ends, of}, f(g) {}
  static void ends(task& t, bool runs) {
    const machine::seen_by_sanitizer made(&t);
    const machine::seen_by_sanitizer shown(t.group);
    if (runs) std::invoke(static_cast<borrowed_task&>(t).f);
  }
  F& f;
};

class task_pool;

}  // namespace loop

/// Tasks that end together. Any thread may add tasks, tasks of the group too; one thread at a time waits.
///
/// - A task begins at any time after run(), on any thread of the library, on a thread that waits for tasks, or on its
///   maker within run() if that has 1,024 tasks that have not begun. It runs in the floating-point environment in which
///   the group was made.
/// - While a thread waits it runs tasks, of other groups too. So hold no lock during wait() that some task takes.
/// - If a task throws, tasks that have not begun are dropped, and wait() rethrows the first exception.
/// - A group that is made inside of a task is cancelled with the task's group, and must end before that task does.
/// - A task waits for groups that were made inside of it, or that do not wait for it: wait() throws usage_error for the
///   task's own group, for one around it, and for one with a task that the calling thread has begun and not ended. The
///   destructor ends the program then. The same holds for loops that a task runs.
/// - A loop in a task is shared as a loop in a loop's body is.
class task_group {
 public:
  /// Does not start the threads; the first run() does.
  CALLISTO_API task_group() noexcept;
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits for the tasks. An exception that no wait() has rethrown is dropped.
  CALLISTO_API ~task_group();

  /// Adds a task that calls a copy of `f`. Throws std::bad_alloc, what copying throws, and what threads() throws.
  /// Thread-safe. Takes about 30 ns.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  void run(F&& f) {
    using stored = loop::stored_task<std::decay_t<F>>;
    if constexpr (alignof(stored) > alignof(std::max_align_t)) {
      // Rooms for tasks are aligned as any allocation: a callable that needs more stands in another one.
      run([held = std::make_unique<std::decay_t<F>>(std::forward<F>(f))] { std::invoke(*held); });
    } else {
      void* const room = loop::take_task_room(sizeof(stored));
      loop::task* made = nullptr;
      CALLISTO_TRY { made = ::new (room) stored(std::forward<F>(f), this); }
      CALLISTO_CATCH_ALL {
        loop::give_task_room(room, sizeof(stored));
        rethrow();
      }
      add(*made);
    }
  }
  /// Adds a task that calls a copy of `f` with copies of the arguments, which it may move from, as std::thread does.
  template <class F, class First, class... Rest>
    requires std::invocable<std::decay_t<F>&, std::decay_t<First>, std::decay_t<Rest>...>
  void run(F&& f, First&& first, Rest&&... rest) {
    run([f = std::decay_t<F>(std::forward<F>(f)),
         arguments = std::tuple<std::decay_t<First>, std::decay_t<Rest>...>(std::forward<First>(first),
                                                                            std::forward<Rest>(rest)...)]() mutable {
      std::apply([&](auto&... of) { std::invoke(f, std::move(of)...); }, arguments);
    });
  }

  /// Calls f() itself, then waits. f() throws as a task.
  template <std::invocable F>
  bool run_and_wait(F&& f) {
    loop::borrowed_task<std::remove_reference_t<F>> mine(f, this);
    call(mine);
    return wait();
  }

  /// Blocks until all tasks have ended; the caller then sees what they wrote. True if none was dropped: the group was
  /// not cancelled. Rethrows the first exception. Afterwards the group can be used again. Throws usage_error in a task
  /// that the group waits for.
  bool wait() {
    const bool all = join();
    const machine::seen_by_sanitizer shown(this);
    return all;
  }

  /// Drops tasks that have not begun, also tasks of groups that tasks of this group have made. Thread-safe.
  CALLISTO_API void cancel() noexcept;

  /// True if the group, or one that it was made inside of, was cancelled since the last wait(). Tasks that take long
  /// can ask it. Thread-safe; two or three loads.
  CALLISTO_API bool cancelled() const noexcept;

 private:
  friend class loop::task_pool;
  template <std::invocable... Fs>
  friend void parallel_invoke(Fs&&... callables);

  void rethrow() {
#if defined(__cpp_exceptions)
    throw;
#endif
  }
  /// Makes the task one of the group's and offers it to other threads.
  void add(loop::task& made) {
    {
      const machine::seen_by_sanitizer shown(this);
      const machine::seen_by_sanitizer task_shown(&made);
    }
    offer(made);
  }
  CALLISTO_API void offer(loop::task& made);
  /// Runs a task of the group that was not offered, and keeps its exception.
  CALLISTO_API void call(loop::task& made) noexcept;
  CALLISTO_API bool join();
  /// Waits without a word of how it ended.
  CALLISTO_API void drain() noexcept;
  void fail(std::exception_ptr thrown) noexcept;
  /// True if the calling thread works for a task that the group waits for.
  bool waits_for_caller() const noexcept;

  machine::native::atomic<std::uint64_t> pending_{0};  ///< tasks that have not ended; and whether a thread sleeps
  mutable machine::native::atomic<std::uint32_t> cancelled_{0};  ///< also once a group above was found cancelled
  machine::native::atomic<std::uint32_t> failed_{0};
  /// The number of cancellations, of all groups, when the groups above were last looked at.
  mutable machine::native::atomic<std::uint64_t> seen_{0};
  /// The task that the group was made in, or null. Only its address is used: the group may be used after its end.
  const void* const made_in_;
  task_group* const inside_;  ///< the group of that task; null: none
  const bool is_counted_;     ///< the group waits for that task: the task did not begin in run_and_wait()
  const machine::floating_environment environment_ = machine::floating_environment::here();
  std::exception_ptr thrown_{};
};

/// Calls the callables, in parallel, and returns when all have returned: the first on the calling thread, all further
/// ones as tasks. If one throws, callables that have not begun are dropped and the first exception is rethrown.
/// Allocates nothing.
template <std::invocable... Fs>
void parallel_invoke(Fs&&... callables) {
  if constexpr (sizeof...(Fs) == 1) {
    (static_cast<void>(std::invoke(callables)), ...);
  } else if constexpr (sizeof...(Fs) > 1) {
    task_group all;
    [&]<class First, class... Rest>(First& first, Rest&... rest) {
      std::tuple<loop::borrowed_task<Rest>...> tasks(loop::borrowed_task<Rest>(rest, &all)...);
      // The last one first, so that they run in order if no other thread comes.
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (all.add(std::get<sizeof...(Rest) - 1 - I>(tasks)), ...);
      }(std::index_sequence_for<Rest...>());
      loop::borrowed_task<First> mine(first, &all);
      all.call(mine);
      all.drain();
    }(callables...);
    all.wait();
  }
}

}  // namespace callisto
