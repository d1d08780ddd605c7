// This process as one of the machine's jobs: it joins the table, takes seats on contexts, repairs its slot, and leaves.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/limits.hpp>
#include <callisto/cosched/table.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace callisto::cosched {

using shared_table = table<machine::native>;

/// Returns the futex groups of jobs. 64 jobs share 32 groups, so a few threads wake in vain.
constexpr std::uint32_t futex_groups_of(job_set jobs) noexcept { return static_cast<std::uint32_t>(jobs | jobs >> 32); }

/// Returns the name of the table's file in its folder. It names the layout and the processes that can share the table.
CALLISTO_API std::string table_name();

class broker_link;
struct membership;
/// Looks for a broker (broker_link.hpp) and joins it; null: there is none, or it refuses and `refusal` has a line.
/// Costs a system call or two if there is none.
using broker_finder = std::unique_ptr<broker_link> (*)(const membership& how, std::string& refusal);

/// Facts about itself that a process gives when it joins.
struct membership {
  std::vector<unsigned> contexts;  ///< the contexts where it may run, by the operating system's numbers
  std::optional<unsigned> main;    ///< the context of its main thread; none: it has no main thread that needs one
  unsigned weight = 1;
  bool follows_priority = false;  ///< the weight counts as much as the priority of the process says, at any time
  timing delays{};
  bool may_step_aside = false;  ///< job::stands_aside() may be true
  /// False: its threads wait for other processes. It then stands aside rather than take turns on its main context, also
  /// if it may not step aside otherwise.
  bool takes_turns = true;
  /// How to look for a broker, at the beginning and each second in a table; null: not at all.
  broker_finder broker = nullptr;
};

/// A process's membership of the table. A process has one at a time. All members are thread-safe.
class CALLISTO_API job {
 public:
  /// Joins a broker if `how` finds one. Otherwise joins the table in the first of `folders` that allows it. Makes the
  /// table if there is none, and repairs a damaged one. Returns null and one line in `refusal` if no folder allows it;
  /// the process then runs alone. Takes about 200 us.
  static std::unique_ptr<job> join(const membership& how, const std::vector<std::string>& folders,
                                   std::string& refusal);

  /// Calls leave(). No seat of the job may be in use.
  ~job();

  /// Leaves the table. Other jobs get its contexts at once; its own threads run as if there were no table.
  void leave();

  /// Forgets the membership of a parent process in the child of a fork, without touching the table. The child calls it
  /// instead of the destructor.
  static void abandon(std::unique_ptr<job> parents) noexcept;

  unsigned number() const noexcept;
  const std::string& path() const noexcept;

  /// Returns the context of the main thread; context_assignment::no_context if it has none.
  unsigned main_context();

  /// True if the table has no other job.
  bool alone();

  /// True if the job does better without sharing at the moment (stepping_aside.hpp): its threads then take no context,
  /// run where they are, and ask again within a millisecond or so. Takes 40 ns; once a millisecond 1 to 5 us, and each
  /// 300 ms 50 to 300 us. A light job takes the first each 25 ms, the second each 1.2 s unless look_around() is called.
  bool stands_aside();

  /// True if the job stood aside at the last look because it is a light one. It is then to look again soon after it
  /// begins to work.
  bool stands_aside_as_light() const noexcept;

  /// Looks at what other programs use, each 300 ms; for a thread that has no work. Takes 40 ns otherwise.
  void look_around();

  /// True if the job has high priority on this context, always or in time slices. It then gets the context whenever it
  /// wants it.
  bool has_turns_on(unsigned context);
  /// Writes into `shares` the part of the time for which the job has high priority on each of `contexts`. Both have one
  /// size. Allocates nothing.
  void shares_of(std::span<const unsigned> contexts, std::span<double> shares);

  /// Returns a number that changes when a job comes, goes or changes its slot.
  std::uint64_t generation() const noexcept;
  /// Sleeps while generation() is `generation`, for at most `nanoseconds`, or until wake_watchers(). May return early.
  void wait_for_change(std::uint64_t generation, std::uint64_t nanoseconds) const noexcept;
  /// Does so without a limit of time, and while the low half of `own` is `low`; an unpark of that ends it, too. False,
  /// at once: the kernel cannot.
  bool wait_for_change_or(std::uint64_t generation, const machine::native::atomic<std::uint64_t>& own,
                          std::uint32_t low) const noexcept;
  /// Wakes the threads in wait_for_change() and wait_for_change_or(), of all jobs.
  void wake_watchers() const noexcept;

  /// Changes the weight from now on; it follows the process's priority no more.
  void set_weight(unsigned weight);

  /// Changes the context that the main thread prefers. False if it is the one already said, or if there is no such
  /// context.
  bool set_main(unsigned context);

  /// Changes the contexts where the job may run. Numbers of max_contexts and above are left out.
  void set_contexts(const std::vector<unsigned>& contexts);

  /// Wakes this process's threads that wait for a context, so that they call their `give_up`.
  void wake_waiters(unsigned context);
  /// Disturbs the holder of a context: its next check-in fails, and it then sees what the caller did before.
  void notify_holder(unsigned context);

  /// Repairs the job's slot if other processes or random bytes have changed it, and checks that the job still holds its
  /// lock. If it does not, the job is no member any more, and its seats behave as if there were no table. keep() and
  /// take() call this every P_high.
  void look_after();

  /// True if a broker divides the contexts instead of the table.
  bool has_broker() const noexcept;

  /// True while the job is a member.
  bool member() const noexcept;

  /// Returns how often the slot was repaired, for tests.
  std::uint64_t repairs() const noexcept;

  /// A thread's seat on one context. One thread at a time uses it; it ends before its job.
  class CALLISTO_API seat {
   public:
    /// `context` is one of the membership's. `thread` is the thread's number in the kernel (gettid(2)) if other jobs
    /// may pin it to the context of this job's main thread when it does not answer in time; 0 if they may not.
    seat(job& of, unsigned context, int thread = 0) noexcept;
    seat(const seat&) = delete;
    ~seat();

    /// The check-in: false if keep() may have something to do. One load of a line that other jobs write only if they
    /// want something.
    bool undisturbed() const noexcept;

    /// True if the thread may go on running here. False if the context has been given up; take() gets it back. The
    /// thread calls keep() when undisturbed() is false, and in any case every P_high or as look_within() says. Without
    /// `gives`, true may also mean that the next call must give the context up, and that call should come soon. A job
    /// that then gets the context may take the processor from this thread at once.
    bool keep(bool gives = true);

    /// After take(), keep() or look_at_owner(): 0, or the owner of the context sleeps and may wake up in code that
    /// cannot ask for it. Then keep() or look_at_owner() must be called again within that many nanoseconds: P_low, or a
    /// 64th part of the time that the owner has slept, but at most H_high.
    std::uint64_t look_within() const noexcept { return look_within_; }
    /// Checks whether the owner still sleeps, for a thread that has another thread run here. If the owner is awake,
    /// requests the context for it, so that the running thread is disturbed. Takes about 10 us.
    void look_at_owner();

    /// Records the thread that runs here now, after take() or keep(); `thread` as in the constructor.
    void set_thread(int thread);

    /// Blocks until the thread may run here, and returns true. Calls `give_up` at least every `longest` nanoseconds; if
    /// it is true, withdraws the request and returns false.
    bool take(const std::function<bool()>& give_up, std::uint64_t longest = sharing_limits::watch_period);

    /// Says that there is no work here for now. take() comes back when there is.
    void idle();

    /// Forgets the context without leaving it: another seat of this process may be on it.
    void forget() noexcept { of_ = nullptr; }

    unsigned context() const noexcept { return context_; }

    /// For check-ins in the caller's own code: undisturbed() holds while `word` reads as `calm` did after keep() or
    /// take().
    const machine::native::atomic<std::uint64_t>& word() const noexcept;
    std::uint64_t calm() const noexcept { return mine_.word; }

   private:
    friend class job;
    bool learn(bool patiently);
    bool keep_brokers(bool gives);
    bool take_from_broker(const std::function<bool()>& give_up, std::uint64_t longest);

    job* of_;
    broker_link* link_ = nullptr;  ///< in which the lease is; null: in the table
    const machine::native::atomic<std::uint64_t>* word_;
    // The seat's knowledge of the context assignment, for the table's generation `knows_for_`.
    const time_slices* slices_ = nullptr;  ///< the jobs with high priority here
    bool is_owners_main_ = false;  ///< this is the context of the owner's main thread; with several owners see turns_
    std::shared_ptr<const context_assignment> turns_;  ///< null: one job at most has high priority here
    std::uint64_t knows_for_ = 0;
    unsigned context_;
    int thread_;
    std::uint64_t look_within_ = 0;
    lease mine_;
  };

 private:
  struct impl;
  void look_after_in_time();
  bool without_broker();
  explicit job(std::unique_ptr<impl> in) noexcept;
  std::unique_ptr<impl> in_;
};

}  // namespace callisto::cosched
