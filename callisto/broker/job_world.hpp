// The outside of a broker's arbiter: the pages of jobs, and their processes.
#pragma once

#include <callisto/broker/arbiter.hpp>
#include <callisto/broker/connection.hpp>
#include <callisto/broker/enforcer.hpp>
#include <callisto/broker/resting_jobs.hpp>
#include <callisto/cosched/timing.hpp>

#include <array>
#include <cstdint>
#include <map>

namespace callisto::broker {

/// One thread at a time uses it, as its arbiter.
class job_world final : public arbiter_world {
 public:
  using accounts_by_number = std::map<std::uint64_t, account_state>;

  /// All arguments outlive the object; `decides` may be made later.
  job_world(enforcer& enforces, const arbiter& decides, accounts_by_number& of_account, const cosched::timing& delays)
      : enforces_(enforces), decides_(decides), of_account_(of_account), delays_(delays) {}

  reply look(unsigned job, unsigned context) override { return side(job, context).look(); }
  void say(unsigned job, unsigned context, const offer& what, bool wakes) override;
  void watch(unsigned job, unsigned context, bool on) override { side(job, context).watch(on); }
  void tell_share(unsigned job, unsigned context, double share) override;
  void tell_change(unsigned job, unsigned main, bool alone) override;
  bool keep_off(unsigned job, unsigned context) override;
  void give_back(unsigned job, unsigned context) override { enforces_.give_back(offender_of(job), context); }
  void confine(unsigned job) override { enforces_.confine_if_possible(offender_of(job)); }
  bool dormant(unsigned job) override;
  std::uint64_t processor_time(unsigned job) override;
  bool could_run(unsigned job) override;
  /// Takes a look at whether the job overruns, after count() of the arbiter.
  bool overruns(unsigned job, std::uint64_t now);

  std::array<connection*, most_jobs> by_number{};
  std::array<rest_of_job, most_jobs> rests{};

 private:
  pair_of_pages& pages_of(unsigned job) { return by_number[job]->pages->pages; }
  broker_side<native> side(unsigned job, unsigned context) {
    const pair_of_pages& p = pages_of(job);
    return {p.offer(context), p.reply(context)};
  }
  offender offender_of(unsigned job) const;

  enforcer& enforces_;
  const arbiter& decides_;
  accounts_by_number& of_account_;
  const cosched::timing& delays_;
};

}  // namespace callisto::broker
