// The tasks of the process: which thread runs which, and how threads wait for a group.
#include <callisto/loop/tasks/task_board.hpp>
#include <callisto/loop/tasks/task_group.hpp>

#include <callisto/machine/system/at_thread_end.hpp>
#include <callisto/machine/timed_park.hpp>
#include <callisto/machine/works_for.hpp>
#include <callisto/workers/teams/in_body.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <pthread.h>

namespace callisto {
namespace loop {

using machine::native;
using machine::order;

namespace {

/// Counts the cancellations of all groups, so that a group need look at the groups above it only after a cancellation.
native::atomic<std::uint64_t> cancellations{0};

/// Gives back what a thread has of the pool.
void end_of_thread() noexcept;
constinit machine::at_thread_end thread_end(end_of_thread);

/// Rooms for tasks that a thread has given back.
class task_rooms {
 public:
  static constexpr std::size_t room = 128;

  void clear() noexcept {
    expected_ = false;
    count_ = 0;
    while (kept_ != nullptr) ::operator delete(std::exchange(kept_, kept_->next));
  }
  void* take() {
    if (kept_ == nullptr) return ::operator new(room);
    --count_;
    return std::exchange(kept_, kept_->next);
  }
  void give(void* given) noexcept {
    if (count_ == most) return ::operator delete(given);
    if (!expected_) [[unlikely]] {
      expected_ = true;
      thread_end.expect();
    }
    kept_ = ::new (given) link{kept_};
    ++count_;
  }

 private:
  struct link {
    link* next;
  };
  static constexpr unsigned most = 256;
  link* kept_ = nullptr;
  unsigned count_ = 0;
  bool expected_ = false;  ///< the thread's end clears them
};
constinit thread_local task_rooms rooms;

}  // namespace

void* take_task_room(std::size_t bytes) { return bytes <= task_rooms::room ? rooms.take() : ::operator new(bytes); }

void give_task_room(void* given, std::size_t bytes) noexcept {
  if (bytes <= task_rooms::room) {
    rooms.give(given);
  } else {
    ::operator delete(given);
  }
}

/// The tasks of the process, as a standing item: followers come when there are tasks. Never destroyed.
class task_pool final : public workers::standing_item<native> {
  using deque = task_board<native, task>::deque;
  using context_lease = workers::context_lease<native>;

 public:
  static task_pool& instance() {
    // Not on the heap: of a program that ThreadSanitizer checks it sees the allocation and the locks of the mutex, but
    // not how followers come by the pool.
    alignas(task_pool) static std::byte room[sizeof(task_pool)];
    static task_pool* const only = ::new (room) task_pool;
    return *only;
  }

  /// A task that a thread runs, on its stack. machine::works_for_here points to it while the task's code and loops run.
  struct running {
    task_group* group;
    const running* below;  ///< the task that the thread has begun before, and waits in
    bool counted;          ///< the group waits for it
  };
  static const running* current() noexcept { return static_cast<const running*>(machine::works_for_here); }

  /// Registers what fork() needs: the child has none of the other threads, and does not run what they left.
  task_pool() {
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] {
                     task_pool& all = instance();
                     all.spare_.clear();
                     all.board_.clear();
                     if (mine.own != nullptr) static_cast<void>(all.board_.add(*mine.own));
                     all.mutex_.unlock();
                   });
  }

  /// Gives the calling thread's deque to a later thread. Tasks that are left in it are stolen, as before.
  static void give_deque() noexcept {
    if (mine.own == nullptr) return;
    task_pool& all = instance();
    const std::scoped_lock held(all.mutex_);
    all.spare_.push_back(std::exchange(mine.own, nullptr));  // there is room
  }

  void offer(task_group& group, task& made) {
    workers::standing_place<native>* at = place();
    if (at == nullptr) [[unlikely]]
      at = &stand();
    if (mine.own == nullptr) [[unlikely]]
      mine.own = take_deque();
    // relaxed: the group is waited for later, or the caller is a task that is itself counted.
    group.pending_.fetch_add(1, order::relaxed);
    if (mine.own == nullptr || !board_.offer(*mine.own, made, *at)) run_task(made);
  }

  /// Runs a task that is counted.
  static void run_task(task& t) noexcept {
    task_group& group = *t.group;
    call(t, true);
    // release: publishes what the task wrote to the acquire in wait().
    const std::uint64_t before = group.pending_.fetch_sub(1, order::release);
    // The group may be gone; only its address is used.
    if (before == (asleep | 1)) [[unlikely]]
      native::unpark(group.pending_, ~0u);
  }

  static void call(task& t, bool counted) noexcept {
    task_group& group = *t.group;
    const workers::in_body here;
    const running now{&group, current(), counted};
    machine::works_for_here = &now;
    CALLISTO_TRY { t.call(t, !group.cancelled()); }
    CALLISTO_CATCH_ALL { group.fail(std::current_exception()); }
    machine::works_for_here = now.below;
  }

  void wait(task_group& group) noexcept {
    // acquire: pairs with the release in run_task().
    while (count(group.pending_.load(order::acquire)) != 0) {
      task* const next = mine.own != nullptr ? mine.own->pop() : nullptr;
      if (next == nullptr) return wait_for_others(group);
      run_task(*next);
    }
  }

 private:
  /// In pending_. All bits are in the low half, which park() compares.
  static constexpr std::uint64_t asleep = std::uint64_t{1} << 31;
  static constexpr std::uint64_t count(std::uint64_t pending) noexcept { return pending & (asleep - 1); }

  /// The most nested waits, each in a task that was taken during the wait around it. In deeper waits a thread takes no
  /// tasks of other threads, so that its stack stops growing.
  static constexpr unsigned deepest = 64;

  /// A thread's state.
  struct thread_state {
    deque* own;
    std::uint32_t random;  ///< from which it steals next; 0: not chosen yet
    unsigned depth;
  };

  [[gnu::cold, gnu::noinline]] workers::standing_place<native>& stand() {
    workers::stand(*this);
    return *place();
  }

  [[gnu::cold, gnu::noinline]] deque* take_deque() {
    thread_end.expect();
    const std::scoped_lock held(mutex_);
    if (!spare_.empty()) {
      deque* const one = spare_.back();
      spare_.pop_back();
      return one;
    }
    auto made = std::make_unique<deque>();
    spare_.reserve(++made_);
    return board_.add(*made) ? made.release() : nullptr;
  }

  task* steal() noexcept {
    // Threads' states are pages apart.
    if (mine.random == 0) [[unlikely]]
      mine.random = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&mine) >> 6) | 1;
    return board_.steal(mine.random);
  }

  /// Takes and runs a task of another thread, and then all that it left in the own deque; false if there is none.
  bool run_others() noexcept {
    task* next = steal();
    if (next == nullptr) return false;
    const auto before = machine::floating_environment::here();
    for (; next != nullptr; next = mine.own != nullptr ? mine.own->pop() : nullptr) {
      next->group->environment_.apply();
      run_task(*next);
    }
    before.apply();
    return true;
  }

  [[gnu::noinline]] void wait_for_others(task_group& group) noexcept {
    workers::check_in(mine.depth == 0);
    ++mine.depth;
    const std::uint64_t patience = native::ticks_per_second() / 20'000;  // 50 us
    std::uint64_t since = native::ticks();
    for (;;) {
      std::uint64_t pending = group.pending_.load(order::acquire);
      if (count(pending) == 0) break;
      if (mine.depth <= deepest && run_one(group)) {
        since = native::ticks();
        continue;
      }
      pause();
      if (native::ticks() - since < patience) continue;
      workers::check_in(false);
      pending = group.pending_.load(order::acquire);
      // relaxed: the bit publishes nothing.
      if (count(pending) != 0 &&
          ((pending & asleep) != 0 || group.pending_.compare_exchange(pending, pending | asleep, order::relaxed))) {
        // Not for ever: another thread's task may make tasks, for which no thread is woken here.
        machine::park_for(group.pending_, static_cast<std::uint32_t>(pending | asleep), 1'000'000);
      }
    }
    --mine.depth;
    // relaxed: it only spares a task's end a vain unpark.
    if ((group.pending_.load(order::relaxed) & asleep) != 0) group.pending_.fetch_and(~asleep, order::relaxed);
  }

  /// Runs a task during a wait for `group`: the thread's newest, or another thread's.
  bool run_one(task_group& group) noexcept {
    if (task* const own = mine.own != nullptr ? mine.own->pop() : nullptr; own != nullptr) {
      run_task(*own);
      return true;
    }
    task* const next = steal();
    if (next == nullptr) return false;
    if (next->group == &group) {
      run_task(*next);
      return true;
    }
    const auto before = machine::floating_environment::here();
    next->group->environment_.apply();
    run_task(*next);
    before.apply();
    return true;
  }

  /// Lets some 50 ns pass between two looks at the deques.
  static void pause() noexcept {
    for (int i = 0; i < 4; ++i) native::relax();
  }

  void run(unsigned /*thread*/, publication* /*published*/, context_lease* on) noexcept override {
    native::set_most_threads(0);  // the last loop has left a limit
    machine::works_for_here = nullptr;
    workers::standing_place<native>& at = *place();
    const std::uint64_t patience = native::ticks_per_second() / 50'000;  // 20 us
    std::uint64_t since = native::ticks();
    while (!at.finished()) {
      if (on != nullptr && !on->undisturbed(since) && !on->stay(true)) return;
      if (run_others()) {
        since = native::ticks();
      } else if (native::ticks() - since > patience || at.wanted_elsewhere()) {
        if (board_.leave(at)) return;
      } else {
        pause();
      }
    }
  }

  [[gnu::tls_model("initial-exec")]] static thread_local thread_state mine;

  std::mutex mutex_;  ///< guards the two below, and the board's additions
  std::vector<deque*> spare_;
  std::size_t made_ = 0;
  task_board<native, task> board_;
};

thread_local task_pool::thread_state task_pool::mine{};

namespace {

void end_of_thread() noexcept {
  rooms.clear();
  task_pool::give_deque();
}

}  // namespace
}  // namespace loop

task_group::task_group() noexcept
    : made_in_(machine::works_for_here),
      inside_(made_in_ != nullptr ? loop::task_pool::current()->group : nullptr),
      is_counted_(made_in_ != nullptr && loop::task_pool::current()->counted) {
  if (inside_ == nullptr) return;
  // acquire: as in cancelled().
  seen_.store(loop::cancellations.load(machine::order::acquire), machine::order::relaxed);
  if (inside_->cancelled()) cancelled_.store(1, machine::order::relaxed);
}

task_group::~task_group() {
  // acquire: as in drain(), which need not look again then.
  if (pending_.load(machine::order::acquire) == 0) return;
  if (waits_for_caller()) {
    std::fputs(
        "callisto: a task_group was destroyed in a task that it waits for; expected its end after the tasks' end\n",
        stderr);
    std::abort();
  }
  drain();
}

bool task_group::waits_for_caller() const noexcept {
  // Groups are usually waited for where they were made.
  if (machine::works_for_here == made_in_) return false;
  for (const auto* at = loop::task_pool::current(); at != nullptr; at = at->below) {
    if (at->group == this && at->counted) return true;
    for (const task_group* g = at->group; g != nullptr; g = g->inside_) {
      if (g->inside_ == this && g->is_counted_) return true;
    }
  }
  return false;
}

void task_group::drain() noexcept {
  // acquire: pairs with the release in run_task().
  if (pending_.load(machine::order::acquire) != 0) loop::task_pool::instance().wait(*this);
}

void task_group::offer(loop::task& made) { loop::task_pool::instance().offer(*this, made); }

void task_group::call(loop::task& made) noexcept { loop::task_pool::call(made, false); }

bool task_group::join() {
  // relaxed: a task that the caller works for is counted already.
  if (pending_.load(machine::order::relaxed) != 0 && waits_for_caller()) {
    machine::throw_usage_error(
        "task_group::wait(): called in a task that the group waits for; expected a wait after the task, or for a group "
        "that was made in it");
  }
  drain();
  if (cancelled_.load(machine::order::relaxed) == 0 && !cancelled()) return true;
  // relaxed, all: no task is left, and this thread has seen the end of each.
  cancelled_.store(0, machine::order::relaxed);
  failed_.store(0, machine::order::relaxed);
  if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr); thrown) std::rethrow_exception(thrown);
  return false;
}

void task_group::cancel() noexcept {
  // relaxed: the count publishes it.
  cancelled_.store(1, machine::order::relaxed);
  // release: publishes the flag to the acquire in cancelled().
  loop::cancellations.fetch_add(1, machine::order::release);
}

bool task_group::cancelled() const noexcept {
  if (cancelled_.load(machine::order::relaxed) != 0) return true;
  if (inside_ == nullptr) return false;
  // acquire: pairs with the release in cancel(): flags set before are seen.
  const std::uint64_t now = loop::cancellations.load(machine::order::acquire);
  if (seen_.load(machine::order::relaxed) == now) return false;
  for (const task_group* above = inside_; above != nullptr; above = above->inside_) {
    if (above->cancelled_.load(machine::order::relaxed) == 0) continue;
    cancelled_.store(1, machine::order::relaxed);
    return true;
  }
  // relaxed: a later count found by another thread is not lost, since this one only leads to another look.
  seen_.store(now, machine::order::relaxed);
  return false;
}

void task_group::fail(std::exception_ptr thrown) noexcept {
  if (!thrown) machine::end_for_left_body();
  // relaxed: it only elects one; the waiting thread reads the exception behind pending_.
  if (failed_.exchange(1, machine::order::relaxed) == 0) thrown_ = std::move(thrown);
  cancel();
}

}  // namespace callisto
