// Applies decide() for each job that wants a context, in the order of their priority.
#include <callisto/broker/arbiter.hpp>

#include <algorithm>
#include <utility>

namespace callisto::broker {

using cosched::context_state;
using cosched::decision;
using cosched::job_demand;
using cosched::no_job;

namespace {

/// How many times as long as by their weights the turns of a job are beside a job of the same user that overruns. That
/// job's threads spend its quota in other jobs' turns as well, and no job would run for the rest of its turns.
constexpr unsigned turns_beside_overrun = 8;

}  // namespace

arbiter::arbiter(std::vector<unsigned> core_of, const cosched::timing& delays, arbiter_world& world)
    : core_of_(std::move(core_of)), delays_(delays), world_(world), said_(most_jobs), places_(core_of_.size()) {
  divided_ = divide_among_users(core_of_, {}, {});
}

std::optional<unsigned> arbiter::join(std::uint64_t account, unsigned weight, job_demand demand, std::uint64_t now) {
  unsigned job = 0;
  while (job < most_jobs && (members_[job].used || job == no_job)) ++job;
  if (job == most_jobs) return std::nullopt;
  demand.job = job;
  members_[job] = {.used = true, .account = account, .told = demand, .demand = demand};
  said_[job].assign(places_.size(), {});
  const auto its = std::ranges::find(users_, account, &user::account);
  if (its == users_.end()) {
    users_.push_back({.account = account, .weight = weight, .jobs = 1});
  } else {
    its->weight = weight;
    ++its->jobs;
  }
  ++job_count_;
  divide_again(now);
  return job;
}

void arbiter::change(unsigned job, job_demand demand, std::uint64_t now) {
  demand.job = job;
  members_[job].told = demand;
  divide_again(now);
}

/// Takes a demand of a job. It loses contexts that it demands no more.
void arbiter::demand_of(unsigned job, const job_demand& next, std::uint64_t now) {
  const cosched::context_set before = std::exchange(members_[job].demand, next).contexts;
  if (before == next.contexts) return;
  for (unsigned c = 0; c < places_.size(); ++c) {
    if (next.contexts.has(c)) {
      // A request from the time in which it could not run there.
      if (!before.has(c) && core_of_[c] != cosched::no_core && places_[c].state.runs != job) note_request(job, c);
      continue;
    }
    places_[c].wants.remove(job);
    if (places_[c].overdue == job) forgive(c);
    if (places_[c].state.runs == job) revoke(c, now);
    if (before.has(c)) world_.tell_share(job, c, 0);
  }
}

/// Returns the contexts of a user under a limit: those that the fewest users have been given, and adds them there.
cosched::context_set arbiter::allowed_for(std::uint64_t account, std::vector<unsigned>& chosen) const {
  cosched::context_set all;
  for (const member& m : members_) {
    if (!m.used || m.account != account) continue;
    for (unsigned i = 0; i < cosched::context_set::words; ++i) all.word(i) |= m.told.contexts.word(i);
  }
  std::vector<unsigned> candidates;
  for (unsigned c = 0; c < places_.size(); ++c) {
    if (core_of_[c] != cosched::no_core && all.has(c)) candidates.push_back(c);
  }
  // Contexts of a core stay together.
  std::ranges::stable_sort(candidates, {}, [&](unsigned c) { return std::pair(chosen[c], core_of_[c]); });
  candidates.resize(std::min<std::size_t>(candidates.size(), limit_));
  cosched::context_set allowed;
  for (const unsigned c : candidates) {
    allowed.add(c);
    ++chosen[c];
  }
  return allowed;
}

void arbiter::set_demands(std::uint64_t now) {
  std::vector<unsigned> chosen(places_.size(), 0);
  for (const user& u : users_) {
    const auto allowed = limit_ == 0 ? std::nullopt : std::optional(allowed_for(u.account, chosen));
    for (unsigned j = 0; j < most_jobs; ++j) {
      const member& m = members_[j];
      if (!m.used || m.account != u.account) continue;
      job_demand next = m.told;
      for (unsigned i = 0; allowed && i < cosched::context_set::words; ++i) {
        next.contexts.word(i) &= allowed->word(i);
      }
      for (unsigned c = 0; next.contexts.empty() && c < places_.size(); ++c) {
        if (m.told.contexts.has(c)) next.contexts.add(c);
      }
      demand_of(j, next, now);
    }
  }
}

void arbiter::set_weight(std::uint64_t account, unsigned weight) noexcept {
  const auto its = std::ranges::find(users_, account, &user::account);
  if (its != users_.end()) its->weight = weight;
}

void arbiter::set_cores(std::vector<unsigned> core_of, std::uint64_t now) {
  for (unsigned c = 0; c < places_.size(); ++c) {
    place& p = places_[c];
    if (core_of[c] != cosched::no_core) {
      // Requests of the time in which no job could have it.
      for (unsigned j = 0; core_of_[c] == cosched::no_core && j < most_jobs; ++j) {
        if (members_[j].used) note_request(j, c);
      }
      continue;
    }
    if (p.state.runs != no_job) revoke(c, now);
    if (p.overdue != no_job) forgive(c);
    p = place();
    p.state.since = context_state::stamp(now);
    p.counted_at = now;
  }
  core_of_ = std::move(core_of);
  divide_again(now);
}

void arbiter::leave(unsigned job, std::uint64_t now) {
  count(now);
  had_before_[members_[job].account] += members_[job].had;
  for (unsigned c = 0; c < places_.size(); ++c) {
    place& p = places_[c];
    p.wants.remove(job);
    if (p.overdue == job) forgive(c);
    if (p.state.runs == job) p.state = {.since = context_state::stamp(now)};
  }
  // A user without jobs keeps its debt as long as other jobs are there.
  --user_of(job).jobs;
  members_[job].used = false;
  --job_count_;
  std::erase_if(users_, [this](const user& u) { return u.jobs == 0 && (u.debt == 0 || job_count_ == 0); });
  divide_again(now);
}

void arbiter::divide_again(std::uint64_t now) {
  set_demands(now);
  std::vector<demand_of_user> demands;
  std::vector<unsigned> weights;
  bool any_overruns = false;
  for (const user& u : users_) weights.push_back(u.weight);
  for (const member& m : members_) {
    if (!m.used || m.demand.contexts.empty()) continue;
    const auto its = std::ranges::find(users_, m.account, &user::account);
    demands.push_back({.user = static_cast<unsigned>(its - users_.begin()), .of = m.demand});
    any_overruns |= m.overruns;
  }
  count(now);
  divided_by_weight_.reset();
  if (any_overruns) {
    divided_by_weight_ = divide_among_users(core_of_, weights, demands);
    for (demand_of_user& d : demands) {
      if (!members_[d.of.job].overruns) d.of.weight *= turns_beside_overrun;
    }
  }
  divided_ = divide_among_users(core_of_, weights, demands);
  tell_all();
  for (unsigned c = 0; c < places_.size(); ++c) {
    if (core_of_[c] != cosched::no_core) settle(c, now);
  }
}

void arbiter::tell_all() {
  for (unsigned j = 0; j < most_jobs; ++j) {
    if (!members_[j].used) continue;
    for (unsigned c = 0; c < places_.size(); ++c) {
      if (members_[j].demand.contexts.has(c)) world_.tell_share(j, c, divided_.high[c].share_of(j));
    }
    world_.tell_change(j, divided_.main[j], job_count_ <= 1);
  }
}

void arbiter::count(std::uint64_t now) {
  for (unsigned c = 0; c < places_.size(); ++c) count(c, now);
}

/// Adds the time since the last call to what jobs have had: before a context passes on, and before a new division.
void arbiter::count(unsigned context, std::uint64_t now) {
  place& p = places_[context];
  const std::uint64_t from = std::exchange(p.counted_at, now);
  if (p.state.runs == no_job || now <= from) return;
  const user_slices& slices = divided_.high[context];
  usage& its = members_[p.state.runs].had;
  its.had += now - from;
  if (now - from <= cosched::sharing_limits::longest_round) {
    // So short a time has fewer slices than there are jobs.
    std::uint64_t own = 0;
    for (std::uint64_t at = from; at < now;) {
      const std::uint64_t part = std::min(now - at, slices.until_change(at));
      const unsigned turn = slices.holder(at);
      if (turn == p.state.runs) {
        own += part;
      } else if (turn != no_job) {
        members_[turn].had.lent += part;
      }
      at += part;
    }
    its.borrowed += now - from - own;
    return;
  }
  const auto own = [&](unsigned job) { return slices.time_of(job, now) - slices.time_of(job, from); };
  its.borrowed += now - from - own(p.state.runs);
  slices.for_each_job([&](unsigned j) {
    if (j != p.state.runs) members_[j].had.lent += own(j);
  });
}

arbiter::user& arbiter::user_of(unsigned job) {
  return *std::ranges::find(users_, members_[job].account, &user::account);
}

unsigned arbiter::held_by(unsigned job) const noexcept {
  return static_cast<unsigned>(std::ranges::count_if(places_, [job](const place& p) { return p.state.runs == job; }));
}

void arbiter::rung(unsigned job, unsigned context, std::uint64_t now) {
  if (context >= places_.size() || core_of_[context] == cosched::no_core || !members_[job].used) return;
  if (places_[context].state.runs != job) note_request(job, context);
  settle(context, now);
}

/// Reads whether a job that does not have the context wants it.
void arbiter::note_request(unsigned job, unsigned context) {
  const reply r = world_.look(job, context);
  if (r.number != said_[job][context].number) return;
  if (r.wants && members_[job].demand.contexts.has(context)) {
    places_[context].wants.add(job);
  } else {
    places_[context].wants.remove(job);
  }
}

std::uint64_t arbiter::pass(stretch contexts, std::uint64_t now) {
  for (unsigned c = contexts.first; c < contexts.last; ++c) {
    if (places_[c].due <= now) settle(c, now);
  }
  return due(contexts);
}

std::uint64_t arbiter::due(stretch contexts) const noexcept {
  std::uint64_t next = never;
  for (unsigned c = contexts.first; c < contexts.last; ++c) next = std::min(next, places_[c].due);
  return next;
}

void arbiter::read_holder(unsigned context, std::uint64_t now) {
  place& p = places_[context];
  const unsigned job = p.state.runs;
  if (job == no_job) return;
  const reply r = world_.look(job, context);
  if (holds_it(said_[job][context], r)) {
    if (r.idle == p.state.idle) return;
    p.state.idle = r.idle;
    p.state.since = context_state::stamp(r.idle ? now - std::min(r.idle_for(now), delays_.h_high) : now);
    return;
  }
  if (p.state.asked && now - p.asked_at > delays_.p_low) owe(job, now - p.asked_at - delays_.p_low);
  if (p.state.asked) members_[job].unanswered = false;
  const bool still_wants = r.wants && r.number == said_[job][context].number;
  revoke(context, now, false);
  if (still_wants) p.wants.add(job);
}

/// A main thread that slept while its context was lent may wake up in code that cannot ask: asks for it.
void arbiter::wake_sleeping_owner(unsigned context, std::uint64_t now) {
  place& p = places_[context];
  const unsigned top = divided_.high[context].holder(now);
  if (top == no_job || p.state.runs == no_job || p.state.runs == top || has(p.wants, top)) return;
  if (divided_.main[top] != context || world_.dormant(top)) return;
  // Only what it once held and lost in its sleep: a reply that is busy with an earlier number.
  const reply r = world_.look(top, context);
  if (r.wants && !r.back) p.wants.add(top);
}

arbiter::view arbiter::view_of(unsigned context, std::uint64_t now) {
  place& p = places_[context];
  const user_slices& slices = divided_.high[context];
  // The time that other users got since the last look pays the debt.
  if (p.debtor) {
    const auto its = std::ranges::find(users_, *p.debtor, &user::account);
    if (its != users_.end() && p.state.runs != no_job && members_[p.state.runs].account != *p.debtor) {
      its->debt -= std::min(its->debt, now - p.debtor_since);
    }
    p.debtor.reset();
  }
  const unsigned top = slices.holder(now);
  if (top == no_job || user_of(top).debt == 0) return {&slices, no_job};
  unsigned instead = no_job;
  const std::uint64_t account = members_[top].account;
  const auto may = [&](unsigned j) { return members_[j].account != account && user_of(j).debt == 0; };
  if (p.state.runs != no_job && !p.state.idle && may(p.state.runs)) instead = p.state.runs;
  p.wants.for_each([&](unsigned j) {
    if (instead == no_job && may(j)) instead = j;
  });
  if (instead == no_job) return {&slices, no_job};
  p.debtor = account;
  p.debtor_since = now;
  p.due = std::min(p.due, now + std::max(delays_.p_low, user_of(top).debt));
  return {&slices, instead};
}

void arbiter::settle(unsigned context, std::uint64_t now) {
  place& p = places_[context];
  p.due = never;
  read_overdue(context, now);
  read_holder(context, now);
  wake_sleeping_owner(context, now);
  const view slices = view_of(context, now);
  bool asks = false;
  const unsigned top = slices.holder(now);
  if (top != no_job && has(p.wants, top)) decide_for(top, context, slices, asks, now);
  let_others_decide(context, slices, top, asks, now);
  // A job that has lost the context and runs on there has it again, if no other job wants it.
  if (p.overdue != no_job && p.state.runs == no_job && may_borrow(p.overdue, context)) grant(p.overdue, context, now);
  if (p.overdue != no_job) p.due = std::min(p.due, now + delays_.grace());
  const unsigned runs = p.state.runs;
  if (runs == no_job) return;
  // The owner may be asleep, and wake up.
  if (top != no_job && top != runs && !has(p.wants, top)) p.due = std::min(p.due, now + delays_.h_high);
  if (p.state.asked && !asks) {
    p.state.asked = false;
    said_[runs][context].asked = false;
    world_.say(runs, context, said_[runs][context], false);
  }
  if (p.watched != !p.wants.empty()) {
    p.watched = !p.watched;
    world_.watch(runs, context, p.watched);
  }
}

/// Decides for the jobs without high priority. The job with the next number after the last holder's comes first. Since
/// decide() answers the same for each of these jobs, the next job is asked only if the first has got the context.
void arbiter::let_others_decide(unsigned context, const view& slices, unsigned top, bool& asks, std::uint64_t now) {
  place& p = places_[context];
  const unsigned behind = p.after + 1;
  bool more = true;
  const auto from_to = [&](unsigned from, unsigned to) {
    for (unsigned j = p.wants.first_from(from); more && j < to; j = p.wants.first_from(j + 1)) {
      if (j != top && may_borrow(j, context)) more = decide_for(j, context, slices, asks, now);
    }
  };
  from_to(behind, most_jobs);
  from_to(0, behind);
  // A turn of one of them may begin.
  const std::uint64_t left = slices.slices->until_change(now);
  if (!p.wants.empty() && left != user_slices::never) p.due = std::min(p.due, now + std::max<std::uint64_t>(1, left));
}

/// Does what decide() says for a job that wants the context. True if the job has it now.
bool arbiter::decide_for(unsigned job, unsigned context, const view& slices, bool& asks, std::uint64_t now) {
  place& p = places_[context];
  if (p.state.runs == job) return true;
  if (!may_borrow(job, context)) return false;
  decision next = cosched::decide(job, p.state, slices, p.wants, 1, now, delays_);
  using move = decision::move;
  if (next.what == move::ask) {
    const unsigned runs = p.state.runs;
    asks = true;
    if (!p.state.asked) {
      p.state.asked = true;
      p.asked_at = now;
      p.used_then = world_.processor_time(runs);
      said_[runs][context].asked = true;
      world_.say(runs, context, said_[runs][context], false);
    } else if (now - p.asked_at >= grace_of(runs)) {
      const bool has_run_since = has_run(runs, p.used_then);
      if (has_run_since) owe(runs, now - p.asked_at);
      if (p.overdue != no_job) forgive(context);
      p.overdue = runs;
      p.overdue_since = now;
      p.blamed = p.off = false;
      ++forced_;
      ++members_[runs].had.forced;
      revoke(context, now);
      if (has_run_since) blame(context);
      next.what = move::take;
    }
  } else if (next.what == move::check_alive && world_.dormant(next.job)) {
    // A job that sleeps wants nothing. It asks again when it wakes.
    if (next.job == p.state.runs) revoke(context, now);
    p.wants.remove(next.job);
    next.what = move::take;
  }
  if (next.what == move::take) {
    if (p.state.runs != no_job) revoke(context, now);
    grant(job, context, now);
    return true;
  }
  p.due = std::min(p.due, now + std::max<std::uint64_t>(1, next.nanoseconds));
  return false;
}

void arbiter::grant(unsigned job, unsigned context, std::uint64_t now) {
  place& p = places_[context];
  count(context, now);
  if (p.overdue == job) forgive(context);
  p.wants.remove(job);
  p.state = {.runs = job, .since = context_state::stamp(now)};
  p.after = job;
  p.watched = !p.wants.empty();
  offer& o = said_[job][context];
  o = {.number = o.next(), .granted = true};
  world_.watch(job, context, p.watched);
  world_.say(job, context, o, true);
}

/// Takes a context from its job. A job that has not said that it leaves may be about to give the context back, and to
/// sleep with a request for the old number: wakes it, so that it asks anew.
void arbiter::revoke(unsigned context, std::uint64_t now, bool unasked) {
  place& p = places_[context];
  count(context, now);
  offer& o = said_[p.state.runs][context];
  o = {.number = o.next()};
  world_.say(p.state.runs, context, o, unasked);
  p.state = {.since = context_state::stamp(now)};
}

}  // namespace callisto::broker
