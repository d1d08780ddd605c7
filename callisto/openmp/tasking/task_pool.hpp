// The tasks of a team that can run and have not begun, and the threads of the team that wait for tasks.
//
// Each thread has a queue: it puts its tasks at one end and takes them from there, newest first, so that what it works
// on is what it just touched; others steal the oldest, which has most work below it (Blumofe and Leiserson, "Scheduling
// multithreaded computations by work stealing", JACM 1999). A queue has a lock, held for a few instructions, and not a
// lock-free deque, because a thief may have to pass tasks over: a thread that waits in the middle of a task may begin
// only the task's descendants (OpenMP 5.1, section 2.12.6, the task scheduling constraint: else it could wait for a
// lock that it holds itself).
//
// What a thread has put up since it began a task are descendants of that task, and stand above all others in its queue:
// so it looks at the newest only. What would break that order stands in one queue for all, which everybody looks at
// first: tasks with a priority, by which it is sorted, and those that an event has made ready.
//
// Waking. Who puts a task up looks for threads that wait after it has released the queue's lock, and who is about to
// wait searches all queues, each with its lock taken, after it has put itself on the list: of two sections under one
// lock, one comes first, so either the task is found or the sleeper is. Who just looks for work passes over queues that
// look empty.
#pragma once

#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/tasking/task.hpp>
#include <callisto/workers/waiting/spin_lock.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

namespace callisto::openmp {

class task_pool {
 public:
  /// For teams of up to `threads`. `smaller`: one that was used before, and is kept while this one exists, as threads
  /// may look at it still; null: none.
  task_pool(unsigned threads, task_pool* smaller);
  /// The smaller one is somebody else's.
  void forget_smaller() noexcept { static_cast<void>(smaller_.release()); }

  unsigned threads() const noexcept { return threads_; }

  /// The queue for all.
  static constexpr unsigned shared_queue = ~0U;

  /// `t` may run from now on, and the caller must not touch it any more. From any thread; `seat`: the caller's number
  /// in the team, if `t` descends from the task that it runs, else `anybody`.
  void put(task& t, unsigned number) noexcept;
  /// The same by `self`, the calling thread, for a descendant of the task that it runs; quicker.
  void put(task& t, const omp_thread& self) noexcept {
    // relaxed: as in the other one.
    if (t.priority > 0 || sleeping_.load(order::relaxed) != 0) [[unlikely]]
      return put(t, self.at.number);
    queue& own = queues_[self.at.number];
    {
      const locked held(own.lock, self);
      own.put(t);
    }
    notify_of_task(self.in());
  }

  /// A task for `self`, the calling thread; null: there is none. `within`: only descendants of that task; null: any.
  /// `surely`: it finds what was put up before; else it is quick where there is nothing.
  task* take(const omp_thread& self, const task* within, bool surely) noexcept {
    // Its own newest, mostly. relaxed: hints.
    if (queue& own = queues_[self.at.number];
        own.size.load(order::relaxed) != 0 && shared_.size.load(order::relaxed) == 0) {
      const locked held(own.lock, self);
      if (task* const t = own.take_newest(within)) return t;
    }
    return search(self, within, surely);
  }

  /// Whether the thread has put up so much that nobody has taken that it had better run what it makes. A look.
  bool is_full(unsigned number) const noexcept {
    return queues_[number].size.load(order::relaxed) >= most_waiting ||
           shared_.size.load(order::relaxed) >= most_waiting * threads_;
  }

  /// Something that wait() is told of by its address has happened. The address need not be valid any more.
  void notify(const void* what) noexcept;

  /// Runs descendants of the caller's task until done(). `what`: its address is what notify() says when it may be done.
  /// `done` reads by a locked instruction if its argument is true, so that either it sees what has happened, or whoever
  /// tells sees the caller on the list.
  template <class Done>
  void wait(omp_thread& self, const void* what, Done done) noexcept;

 private:
  /// For each thread: libgomp's limit.
  static constexpr unsigned most_waiting = 64;

  struct alignas(native::line_size) queue {
    workers::spin_lock<native> lock;
    task* newest = nullptr;
    task* oldest = nullptr;
    atomic<unsigned> size{0};  ///< written with the lock held

    // With the lock held:
    /// As the newest of its priority; all that are newer have lower ones.
    void put(task& t) noexcept {
      task* above = nullptr;
      task* below = newest;
      while (below != nullptr && below->priority < t.priority) above = std::exchange(below, below->older);
      t.newer = above;
      t.older = below;
      (above != nullptr ? above->older : newest) = &t;
      (below != nullptr ? below->newer : oldest) = &t;
      // relaxed, here and below: a hint; the lock orders.
      size.store(size.load(order::relaxed) + 1, order::relaxed);
    }
    void remove(task& t) noexcept {
      (t.newer != nullptr ? t.newer->older : newest) = t.older;
      (t.older != nullptr ? t.older->newer : oldest) = t.newer;
      size.store(size.load(order::relaxed) - 1, order::relaxed);
    }
    /// Only the newest: see above.
    task* take_newest(const task* within) noexcept {
      task* const t = newest;
      if (t == nullptr || !may_run(*t, within)) return nullptr;
      remove(*t);
      return t;
    }
    task* take_oldest(const task* within) noexcept;
  };

  static bool may_run(const task& t, const task* within) noexcept {
    return within == nullptr || t.parent == within || is_descendant(t, *within);
  }
  /// Whether `t` was made by `within`, or by what that made, and so on.
  static bool is_descendant(const task& t, const task& within) noexcept;

  /// A thread that waits, on its own stack.
  struct sleeper {
    suspendable* thread;
    const task* within;
    const void* what;
    sleeper* next = nullptr;
    bool listed = true;
  };

  void enqueue(task& t, unsigned number) noexcept;
  task* search(const omp_thread& self, const task* within, bool surely) noexcept;
  /// A task has been put up, and nobody slept before. relaxed, all: whoever had searched the queue before its lock was
  /// held for that was on the list, or had arrived, before.
  void notify_of_task(team& in) noexcept {
    if (sleeping_.load(order::relaxed) != 0) [[unlikely]]
      wake_all();
    if (in.has_waiting_threads()) in.ask_for_help();
  }
  void wake_all() noexcept;
  bool looks_empty() const noexcept;
  void list(sleeper&) noexcept;
  /// False: somebody has taken it off, and resumes it.
  bool unlist(sleeper&) noexcept;
  /// Takes off those that `chosen` says, at most `most`; calls then() while nobody else can be listed; resumes them.
  template <class Chosen, class Then>
  void wake(Chosen chosen, unsigned most, Then then) noexcept;

  const unsigned threads_;
  std::unique_ptr<task_pool> smaller_;
  std::unique_ptr<queue[]> queues_;

  queue shared_;

  alignas(native::line_size) atomic<unsigned> sleeping_{0};  ///< written with the lock held
  workers::spin_lock<native> sleepers_lock_;
  sleeper* sleepers_ = nullptr;
};

/// The pool of a team, which is made if there is none.
task_pool& make_pool(team&);
inline task_pool& pool_of(team& of) {
  task_pool* const pool = of.tasks.load(machine::order::acquire);  // acquire: the pool
  return pool != nullptr && pool->threads() >= of.threads ? *pool : make_pool(of);
}

/// Runs a task that has been taken.
void run_task(omp_thread& self, task& t) noexcept;

template <class Done>
void task_pool::wait(omp_thread& self, const void* what, Done done) noexcept {
  const task* const within = self.at.current;
  for (;;) {
    if (done(false)) return;
    if (task* const t = take(self, within, false)) {
      run_task(self, *t);
      continue;
    }
    const std::uint64_t begin = native::ticks();
    // Less and less often: who puts up tasks writes to what we look at.
    for (unsigned pause = 1; !self.self->has_better_to_do() && native::ticks() - begin < self.self->spin_ticks() &&
                             looks_empty() && !done(false);
         pause = std::min(2 * pause, 16U)) {
      for (unsigned n = 0; n < pause; ++n) native::relax();
    }
    if (done(false)) return;
    task* found = nullptr;
    {
      const suspendable::shielded shield(*self.self);
      sleeper me{.thread = self.self, .within = within, .what = what};
      list(me);
      if (!done(true) && (found = take(self, within, true)) == nullptr) {
        self.self->suspend();
      } else if (!unlist(me)) {
        // Somebody is about to resume us, which has to be waited for.
        self.self->suspend();
      }
    }
    if (found != nullptr) run_task(self, *found);
  }
}

}  // namespace callisto::openmp
