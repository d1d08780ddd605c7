// The ready tasks of a team, and the threads of the team that wait for tasks.
//
// Each thread has a queue. It adds its tasks at one end and takes the newest from there, which it touched last. Thieves
// steal the oldest, which has the most work below it (Blumofe and Leiserson, "Scheduling multithreaded computations by
// work stealing", JACM 1999). A queue has a lock, held for a few instructions. It is no lock-free deque, because a
// thief may have to pass over tasks: a thread that waits in the middle of a task may begin only descendants of that
// task. This is the task scheduling constraint (OpenMP 5.1, section 2.12.6); else a thread could wait for a lock that
// it holds itself.
//
// The tasks that a thread has added since it began a task are descendants of that task, and are the newest of its
// queue. So it looks at the newest only. Tasks that would break that order go to one shared queue, which all threads
// look at first: tasks with a priority, by which it is sorted, and tasks that an event made ready.
//
// Waking:
// 1. A thread that adds a task releases the queue's lock, then looks for waiting threads.
// 2. A thread that is about to wait enters the list of sleepers, then searches all queues, each under its lock.
// 3. Of two sections under one lock, one comes first. So either the task or the sleeper is found.
//
// A thread that only looks for work passes over queues that look empty.
#pragma once

#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/tasking/task.hpp>
#include <callisto/waiting/spin_lock.hpp>
#include <callisto/waiting/spinning.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

namespace callisto::openmp {

class task_pool {
 public:
  /// Creates a pool for teams of up to `threads`. `smaller`: the pool that it replaces, or null. That one is kept,
  /// because threads may still look at it.
  task_pool(unsigned threads, task_pool* smaller);
  /// Gives up the ownership of the smaller pool.
  void forget_smaller() noexcept { static_cast<void>(smaller_.release()); }

  unsigned threads() const noexcept { return threads_; }

  /// The number of the shared queue, in place of a thread's number.
  static constexpr unsigned shared_queue = ~0U;

  /// Makes `t` ready; the caller must not touch it afterwards. Callable by any thread. `number`: the caller's number in
  /// the team if `t` descends from the task that it runs, else `shared_queue`.
  void put(task& t, unsigned number) noexcept;
  /// Does the same for `self`, the calling thread, and a descendant of the task that it runs; faster.
  void put(task& t, const omp_thread& self) noexcept {
    // relaxed: as in put() above.
    if (t.priority > 0 || sleeping_.load(order::relaxed) != 0) [[unlikely]]
      return put(t, self.at.number);
    queue& own = queues_[self.at.number];
    {
      const locked held(own.lock, self);
      own.put(t);
    }
    notify_of_task(self.in());
  }

  /// Returns a task for `self`, the calling thread; null: none. `within`: only descendants of that task; null: any. If
  /// `surely`, finds each task that was added before; else may miss some, but is fast if there is nothing.
  task* take(const omp_thread& self, const task* within, bool surely) noexcept {
    // Mostly its own newest task. relaxed: hints.
    if (queue& own = queues_[self.at.number];
        own.size.load(order::relaxed) != 0 && shared_.size.load(order::relaxed) == 0) {
      const locked held(own.lock, self);
      if (task* const t = own.take_newest(within)) return t;
    }
    return search(self, within, surely);
  }

  /// True if enough tasks of the thread are queued that it should run new ones at once. An estimate.
  bool is_full(unsigned number) const noexcept {
    return queues_[number].size.load(order::relaxed) >= most_waiting ||
           shared_.size.load(order::relaxed) >= most_waiting * threads_;
  }

  /// Tells the thread that waits for the event with this address that it has happened. The address may be invalid
  /// already.
  void notify(const void* what) noexcept;

  /// Runs descendants of the caller's task until done(). `what`: the address that notify() gets when it may be done. If
  /// done()'s argument is true, it reads by a locked instruction. Then either it sees the event, or the notifying
  /// thread sees the caller in the list.
  template <class Done>
  void wait(omp_thread& self, const void* what, Done done) noexcept;

 private:
  /// Tasks for each thread: libgomp's limit.
  static constexpr unsigned most_waiting = 64;

  struct alignas(native::line_size) queue {
    waiting::spin_lock<native> lock;
    task* newest = nullptr;
    task* oldest = nullptr;
    atomic<unsigned> size{0};  ///< written with the lock held

    // The functions below need the lock.
    /// Inserts `t` as the newest of its priority. All newer tasks have lower priorities.
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
    /// Looks at the newest only, see above.
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
  /// True if `t` descends from `within`.
  static bool is_descendant(const task& t, const task& within) noexcept;

  /// A waiting thread's entry, on that thread's stack.
  struct sleeper {
    suspendable* thread;
    const task* within;
    const void* what;
    sleeper* next = nullptr;
    bool listed = true;
  };

  void enqueue(task& t, unsigned number) noexcept;
  task* search(const omp_thread& self, const task* within, bool surely) noexcept;
  /// Wakes threads for a task that was added while no thread slept. relaxed, all: a thread that had searched the queue
  /// before that was in the list, or had arrived, before.
  void notify_of_task(team& in) noexcept {
    if (sleeping_.load(order::relaxed) != 0) [[unlikely]]
      wake_all();
    if (in.has_waiting_threads()) in.ask_for_help();
  }
  void wake_all() noexcept;
  bool looks_empty() const noexcept;
  void list(sleeper&) noexcept;
  /// Returns false if another thread has removed it and resumes it.
  bool unlist(sleeper&) noexcept;
  /// Removes the sleepers that `chosen` selects, at most `most`. Calls then() while no other thread can enter. Then
  /// resumes them.
  template <class Chosen, class Then>
  void wake(Chosen chosen, unsigned most, Then then) noexcept;

  const unsigned threads_;
  std::unique_ptr<task_pool> smaller_;
  std::unique_ptr<queue[]> queues_;

  queue shared_;

  alignas(native::line_size) atomic<unsigned> sleeping_{0};  ///< written with the lock held
  waiting::spin_lock<native> sleepers_lock_;
  sleeper* sleepers_ = nullptr;
};

/// Returns the pool of a team; creates it if there is none.
task_pool& make_pool(team&);
inline task_pool& pool_of(team& of) {
  task_pool* const pool = of.tasks.load(machine::order::acquire);  // acquire: pairs with make_pool()'s compare-and-swap
  return pool != nullptr && pool->threads() >= of.threads ? *pool : make_pool(of);
}

/// Runs a task that the caller has taken.
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
    const waiting::spinning<native> spin(*self.self);
    // Looks less and less often: threads that add tasks write to the same lines.
    for (unsigned pause = 1; looks_empty() && !done(false) && !self.self->has_better_to_do() && !spin.is_over();
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
        // Another thread is about to resume this one, and that must happen first.
        self.self->suspend();
      }
    }
    if (found != nullptr) run_task(self, *found);
  }
}

}  // namespace callisto::openmp
