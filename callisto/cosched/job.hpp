// This process as a job among others: joining the table, a thread's seat on a context, looking after things, leaving.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
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

/// The futex groups of jobs: 64 share 32, so that a few threads wake in vain.
constexpr std::uint32_t futex_groups_of(job_set jobs) noexcept { return static_cast<std::uint32_t>(jobs | jobs >> 32); }

/// The name of the table's file in its folder: of this layout, for those with whom this process can share it.
CALLISTO_API std::string table_name();

/// How a process joins.
struct membership {
  std::vector<unsigned> contexts;  ///< where it may run, by the operating system's numbers
  std::optional<unsigned> main;    ///< where its main thread is; none: it has none that needs a context
  unsigned weight = 1;
  timing delays{};
};

/// A member of the table. A process has one at a time. All members are thread-safe.
class CALLISTO_API job {
 public:
  /// Joins the table in the first of `folders` where that can be done; makes it if there is none, repairs it if it is
  /// damaged. Null, and one line in `refusal`, if there is no such folder: then the process runs alone. Some 200
  /// microseconds.
  static std::unique_ptr<job> join(const membership& how, const std::vector<std::string>& folders,
                                   std::string& refusal);

  /// leave(). None of its seats may be in use.
  ~job();

  /// Leaves the table: its contexts are the others' at once, and its own threads run as without a table.
  void leave();

  /// In the child of a fork, instead of the destructor: forgets a parent's membership without touching the table.
  static void abandon(std::unique_ptr<job> parents) noexcept;

  unsigned number() const noexcept;
  const std::string& path() const noexcept;

  /// The context of the main thread; division::no_context if it has none.
  unsigned main_context();

  /// Whether no other job is in the table.
  bool alone();

  /// Whether it has high priority on this context, always or by turns: then it gets the context whenever it wants to.
  bool has_turns_on(unsigned context);
  /// Which part of the time it has high priority on each of `contexts`, into as many `shares`. Allocates nothing.
  void shares_of(std::span<const unsigned> contexts, std::span<double> shares);

  /// Changes when a job comes or goes, or says something else.
  std::uint64_t generation() const noexcept;
  /// Sleeps while it is as it was, for `nanoseconds` at most, or until rouse_watchers(); may return early.
  void wait_for_change(std::uint64_t generation, std::uint64_t nanoseconds) const noexcept;
  /// Those that wait for a change look, in all jobs.
  void wake_watchers() const noexcept;

  /// Changes the weight from now on.
  void set_weight(unsigned weight);

  /// Changes where the main thread would rather stay from now on. False: that is what was said last, or there is no
  /// such context.
  bool set_main(unsigned context);

  /// Changes where it may run from now on; those above max_contexts are left out.
  void set_contexts(const std::vector<unsigned>& contexts);

  /// Lets this process's threads look up that wait for a context, so that they ask their `give_up`.
  void wake_waiters(unsigned context);
  /// Whoever runs there finds himself disturbed, and what the caller did before is visible to him then.
  void notify_holder(unsigned context);

  /// Repairs what others or random bytes have done to this job's slot, and finds out whether it has lost its lock: then
  /// it is not a member any more, and its seats are as if it were alone. keep() and take() do it, every P_high.
  void look_after();

  /// Whether the job is still a member.
  bool member() const noexcept;

  /// How often a slot had to be repaired, for tests.
  std::uint64_t repairs() const noexcept;

  /// A thread's place on one context. For one thread at a time; ends before its job.
  class CALLISTO_API seat {
   public:
    /// `context`: one of the membership's. `thread`: the thread's number in the kernel (gettid(2)), if others may pin
    /// it to the context of this job's main thread when it does not answer in time; 0: they may not.
    seat(job& of, unsigned context, int thread = 0) noexcept;
    seat(const seat&) = delete;
    ~seat();

    /// The check-in: false if there may be something to do, and then keep() does it. One load of a line that others
    /// write only when they want something.
    bool undisturbed() const noexcept;

    /// Whether to go on running here. False: the context has been given up, and take() gets it back. To be called
    /// whenever undisturbed() says so, and every P_high or so in any case, or as look_within() says. Unless it `gives`,
    /// the context may also have to be given up yet: by the next call, as soon as can be. Who has it then may
    /// take the processor from this thread at once.
    bool keep(bool gives = true);

    /// After take(), keep() or look_at_owner(): 0, or the owner of the context sleeps, and may wake up in code that
    /// cannot ask for it: after so many nanoseconds one of the last two is to look at him again. P_low, and more where
    /// he has slept for long: he waits for at most a 64th part of that, and not beyond H_high.
    std::uint64_t look_within() const noexcept { return look_within_; }
    /// Where this thread does not run here itself, but has another one do so: looks whether the owner still sleeps. If
    /// not, he is wished the context, so that the one who runs finds himself disturbed. Some ten microseconds.
    void look_at_owner();

    /// After take() or keep(): the thread that runs here now, as the constructor has it.
    void set_thread(int thread);

    /// Waits for the context; true: run here. `give_up` is asked at least every `longest` nanoseconds; if it is true,
    /// returns false, and nothing is wanted any more.
    bool take(const std::function<bool()>& give_up, std::uint64_t longest = watch_period);

    /// Nothing to do here for now. take() when there is.
    void idle();

    /// Forgets the context without leaving it: another seat of this process may be on it.
    void forget() noexcept { of_ = nullptr; }

    unsigned context() const noexcept { return context_; }

    /// For check-ins in the caller's code: undisturbed() while `word` reads as `calm` did after keep() or take().
    const machine::native::atomic<std::uint64_t>& word() const noexcept;
    std::uint64_t calm() const noexcept { return mine_.word; }

   private:
    friend class job;
    bool learn(bool patiently);

    job* of_;
    // What it knows of the division, for the table's generation `knows_for_`.
    const time_slices* who_ = nullptr;              ///< has high priority here
    bool is_owners_main_ = false;            ///< the context of his main thread; where there are turns, see there:
    std::shared_ptr<const context_assignment> turns_;  ///< null: there are none
    std::uint64_t knows_for_ = 0;
    unsigned context_;
    int thread_;
    std::uint64_t look_within_ = 0;
    lease mine_;
  };

 private:
  struct impl;
  void look_after_in_time();
  explicit job(std::unique_ptr<impl> in) noexcept;
  std::unique_ptr<impl> in_;
};

}  // namespace callisto::cosched
