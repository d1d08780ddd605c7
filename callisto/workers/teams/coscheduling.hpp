// The loop runtime as a job among other jobs (EuroSys 2014, section 2.1): the membership, and the leases of the
// process's threads.
#pragma once

#include <callisto/cosched/job.hpp>
#include <callisto/cosched/settings.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/ticks_of.hpp>
#include <callisto/workers/teams/context_lease.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace callisto::workers {

/// The membership of the process, and for each context the number of its threads with work there: the context is lent
/// when there are none. Never destroyed while a thread may be in a loop. Thread-safe.
///
/// All threads that lead loops from outside count as the job's main thread, which has its context for itself (rule 1).
class coscheduling {
  using native = machine::native;

 public:
  /// Moves the calling leader to a context; false if its affinity forbids it.
  using mover = std::function<bool(unsigned context)>;

  /// Joins, for followers on `contexts` and a main thread that runs on `main`. Returns null and a line in `refusal` if
  /// the process must run alone. `takes_turns` as in cosched::membership. Takes as long as cosched::job::join.
  static std::unique_ptr<coscheduling> join(const cosched::settings& how, std::vector<unsigned> contexts, unsigned main,
                                            mover move_leader, std::string& refusal, bool takes_turns = true);

  ~coscheduling();

  /// Says on which contexts the followers are.
  void set_contexts(std::vector<unsigned> contexts);

  /// Says that the system does not let threads run on the context: it was unplugged, or taken from the process. Threads
  /// check every P_high whether it is back.
  void lost(unsigned context);

  /// Leaves the table, once. Threads in loops go on as if there were no other job; threads outside loops are no leaders
  /// any more.
  void leave();

  /// Forgets the membership in the child of a fork, which must not use it. Allocates nothing.
  void abandon() noexcept;

  /// Wakes the threads of this process that wait for a context, so that they check whether to go on waiting.
  void wake_waiters();

  /// True if no other job counts.
  bool alone();
  /// True if threads run without taking contexts: no other job counts, or this one stands aside.
  bool takes_no_context();
  /// Returns the context of the main thread; nullopt if it has none.
  std::optional<unsigned> main_context();
  /// Returns the number of followers that wait for a context to take part in a loop. A hint. One load.
  unsigned waiting() const noexcept { return waiting_.load(machine::order::relaxed); }  // relaxed: a hint
  /// Returns the path of the table, for people.
  std::string table() const;

  /// The lease of a thread that leads loops from outside, on the context of the main thread. It waits where it is.
  class leader final : public context_lease<native> {
   public:
    explicit leader(coscheduling& of) noexcept;
    bool stay(bool may_leave) noexcept override;
    void idle() noexcept override {}

   private:
    friend class coscheduling;
    bool arrive(const std::function<bool()>&) noexcept override { return stay(false); }

    coscheduling& of_;
    std::optional<cosched::job::seat> seat_;
  };

  /// The lease of a follower that is pinned to a context.
  class follower final : public context_lease<native> {
   public:
    follower(coscheduling& of, unsigned home) noexcept;
    ~follower();
    bool stay(bool may_leave) noexcept override;
    void idle() noexcept override;

    /// Gives the follower another home, to which it goes at its next check-in. Any thread may call it.
    void set_home(unsigned context) noexcept;

   private:
    bool arrive(const std::function<bool()>& over) noexcept override;
    void wait_with_work() noexcept;
    bool here() noexcept;
    bool apart() noexcept;
    unsigned place() noexcept;
    bool belongs_to(unsigned place) noexcept;
    void sit_on(unsigned context) noexcept;
    void get_up() noexcept;
    void count() noexcept;
    bool uncount() noexcept;

    coscheduling& of_;
    native::atomic<unsigned> home_;
    std::optional<cosched::job::seat> seat_;
    std::optional<unsigned> apart_at_;  ///< where it takes part without a context, since the job stands aside
    bool counted_ = false;              ///< it counts among the threads with work on the seat's context
  };

  /// Returns the lease of the calling thread, which lives as long as the thread.
  leader& of_this_leader();
  /// Forgets, in the child of a fork, that the calling thread was a leader of its parent.
  void forget_this_leader() noexcept;

 private:
  explicit coscheduling(std::unique_ptr<cosched::job> job);

  /// False if no other job counts: this one has left or was expelled, or this is the child of a fork.
  bool active() const noexcept { return job_ != nullptr && job_->member(); }
  bool unconcerned(lease_poll<native>& at, std::uint64_t& look_at) noexcept;
  std::uint64_t next_look(std::uint64_t within_ns = 0) const noexcept {
    return native::ticks() + (within_ns != 0 ? machine::ticks_of<native>(within_ns) : look_every_);
  }
  /// Counts the main thread as working on this context. True if no thread works any more where it was.
  bool main_is_on(unsigned context);
  /// Counts the main thread nowhere, since the job stands aside. True as main_is_on().
  bool main_is_nowhere();
  bool is_lost(unsigned context) const noexcept;
  /// The reason why the job cannot use a context at the moment.
  enum loss : std::uint32_t {
    none = 0,
    refused,  ///< the system lets no thread run there
    avoided,  ///< the leader's affinity excludes it: the leader or another process has changed it (taskset)
  };
  void lose(unsigned context, loss why);
  void leader_avoids(unsigned main);
  void look_for_lost(bool leads) noexcept;
  struct guarded;

  std::unique_ptr<cosched::job> job_;
  mover move_leader_;
  std::uint64_t look_every_ = 0;                   ///< P_high in ticks
  const native::atomic<std::uint64_t> unread_{0};  ///< the word of leases that have not looked yet
  std::array<native::atomic<std::uint32_t>, cosched::max_contexts> working_{};  ///< threads, by context
  std::array<native::atomic<std::uint32_t>, cosched::max_contexts> lost_{};     ///< a loss, by context
  native::atomic<std::uint32_t> lost_contexts_{0};                              ///< how many contexts are lost
  native::atomic<unsigned> waiting_{0};                                         ///< followers that wait for a context

  std::unique_ptr<guarded> under_lock_;
};

}  // namespace callisto::workers
