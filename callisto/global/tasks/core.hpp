// A core: one thread's scheduler of workers and tasks (Grappa, section 3.1).
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/messages/activity.hpp>
#include <callisto/global/tasks/captures.hpp>
#include <callisto/global/tasks/ready_queue.hpp>
#include <callisto/global/tasks/split_queue.hpp>
#include <callisto/global/tasks/stack_store.hpp>
#include <callisto/global/tasks/task.hpp>
#include <callisto/global/tasks/wait_list.hpp>
#include <callisto/global/tasks/worker.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <callisto/machine/native.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <vector>

namespace callisto::global {

/// Duties that a core asks of the floors above: communication, stealing, the end of a phase. Called by the core's
/// thread.
class core_duties {
 public:
  virtual ~core_duties() = default;
  /// Moves messages. True if anything came or went. Called every few microseconds while there is work, and always when
  /// there is none.
  virtual bool poll(core&) = 0;
  /// Looks for work elsewhere; called when the core has none. True if the core is to look again at once.
  virtual bool find_work(core&) = 0;
  /// Sleeps until work may have come: by core::park(), or elsewhere between core::lie_down_elsewhere() and
  /// core::get_up(). `idle` is the number of sleeps since the core last had work.
  virtual void sleep(core&, unsigned idle) = 0;
  /// Told that a worker goes on after sleeps.
  virtual void resume(core&) {}
  /// Told, at times, that the core has public tasks to take.
  virtual void offer(core&) {}
  /// Takes note of what a task threw.
  virtual void failed(core&, std::exception_ptr) noexcept = 0;
};

/// Counts of a core since its start. Any thread may read.
struct core_counts {
  std::uint64_t tasks_created = 0;
  std::uint64_t tasks_finished = 0;
  std::uint64_t switches = 0;
  std::uint64_t workers = 0;       ///< with a task, at the moment
  std::uint64_t most_workers = 0;  ///< the most at once
  std::uint64_t ready = 0;         ///< in the ready queue, at the moment
  std::uint64_t queued_tasks = 0;  ///< at the moment
  std::uint64_t idle_nanoseconds = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t looks = 0;             ///< of a busy core, about one in 16 decisions
  std::uint64_t workers_at_looks = 0;  ///< sum of the workers with a task at each look
  std::uint64_t ready_at_looks = 0;    ///< sum of the lengths of the ready queue
};

/// The reason why one suspended worker waits; in a list of its core (wait_note.hpp).
struct wait_note {
  const char* what;
  std::source_location where;
  const worker* by;
  wait_note* before;
  wait_note* after;
};

/// How a core is made.
struct core_options {
  unsigned number = 0;                              ///< within its rank
  std::size_t stack_bytes = std::size_t{32} << 10;  ///< of each worker: larger ones use more lines of page tables
  /// Number of workers with a task above which another one starts only if all of them wait and messages bring nothing.
  std::size_t plenty = 1024;
  /// Number of stacks with a guard page; all further stacks have a canary, which is looked at when a task ends or
  /// waits.
  std::size_t guards = 1024;
  /// Time for which a core without work looks for it before it sleeps: about what a sleep costs a rank that waits for
  /// the answer, if each core has a context for itself.
  std::chrono::nanoseconds patience = std::chrono::microseconds(50);
};

/// One thread's scheduler. Made, used and destroyed by its thread, apart from what says otherwise. Only one core at a
/// time exists on a thread.
class CALLISTO_API core {
 public:
  /// The calling thread becomes the core's; what it runs is the core's root worker. `duties` outlives the core. Throws
  /// std::bad_alloc, and usage_error if the thread has a core.
  core(core_duties& duties, const core_options& how);
  /// The root worker calls it. Tasks that have not finished are forgotten: their stacks are not unwound.
  ~core();
  core(const core&) = delete;
  core& operator=(const core&) = delete;

  /// Queues a task that runs here. About 5 ns.
  template <task_body F>
  void spawn(F body) {
    tasks_.begin();
    private_.emplace_back(std::move(body));
  }
  /// Queues a task that another core may take, of this rank or another one.
  template <portable F>
  void spawn_public(const F& body) {
    publish(task::that_travels(body));
  }
  /// Queues a task that another core of this rank may take, but no other rank.
  template <task_body F>
  void spawn_resident(F body) {
    tasks_.begin();
    resident_.push(task(std::move(body)));
  }
  /// Queues a public task that is made already.
  void publish(const task& t) {
    tasks_.begin();
    public_.push(t);
  }
  /// Queues a task here, from any thread.
  void post(const task& t);

  /// Stops the running worker until wake(); returns at once if a wake came since it last ran. May return early: callers
  /// look at what they wait for.
  /// Throws usage_error in a message's handler, and what break_off() gave.
  void suspend();
  /// Lets other ready workers, tasks and messages have a turn. About 10 ns with ready workers.
  void yield();
  /// Lets messages move when the running task ends, if it is time: for a task that did the work of many.
  void look_if_due() noexcept {
    if (rank_clock::ticks() >= poll_at_) until_look_ = 1;
  }
  /// Lets a worker of this core go on. This core's thread.
  void wake_here(worker& w) {
    if (w.status_ == worker_status::suspended) {
      w.status_ = worker_status::ready;
      ready_.push(w);
    } else {
      w.woken_ = true;
    }
  }

  worker& running() noexcept { return *running_; }
  worker& root() noexcept { return root_; }
  core_duties& duties() noexcept { return duties_; }
  /// Returns the number of workers that have a task, suspended ones too.
  std::size_t workers_with_task() const noexcept { return with_task_; }
  unsigned number() const noexcept { return how_.number; }
  std::size_t stack_bytes() const noexcept { return stacks_.stack_bytes(); }

  /// Returns where the stack of the running worker ends, above all of its frames. About 1 ns.
  const std::byte* end_of_stack() const noexcept {
    if (running_ == &root_) return root_end_;
    if (running_ == &idle_) return idle_stack_.get() + idle_stack_bytes;
    return reinterpret_cast<const std::byte*>(running_);
  }

  /// Notes of workers that wait. This core's thread.
  void add_wait(wait_note& note) noexcept {
    note.after = waits_;
    if (waits_ != nullptr) waits_->before = &note;
    waits_ = &note;
  }
  void remove_wait(wait_note& note) noexcept {
    (note.before != nullptr ? note.before->after : waits_) = note.after;
    if (note.after != nullptr) note.after->before = note.before;
  }
  /// Calls f(note) for each worker that has said what it waits for. This core's thread.
  template <class F>
  void for_each_wait(F f) const {
    for (const wait_note* note = waits_; note != nullptr; note = note->after) f(*note);
  }

  /// True if a task waits or a worker is ready.
  bool has_work() const noexcept { return !ready_.empty() || has_task(); }
  /// The queue that thieves of all ranks take from. Any thread may steal.
  split_queue<machine::native, task>& public_tasks() noexcept { return public_; }
  /// Takes half of the shared tasks of another core of the rank, which has counted them: resident ones, else public
  /// ones. Returns their number.
  std::size_t steal_from(core& victim, std::size_t most);
  /// Tasks that began here, those included that other threads began by post(), and that ended here (quiet_sums()).
  std::uint64_t begun() const noexcept { return tasks_.begun() + posts_.begun(); }
  std::uint64_t ended() const noexcept { return tasks_.ended(); }
  /// Counts public tasks of this rank that the caller has sent to another rank. This core's thread.
  void count_departure() noexcept { tasks_.end(); }

  /// Gives the memory of workers without a task back to the system, of all but `plenty` of them. The root worker or the
  /// idle one calls it.
  void trim();

  /// Lets every suspend() throw `why`, and wakes the root worker. This core's thread.
  void break_off(std::exception_ptr why);

  /// Sleeps until another thread wakes a worker, posts or nudges, at most as long as said.
  void park(std::chrono::nanoseconds most);
  /// Announces a sleep elsewhere, which push and nudge interrupt by `interrupt`; false if there is mail.
  bool lie_down_elsewhere() noexcept { return inbox_.lie_down(true); }
  void get_up() noexcept { inbox_.get_up(); }
  /// Lets the core look around. Any thread.
  void nudge() noexcept;
  /// Sets the function that ends a sleep elsewhere. Called before the core runs.
  void set_interrupt(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }

  core_counts counts() const noexcept;
  /// Returns how often the core has changed between workers. Any thread.
  std::uint64_t switches() const noexcept { return switches_.get(); }

  /// True if `address` lies in a guard page of one of the core's stacks.
  bool is_guard(const void* address) const noexcept { return stacks_.is_guard(address); }

  /// Ends the process with one line if `address`, which has faulted, lies in a guard page of the calling thread's core.
  /// Safe in handlers of signals.
  static void end_if_stack_is_full(const void* address) noexcept;
  /// From now on `tell` prints the line of a stack that is full; it is called in handlers of signals.
  static void set_last_words(void (*tell)(const char* line) noexcept) noexcept;

  /// The calling thread's core; null if it has none.
  static core* here() noexcept { return detail::of_thread::of_core; }

 private:
  friend void wake(worker& w);

  /// A count that one thread advances and other threads read.
  class count {
   public:
    // relaxed: counts order nothing here; released() is for those that do.
    void add(std::uint64_t n) noexcept {
      value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
    std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t> value_{0};
  };

  // The idle context runs message handlers, which may be anything that does not block.
  static constexpr std::size_t idle_stack_bytes = std::size_t{256} << 10;

  static void run_tasks(void* self);
  static void run_idle(void* self);
  void tasks_loop();
  void idle_loop();

  void switch_to(worker& to);
  worker& choose();
  worker& choose_without_ready();
  worker& worker_for_task();
  bool take_task(task& into);
  bool has_task() const noexcept { return !private_.empty() || !resident_.empty() || !public_.empty(); }
  void share();
  void run(task& t);
  void look();
  bool take_mail();
  using inbox = waiting::wake_inbox<machine::native, worker>;
  /// Ends the sleep in which a push or a nudge found the core.
  void end_sleep(inbox::owner found);
  void check_stack(worker& w);
  void check_canary(worker& w);
  std::byte* bottom_of(const worker& w) const noexcept;

  core_duties& duties_;
  core_options how_;
  worker* running_;
  machine::exceptions_in_flight* exceptions_;
  unsigned between_looks_ = rank_limits::decisions_a_look;
  unsigned until_look_ = rank_limits::decisions_a_look;
  std::uint64_t looked_at_ = 0;     ///< ticks
  std::uint64_t poll_at_ = 0;       ///< ticks: the deadline of communication
  const std::uint64_t poll_every_;  ///< ticks
  std::exception_ptr broken_;       ///< what each suspend() throws
  std::size_t with_task_ = 0;
  wait_note* waits_ = nullptr;
  ready_queue ready_;
  std::vector<task> private_;
  worker* free_ = nullptr;
  activity<machine::native> tasks_;
  count switches_;
  count most_with_task_;
  count shown_with_task_;
  count shown_ready_;
  count shown_queued_;
  count idle_time_;
  count sleeps_;
  count looks_;
  count workers_at_looks_;
  count ready_at_looks_;
  split_queue<machine::native, task> resident_;
  split_queue<machine::native, task> public_;
  stack_store stacks_;
  worker root_;
  worker idle_;
  std::unique_ptr<std::byte[]> idle_stack_;
  const std::byte* root_end_;           ///< of the thread's own stack
  std::vector<std::byte> fault_stack_;  ///< handlers of faults run on it
  std::function<void()> interrupt_;
  inbox inbox_;
  std::mutex posted_lock_;
  std::vector<task> posted_;
  activity<machine::native> posts_;  ///< written under the lock
  std::atomic<bool> has_posted_{false};
};

namespace detail {
[[noreturn]] CALLISTO_API void no_core();
}
/// The core of the calling thread. Throws usage_error if it has none.
inline core& this_core() {
  if (core::here() == nullptr) [[unlikely]]
    detail::no_core();
  return *core::here();
}
/// The worker that calls.
inline worker& this_worker() { return this_core().running(); }
/// Stops the calling worker until wake(); may return early.
inline void suspend() { this_core().suspend(); }
/// Lets other workers of the core have a turn.
inline void yield() { this_core().yield(); }
/// Lets a suspended worker go on; if it has not suspended yet, its next suspend() returns at once. Any thread of the
/// rank, while the worker's core exists.
CALLISTO_API void wake(worker& w);
/// Queues a task that runs at the calling core.
template <task_body F>
void spawn(F body) {
  this_core().spawn(std::move(body));
}

/// Queues a task that any core of this rank may run: idle ones steal it.
template <task_body F>
void spawn_resident(F body) {
  this_core().spawn_resident(std::move(body));
}

/// Queues a task that any core of any rank may run: idle ones steal it. It must be portable: what it captures means the
/// same everywhere. Throws usage_error if it has captured an address of the caller's stack, as by reference.
template <portable F>
void spawn_public(const F& body, std::source_location where = std::source_location::current()) {
  detail::require_no_references(body, where);
  this_core().spawn_public(body);
}

}  // namespace callisto::global
