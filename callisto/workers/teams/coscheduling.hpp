// The loop runtime as a job among others (EuroSys'14 section 2.1): what the environment says about it, the membership,
// and where each of the process's threads stands.
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

/// A membership, and how many threads of the process have work on each context: it is lent when none of them has. Never
/// destroyed while a thread may be in a loop. Thread-safe.
///
/// All who lead loops from outside count as the job's main thread, whose context is theirs alone (rule 1).
class coscheduling {
  using native = machine::native;

 public:
  /// Moves the calling leader to a context; false if its affinity does not let it.
  using mover = std::function<bool(unsigned context)>;

  /// Joins, for followers on `contexts` and a main thread that runs on `main`. Null, and a line in `refusal`: then the
  /// process runs alone. As long as cosched::job::join.
  static std::unique_ptr<coscheduling> join(const cosched::settings& how, std::vector<unsigned> contexts,
                                            unsigned main, mover move_leader, std::string& refusal);

  ~coscheduling();

  /// Followers are elsewhere from now on.
  void set_contexts(std::vector<unsigned> contexts);

  /// The system does not let threads run on the context any more: it was unplugged, or taken from the process. Threads
  /// look every P_high whether it is back.
  void lost(unsigned context);

  /// Leaves, once. Threads that are in loops go on as if nobody else were there; threads that are not are no leaders
  /// any more.
  void leave();

  /// In the child of a fork, instead of using it any more. Allocates nothing.
  void abandon() noexcept;

  /// Those of this process that wait for a context ask whether they are to go on with that.
  void wake_waiters();

  /// Whether no other job counts.
  bool alone();
  /// The context of the main thread; nullopt: it has none.
  std::optional<unsigned> main_context();
  /// Followers that wait for a context, to take part in a loop. A hint, outdated at once. A load.
  unsigned waiting() const noexcept { return waiting_.load(machine::order::relaxed); }  // relaxed: a hint
  /// For people: where the table is.
  std::string table() const;

  /// A thread's that leads loops from outside, on the context of the main thread. It waits where it is.
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

  /// A follower's that is pinned to a context.
  class follower final : public context_lease<native> {
   public:
    follower(coscheduling& of, unsigned home) noexcept;
    ~follower();
    bool stay(bool may_leave) noexcept override;
    void idle() noexcept override;

    /// It belongs elsewhere from now on, and goes there at its next check-in; by any thread.
    void set_home(unsigned context) noexcept;

   private:
    bool arrive(const std::function<bool()>& over) noexcept override;
    void wait_with_work() noexcept;
    bool here() noexcept;
    unsigned place() noexcept;
    bool belongs_to(unsigned place) noexcept;
    void sit_on(unsigned context) noexcept;
    void get_up() noexcept;
    void count() noexcept;
    bool uncount() noexcept;

    coscheduling& of_;
    native::atomic<unsigned> home_;
    std::optional<cosched::job::seat> seat_;
    bool counted_ = false;  ///< among those that have work on the seat's context
  };

  /// The calling thread's, as long as it lives.
  leader& of_this_leader();
  /// In the child of a fork: the calling thread is no leader of its parent's.
  void forget_this_leader() noexcept;

 private:
  explicit coscheduling(std::unique_ptr<cosched::job> job);

  /// False: nobody else counts: it has left, or was expelled, or this is the child of a fork.
  bool active() const noexcept { return job_ != nullptr && job_->member(); }
  bool unconcerned(lease_poll<native>& at, std::uint64_t& look_at) noexcept;
  std::uint64_t next_look(std::uint64_t within_ns = 0) const noexcept {
    return native::ticks() + (within_ns != 0 ? machine::ticks_of<native>(within_ns) : look_every_);
  }
  /// The main thread counts as working on this context from now on. True: nobody works any more where it was.
  bool main_is_on(unsigned context);
  bool is_lost(unsigned context) const noexcept;
  /// Why a context is none of the job's for now.
  enum loss : std::uint32_t {
    none = 0,
    refused,  ///< the system lets no thread run there
    avoided,  ///< the leader's affinity has it not: somebody has moved it (taskset), or it has itself
  };
  void lose(unsigned context, loss why);
  void leader_avoids(unsigned main);
  void look_for_lost(bool leads) noexcept;
  struct guarded;

  std::unique_ptr<cosched::job> job_;
  mover move_leader_;
  std::uint64_t look_every_ = 0;                                                ///< P_high in ticks
  const native::atomic<std::uint64_t> unread_{0};                               ///< of those who have not looked yet
  std::array<native::atomic<std::uint32_t>, cosched::max_contexts> working_{};  ///< threads, by context
  std::array<native::atomic<std::uint32_t>, cosched::max_contexts> lost_{};     ///< a loss, by context
  native::atomic<std::uint32_t> lost_contexts_{0};                              ///< how many are
  native::atomic<unsigned> waiting_{0};                                         ///< followers, for a context

  std::unique_ptr<guarded> under_lock_;
};

}  // namespace callisto::workers
