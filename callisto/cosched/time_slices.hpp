// The jobs that have high priority on one hardware context, and when each has it.
//
// In the paper a context has one job with high priority, and each job has a context for its main thread (EuroSys 2014,
// section 2.1). With more jobs than contexts both cannot hold. The jobs of a context then take turns by a clock that
// all of them read. So the turns need no word in the table and no message, and no other job loses anything by a job
// that dies.
#pragma once

#include <callisto/cosched/limits.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

namespace callisto::cosched {

/// The most jobs of one table. A job's number is that of its slot, and below max_jobs.
inline constexpr unsigned max_jobs = 64;
inline constexpr unsigned no_job = 255;

/// A set of jobs: bit j is job j.
using job_set = std::uint64_t;
constexpr job_set only(unsigned job) noexcept {
  assert(job < max_jobs);
  return job_set{1} << job;
}
constexpr bool has(job_set jobs, unsigned job) noexcept { return (jobs & only(job)) != 0; }
constexpr unsigned size_of(job_set jobs) noexcept { return static_cast<unsigned>(std::popcount(jobs)); }

class time_slices {
 public:
  using allocator_type = std::pmr::polymorphic_allocator<>;
  time_slices() = default;
  explicit time_slices(const allocator_type& from) : members_(from) {}
  time_slices(const time_slices& other, const allocator_type& from = {}) : members_(other.members_, from) {}
  time_slices(time_slices&& other) noexcept = default;
  time_slices(time_slices&& other, const allocator_type& from) : members_(std::move(other.members_), from) {}
  time_slices& operator=(const time_slices&) = default;
  time_slices& operator=(time_slices&&) = default;
  ~time_slices() = default;

  /// Adds a job; at most once each.
  void add(unsigned job, unsigned weight) {
    members_.push_back({job, std::max(1u, weight), 0});
    set_turns();
  }

  bool empty() const noexcept { return members_.empty(); }
  std::size_t size() const noexcept { return members_.size(); }
  bool has(unsigned job) const noexcept {
    for (const member& m : members_) {
      if (m.job == job) return true;
    }
    return false;
  }

  /// Calls f(job) for each job that has a time slice here.
  template <class F>
  void for_each_job(F f) const {
    for (const member& m : members_) f(m.job);
  }

  /// Returns the part of the time for which `job` has high priority; 0 if it has no time slice here.
  double share_of(unsigned job) const noexcept {
    for (const member& m : members_) {
      if (m.job == job) return static_cast<double>(m.turn) / static_cast<double>(round());
    }
    return 0;
  }

  /// Returns the job with high priority at `now`, in nanoseconds; no_job if there are no time slices.
  unsigned holder(std::uint64_t now) const noexcept {
    if (members_.size() <= 1) return members_.empty() ? no_job : members_.front().job;
    std::uint64_t at = now % round();
    for (const member& m : members_) {
      if (at < m.turn) return m.job;
      at -= m.turn;
    }
    return members_.back().job;  // rounding down leaves a rest of the round
  }

  /// Returns the nanoseconds until another job has high priority; `never` if there is no other.
  std::uint64_t until_change(std::uint64_t now) const noexcept {
    if (members_.size() <= 1) return never;
    std::uint64_t at = now % round();
    for (const member& m : members_) {
      if (at < m.turn) return m.turn - at;
      at -= m.turn;
    }
    return round() - now % round();
  }

  /// Returns the nanoseconds until the time slice of `job` begins: 0 if it has begun; `never` if there is none.
  std::uint64_t until_turn(unsigned job, std::uint64_t now) const noexcept {
    if (holder(now) == job) return 0;
    const std::uint64_t at = now % round();
    std::uint64_t begin = 0;
    for (const member& m : members_) {
      if (m.job == job) return begin > at ? begin - at : begin + round() - at;
      begin += m.turn;
    }
    return never;
  }
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// Returns the nanoseconds that the time slices of `job` have lasted by `now`: the clock that runs only in its
  /// slices.
  std::uint64_t time_of(unsigned job, std::uint64_t now) const noexcept {
    std::uint64_t begin = 0;
    for (const member& m : members_) {
      if (m.job == job) {
        const std::uint64_t at = now % round();
        return now / round() * m.turn + (at < begin ? 0 : std::min(at - begin, m.turn));
      }
      begin += m.turn;
    }
    return 0;
  }
  /// Returns when the slices of `job` will have lasted `time`, at the earliest moment that is in a slice; `never` if
  /// there is none.
  std::uint64_t when(unsigned job, std::uint64_t time) const noexcept {
    std::uint64_t begin = 0;
    for (const member& m : members_) {
      if (m.job == job) return time / m.turn * round() + begin + time % m.turn;
      begin += m.turn;
    }
    return never;
  }

 private:
  struct member {
    unsigned job;
    unsigned weight;
    std::uint64_t turn;  ///< nanoseconds of a round
  };

  std::uint64_t round() const noexcept {
    const std::uint64_t all = sharing_limits::longest_turn * members_.size();
    return all < sharing_limits::longest_round ? all : sharing_limits::longest_round;
  }

  /// Divides the round by weight, but gives no job less than the least. Jobs that would have less get the least; the
  /// remaining jobs divide the rest.
  void set_turns() noexcept {
    std::uint64_t time = round();
    const std::uint64_t least = std::min<std::uint64_t>(sharing_limits::least_turn, time / members_.size());
    std::uint64_t weight = 0;
    for (member& m : members_) {
      m.turn = 0;
      weight += m.weight;
    }
    for (bool again = true; again;) {
      again = false;  // the rest has become less for its weight, so another job may have too little
      for (member& m : members_) {
        if (m.turn != 0 || time * m.weight / weight >= least) continue;
        m.turn = least;
        time -= least;
        weight -= m.weight;
        again = true;
      }
    }
    for (member& m : members_) {
      if (m.turn == 0) m.turn = time * m.weight / weight;
    }
  }

  std::pmr::vector<member> members_;
};

}  // namespace callisto::cosched
