// Decides for a broker which job runs on which context, by the policies of cosched: the division among users and their
// jobs, time slices, and rules 1 to 4 (EuroSys 2014, section 2.1). It makes no system call: it reads replies and writes
// offers through its World. One thread at a time uses it.
//
// Debt. Context time that a job keeps after it was asked is debt of its user. While a user has debt, other users' jobs
// that want a context of this user come first there. The time that they get pays the debt. This works among jobs that
// run with grants; a job that runs without grants shares its context as the operating system decides.
#pragma once

#include <callisto/broker/context_groups.hpp>
#include <callisto/broker/division.hpp>
#include <callisto/broker/job_sets.hpp>
#include <callisto/broker/pair_words.hpp>
#include <callisto/broker/usage.hpp>
#include <callisto/cosched/temporal_policy.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace callisto::broker {

/// The outside of an arbiter: the pages of jobs, and their processes.
class arbiter_world {
 public:
  /// Returns a copy of the job's reply.
  virtual reply look(unsigned job, unsigned context) = 0;
  /// Says this to the job; `wakes`: and wakes its threads that wait there.
  virtual void say(unsigned job, unsigned context, const offer& what, bool wakes) = 0;
  /// Says whether the job is to ring when it is idle there.
  virtual void watch(unsigned job, unsigned context, bool on) = 0;
  /// Says the part of the time for which the job has high priority there.
  virtual void tell_share(unsigned job, unsigned context, double share) = 0;
  /// Says the job's main context (or no_context), and whether there are other jobs; then that something changed.
  virtual void tell_change(unsigned job, unsigned main, bool alone) = 0;
  /// The job has lost the context without an answer: its threads are to be off there. True if they are, and cannot come
  /// back.
  virtual bool keep_off(unsigned job, unsigned context) = 0;
  /// The job has answered since, or leaves.
  virtual void give_back(unsigned job, unsigned context) = 0;
  /// Follows a change of the job's confinement_of().
  virtual void confine(unsigned job) = 0;
  /// True if the job's process has not run for h_high although it could.
  virtual bool dormant(unsigned job) = 0;
  /// Returns the processor time of the job's process, in nanoseconds; 0: not known.
  virtual std::uint64_t processor_time(unsigned job) = 0;
  /// True if a thread of the job's process runs or could.
  virtual bool could_run(unsigned job) = 0;

 protected:
  ~arbiter_world() = default;
};

class CALLISTO_API arbiter {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  /// The most debt of a user, in nanoseconds.
  static constexpr std::uint64_t most_debt = 1'000'000'000;

  /// `core_of` as in cosched::divide().
  arbiter(std::vector<unsigned> core_of, const cosched::timing& delays, arbiter_world& world);

  /// Adds a job of `user`, which is any number that names an account; its weight among users is `weight`. Returns the
  /// job's number; nullopt if there is no room.
  std::optional<unsigned> join(std::uint64_t user, unsigned weight, cosched::job_demand demand, std::uint64_t now);
  /// Sets the weight of a user that has jobs; set_cores() then divides again.
  void set_weight(std::uint64_t user, unsigned weight) noexcept;
  /// Sets the most contexts that a user has at once, 0: no limit; set_cores() then divides again. Each job has one,
  /// also above the limit.
  void set_limit(unsigned contexts_of_user) noexcept { limit_ = contexts_of_user; }
  /// Divides these contexts from now on, as many as before; no_core: no job gets that one, and its job loses it.
  void set_cores(std::vector<unsigned> core_of, std::uint64_t now);
  /// Takes another demand of a job.
  void change(unsigned job, cosched::job_demand demand, std::uint64_t now);
  /// Removes a job. All its contexts are free.
  void leave(unsigned job, std::uint64_t now);

  /// Looks at the job's reply for a context, since the job has rung.
  void rung(unsigned job, unsigned context, std::uint64_t now);
  /// Decides for these contexts where time alone has changed something. Returns when to call it again at the latest;
  /// never: only if a job rings.
  std::uint64_t pass(stretch contexts, std::uint64_t now);
  /// Returns when that was or is to be.
  std::uint64_t due(stretch contexts) const noexcept;
  /// Returns all contexts.
  stretch all() const noexcept { return {0, static_cast<unsigned>(places_.size())}; }

  /// Excuses each job that was asked for one of these contexts, for this time: the broker itself woke that late.
  void excuse(stretch contexts, std::uint64_t nanoseconds, std::uint64_t now) noexcept;

  unsigned jobs() const noexcept { return job_count_; }
  unsigned users() const noexcept { return static_cast<unsigned>(users_.size()); }
  /// Returns the job that has a context; no_job: none.
  unsigned holder(unsigned context) const noexcept { return places_[context].state.runs; }
  /// Returns a user's debt in nanoseconds.
  std::uint64_t debt_of(std::uint64_t user) const noexcept;
  /// Returns how many contexts the job has.
  unsigned held_by(unsigned job) const noexcept;
  /// Where a job that has lost contexts without an answer, or that overruns, may still run.
  struct confinement {
    cosched::context_set contexts;  ///< those of its user that it has not lost, or else those of its user
    double time = 0;                ///< the most processor time, in contexts; 0: what the contexts allow
  };
  /// Returns where the job may run for now; nullopt: wherever it likes.
  std::optional<confinement> confinement_of(unsigned job) const noexcept;
  /// Says whether the job overruns: its process uses far more processor time than the job has contexts, as with threads
  /// that never ask. Such a job borrows nothing, and is confined to its user's contexts, with less time than its share:
  /// running without grants does not pay. It has short turns beside other jobs of its user.
  void set_overrun(unsigned job, bool overruns, std::uint64_t now);
  bool overruns(unsigned job) const noexcept { return members_[job].overruns; }
  /// True if a job of another user wants a context, or has one and work there.
  bool has_competitors(unsigned job) const;
  /// Returns how often a context was taken from a job that did not answer.
  std::uint64_t forced() const noexcept { return forced_; }

  /// Brings what the next two return up to `now`.
  void count(std::uint64_t now);
  /// Returns what the job has had since it joined.
  const usage& had_by(unsigned job) const noexcept { return members_[job].had; }
  /// Returns what the jobs that have ended had, by user.
  const std::map<std::uint64_t, usage>& had_before() const noexcept { return had_before_; }

 private:
  struct user {
    std::uint64_t account;
    unsigned weight;
    unsigned jobs = 0;
    std::uint64_t debt = 0;
  };
  struct member {
    bool used = false;
    unsigned overdue = 0;  ///< contexts that it has lost without an answer, and is blamed for
    bool overruns = false;
    bool unanswered = false;  ///< it did not answer when it was last to: the next time it is given less
    std::uint64_t account = 0;
    cosched::job_demand told{};    ///< what it has said
    cosched::job_demand demand{};  ///< what of that its user may have
    usage had{};
  };
  struct place {
    cosched::context_state state;
    wide_job_set wants;
    std::uint64_t asked_at = 0;
    std::uint64_t used_then = 0;         ///< the processor time, at the question, of the holder, or of `overdue`
    std::uint64_t due = never;           ///< when to decide again
    unsigned after = 0;                  ///< the job that was granted last: jobs without high priority take turns
    unsigned overdue = cosched::no_job;  ///< the job that lost the context without an answer, and has not given one yet
    std::uint64_t overdue_since = 0;
    bool blamed = false;                  ///< that job has run without an answer
    bool off = false;                     ///< it cannot run here: it owes an answer, and no time
    std::optional<std::uint64_t> debtor;  ///< the account that has its turn here, and waits for its debt
    std::uint64_t debtor_since = 0;
    bool watched = false;
    std::uint64_t counted_at = 0;  ///< members' `had` has all until then
  };
  /// The slices of a context as decide() sees them.
  struct view {
    const user_slices* slices;
    unsigned instead;  ///< the job that comes first since the user with the turn has debt; no_job: none
    unsigned holder(std::uint64_t now) const noexcept {
      return instead != cosched::no_job ? instead : slices->holder(now);
    }
    std::uint64_t until_turn(unsigned job, std::uint64_t now) const noexcept {
      if (instead == cosched::no_job) return slices->until_turn(job, now);
      // The job with the turn waits until its user's debt is paid.
      return instead == job ? 0 : slices->holder(now) == job ? never : slices->until_turn(job, now);
    }
  };

  user& user_of(unsigned job);
  void owe(unsigned job, std::uint64_t nanoseconds);
  void divide_again(std::uint64_t now);
  void set_demands(std::uint64_t now);
  cosched::context_set allowed_for(std::uint64_t account, std::vector<unsigned>& chosen) const;
  void demand_of(unsigned job, const cosched::job_demand& next, std::uint64_t now);
  void settle(unsigned context, std::uint64_t now);
  void note_request(unsigned job, unsigned context);
  void read_holder(unsigned context, std::uint64_t now);
  void read_overdue(unsigned context, std::uint64_t now);
  void forgive(unsigned context);
  bool may_borrow(unsigned job, unsigned context) const noexcept;
  std::uint64_t grace_of(unsigned job) const noexcept;
  bool has_run(unsigned job, std::uint64_t used_then);
  void blame(unsigned context);
  void wake_sleeping_owner(unsigned context, std::uint64_t now);
  view view_of(unsigned context, std::uint64_t now);
  bool decide_for(unsigned job, unsigned context, const view& slices, bool& asks, std::uint64_t now);
  void let_others_decide(unsigned context, const view& slices, unsigned top, bool& asks, std::uint64_t now);
  void grant(unsigned job, unsigned context, std::uint64_t now);
  void revoke(unsigned context, std::uint64_t now, bool unasked = true);
  void tell_all();
  void count(unsigned context, std::uint64_t now);

  std::vector<unsigned> core_of_;
  const cosched::timing delays_;
  arbiter_world& world_;
  std::vector<user> users_;
  std::array<member, most_jobs> members_{};
  std::vector<std::vector<offer>> said_;  ///< by job, by context
  std::vector<place> places_;
  division divided_;
  std::optional<division> divided_by_weight_;  ///< where a job overruns: the division without regard to that
  unsigned job_count_ = 0;
  unsigned limit_ = 0;
  std::uint64_t forced_ = 0;
  std::map<std::uint64_t, usage> had_before_;
};

}  // namespace callisto::broker
