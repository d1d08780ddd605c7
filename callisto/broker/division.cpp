// Divides twice: users on all cores, then each user's jobs on the cores where the user has a part.
#include <callisto/broker/division.hpp>

#include <algorithm>
#include <utility>

namespace callisto::broker {
namespace {

using cosched::context_assignment;
using cosched::job_demand;

/// Returns each user that has a job as one job, with all contexts of its jobs.
std::vector<job_demand> users_as_jobs(std::span<const unsigned> weights, std::span<const demand_of_user> jobs) {
  std::vector<job_demand> users;
  for (unsigned u = 0; u < weights.size(); ++u) {
    job_demand one{.job = u, .weight = weights[u], .contexts = {}, .main = job_demand::anywhere, .wants_main = false};
    bool has_jobs = false;
    for (const demand_of_user& j : jobs) {
      if (j.user != u) continue;
      has_jobs = true;
      for (unsigned i = 0; i < cosched::context_set::words; ++i) one.contexts.word(i) |= j.of.contexts.word(i);
      if (j.of.wants_main && one.main == job_demand::anywhere) one.main = j.of.main;
      one.wants_main |= j.of.wants_main;
    }
    if (has_jobs) users.push_back(one);
  }
  return users;
}

}  // namespace

division divide_among_users(const std::vector<unsigned>& core_of, std::span<const unsigned> weights,
                            std::span<const demand_of_user> jobs) {
  division d;
  d.main.assign(most_jobs, division::no_context);
  d.jobs = jobs.size();
  const std::vector<job_demand> users = users_as_jobs(weights, jobs);
  const context_assignment outer = cosched::divide(core_of, users);
  std::vector<std::vector<std::pair<unsigned, cosched::time_slices>>> inside(outer.high.size());
  for (const job_demand& user : users) {
    std::vector<unsigned> cores(outer.high.size(), cosched::no_core);
    for (unsigned c = 0; c < cores.size(); ++c) {
      if (outer.high[c].has(user.job)) cores[c] = core_of[c];
    }
    std::vector<job_demand> its;
    for (const demand_of_user& j : jobs) {
      if (j.user == user.job) its.push_back(j.of);
    }
    const context_assignment inner = cosched::divide(cores, its);
    for (const job_demand& j : its) d.main[j.job] = inner.main[j.job];
    for (unsigned c = 0; c < cores.size(); ++c) {
      if (cores[c] != cosched::no_core) inside[c].emplace_back(user.job, inner.high[c]);
    }
  }
  d.high.reserve(outer.high.size());
  for (unsigned c = 0; c < outer.high.size(); ++c) d.high.emplace_back(outer.high[c], std::move(inside[c]));
  return d;
}

}  // namespace callisto::broker
