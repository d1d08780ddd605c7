// Debt of jobs that did not answer or overrun, and the contexts on which these may run meanwhile.
#include <callisto/broker/arbiter.hpp>

#include <algorithm>
#include <utility>

namespace callisto::broker {

using cosched::no_job;

namespace {

/// The processor time of a job that has lost all of its user's contexts, in contexts.
constexpr double time_of_lost = 0.02;
/// The part of its share of processor time that a job has which overruns: its threads also run in other jobs' turns.
constexpr double part_of_overrun = 2.0 / 3;

}  // namespace

std::uint64_t arbiter::debt_of(std::uint64_t account) const noexcept {
  const auto its = std::ranges::find(users_, account, &user::account);
  return its == users_.end() ? 0 : its->debt;
}

void arbiter::excuse(stretch contexts, std::uint64_t nanoseconds, std::uint64_t now) noexcept {
  for (unsigned c = contexts.first; c < contexts.last; ++c) {
    place& p = places_[c];
    if (p.state.asked) p.asked_at = std::min(now, p.asked_at + nanoseconds);
    if (p.overdue != no_job) p.overdue_since = std::min(now, p.overdue_since + nanoseconds);
  }
}

void arbiter::owe(unsigned job, std::uint64_t nanoseconds) {
  user& its = user_of(job);
  its.debt = std::min(its.debt + nanoseconds, most_debt);
}

/// Counts what a job keeps that was asked, did not answer, and runs on.
void arbiter::read_overdue(unsigned context, std::uint64_t now) {
  place& p = places_[context];
  if (p.overdue == no_job) return;
  const reply r = world_.look(p.overdue, context);
  if (p.blamed && !p.off) owe(p.overdue, now - p.overdue_since);
  p.overdue_since = now;
  // A request for a later number, or a word that the old number is given back, is its answer.
  if (r.number == said_[p.overdue][context].number || r.back || !r.wants) {
    members_[p.overdue].unanswered = false;
    forgive(context);
  } else if (!p.blamed && has_run(p.overdue, p.used_then)) {
    blame(context);
  }
}

void arbiter::set_overrun(unsigned job, bool overruns, std::uint64_t now) {
  member& its = members_[job];
  if (its.overruns == overruns) return;
  its.overruns = overruns;
  if (overruns) {
    ++forced_;
    ++its.had.forced;
  }
  divide_again(now);
  world_.confine(job);
}

bool arbiter::has_competitors(unsigned job) const {
  const auto competes = [&](unsigned j) { return members_[j].account != members_[job].account; };
  for (unsigned c = 0; c < places_.size(); ++c) {
    const place& p = places_[c];
    for (unsigned j = p.wants.first_from(0); j < most_jobs; j = p.wants.first_from(j + 1)) {
      if (competes(j)) return true;
    }
    // A holder that idles without a ring: its reply says so.
    if (p.state.runs != no_job && competes(p.state.runs) && !world_.look(p.state.runs, c).idle) return true;
  }
  return false;
}

void arbiter::forgive(unsigned context) {
  const unsigned job = std::exchange(places_[context].overdue, no_job);
  if (!std::exchange(places_[context].blamed, false)) return;
  --members_[job].overdue;
  world_.give_back(job, context);
  if (members_[job].overdue != 0) return;
  // It may borrow again: pass() decides where it has asked meanwhile.
  for (place& p : places_) {
    if (has(p.wants, job)) p.due = 0;
  }
}

std::optional<arbiter::confinement> arbiter::confinement_of(unsigned job) const noexcept {
  const member& its = members_[job];
  if (!its.used || (its.overdue == 0 && !its.overruns)) return std::nullopt;
  const division& shares = divided_by_weight_ ? *divided_by_weight_ : divided_;
  confinement left;
  confinement lost;
  double share = 0;
  for (unsigned c = 0; c < places_.size(); ++c) {
    if (core_of_[c] == cosched::no_core || !its.demand.contexts.has(c)) continue;
    const bool of_user = divided_.high[c].any_job([&](unsigned j) { return members_[j].account == its.account; });
    const bool borrowed = places_[c].state.runs == job && !its.overruns;
    if (of_user || borrowed) (places_[c].overdue == job ? lost : left).contexts.add(c);
    share += shares.high[c].share_of(job);
  }
  if (its.overruns) left.time = std::max(time_of_lost, share * part_of_overrun);
  if (!left.contexts.empty()) return left;
  // The quota of a job that overruns stays: each change of a quota gives the whole of it anew.
  lost.time = its.overruns ? left.time : time_of_lost;
  if (lost.contexts.empty()) lost.contexts = its.demand.contexts;
  return lost;
}

/// Returns how long the job may take to answer: not as long again if it has not answered before.
std::uint64_t arbiter::grace_of(unsigned job) const noexcept {
  return members_[job].unanswered ? delays_.p_low : delays_.grace();
}

/// True if the job has had a chance to answer. A busy machine may keep all its threads off their processors.
bool arbiter::has_run(unsigned job, std::uint64_t used_then) {
  const std::uint64_t used = world_.processor_time(job);
  return used == 0 || used - used_then >= delays_.p_low || !world_.could_run(job);
}

/// Has a job that did not answer leave the context.
void arbiter::blame(unsigned context) {
  place& p = places_[context];
  p.blamed = true;
  members_[p.overdue].unanswered = true;
  ++members_[p.overdue].overdue;
  p.off = world_.keep_off(p.overdue, context);
}

/// True if the job may have a context of other users: a job that owes an answer may not.
bool arbiter::may_borrow(unsigned job, unsigned context) const noexcept {
  return (members_[job].overdue == 0 && !members_[job].overruns) ||
         divided_.high[context].any_job([&](unsigned j) { return members_[j].account == members_[job].account; });
}

}  // namespace callisto::broker
