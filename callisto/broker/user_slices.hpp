// Time slices in two steps: users take turns on a context, and within a user's turns its jobs do.
//
// A user's jobs divide the clock that runs only in the user's turns. So a user with many jobs has no more of a context
// than a user with one, however long the least slice of a job is.
#pragma once

#include <callisto/cosched/time_slices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::broker {

class user_slices {
 public:
  static constexpr std::uint64_t never = cosched::time_slices::never;

  user_slices() = default;
  /// `users` are the turns of users, by the index of the user in `jobs_of_user`.
  user_slices(cosched::time_slices users, std::vector<std::pair<unsigned, cosched::time_slices>> jobs_of_user)
      : users_(std::move(users)), inside_(std::move(jobs_of_user)) {}

  bool empty() const noexcept { return inside_.empty(); }
  /// Returns how many jobs take turns here.
  std::size_t size() const noexcept {
    std::size_t n = 0;
    for (const auto& [user, jobs] : inside_) n += jobs.size();
    return n;
  }
  bool has(unsigned job) const noexcept { return of(job) != nullptr; }

  /// Returns the job with high priority at `now`; no_job if there are no time slices.
  unsigned holder(std::uint64_t now) const noexcept {
    const unsigned user = users_.holder(now);
    for (const auto& [its, jobs] : inside_) {
      if (its == user) return jobs.holder(users_.time_of(user, now));
    }
    return cosched::no_job;
  }

  /// Returns the nanoseconds until another job may have high priority; `never` if there is no other.
  std::uint64_t until_change(std::uint64_t now) const noexcept {
    const unsigned user = users_.holder(now);
    std::uint64_t next = users_.until_change(now);
    for (const auto& [its, jobs] : inside_) {
      if (its == user) next = std::min(next, jobs.until_change(users_.time_of(user, now)));
    }
    return next;
  }

  /// Returns the nanoseconds until the time slice of `job` begins: 0 if it has begun; `never` if there is none.
  std::uint64_t until_turn(unsigned job, std::uint64_t now) const noexcept {
    if (holder(now) == job) return 0;
    const auto* const its = of(job);
    if (its == nullptr) return never;
    const std::uint64_t own = users_.time_of(its->first, now);
    const std::uint64_t wait = its->second.until_turn(job, own);
    if (wait == never) return never;
    const std::uint64_t at = users_.when(its->first, own + wait);
    return at > now ? at - now : 1;
  }

  /// Returns the nanoseconds for which `job` has had high priority by `now`, since some beginning.
  std::uint64_t time_of(unsigned job, std::uint64_t now) const noexcept {
    const auto* const its = of(job);
    return its == nullptr ? 0 : its->second.time_of(job, users_.time_of(its->first, now));
  }
  /// True if f(job) is true for any job that takes turns here.
  template <class F>
  bool any_job(F f) const {
    bool any = false;
    for_each_job([&](unsigned job) { any = any || f(job); });
    return any;
  }
  /// Calls f(job) for each job that takes turns here.
  template <class F>
  void for_each_job(F f) const {
    for (const auto& [user, jobs] : inside_) jobs.for_each_job(f);
  }

  /// Returns the part of the time for which `job` has high priority.
  double share_of(unsigned job) const noexcept {
    const auto* const its = of(job);
    return its == nullptr ? 0 : users_.share_of(its->first) * its->second.share_of(job);
  }

 private:
  using jobs_of_one = std::pair<unsigned, cosched::time_slices>;
  const jobs_of_one* of(unsigned job) const noexcept {
    for (const jobs_of_one& its : inside_) {
      if (its.second.has(job)) return &its;
    }
    return nullptr;
  }

  cosched::time_slices users_;
  std::vector<jobs_of_one> inside_;
};

}  // namespace callisto::broker
