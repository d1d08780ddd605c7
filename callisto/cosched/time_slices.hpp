// The jobs that have high priority on one hardware context, and when.
//
// In the paper a context has one job with high priority, and each job a context for its main thread (EuroSys'14 section
// 2.1). With more jobs than contexts both cannot hold. Then the jobs of a context take turns, as the clock says that
// all of them read: no word in the table has to be written, no job has to be told, and nothing is lost with a job that
// dies.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

namespace callisto::cosched {

/// Jobs at a time; their numbers, which are those of their slots in the table, are below it.
inline constexpr unsigned max_jobs = 64;
inline constexpr unsigned no_job = 255;

/// A set of jobs: bit j is job j.
using job_set = std::uint64_t;
constexpr job_set only(unsigned job) noexcept {
  assert(job < max_jobs);
  return job_set{1} << job;
}

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

  /// Each job at most once.
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

  /// Which part of the time `job` has high priority; 0 if it is not in the rota.
  double share_of(unsigned job) const noexcept {
    for (const member& m : members_) {
      if (m.job == job) return static_cast<double>(m.turn) / static_cast<double>(round());
    }
    return 0;
  }

  /// Who has high priority at `now`, in nanoseconds; nobody if the rota is empty.
  unsigned holder(std::uint64_t now) const noexcept {
    if (members_.size() <= 1) return members_.empty() ? no_job : members_.front().job;
    std::uint64_t at = now % round();
    for (const member& m : members_) {
      if (at < m.turn) return m.job;
      at -= m.turn;
    }
    return members_.back().job;  // what rounding down has left of the round
  }

  /// Nanoseconds until the turn of `job` begins: 0 if it has it; `never` if it is not in the rota.
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

 private:
  struct member {
    unsigned job;
    unsigned weight;
    std::uint64_t turn;  ///< nanoseconds of a round
  };

  // Long beside a hand-over and the caches that it costs, short beside the second in which everybody is to have at
  // least half of his share: also when jobs come and go, which shifts the turns, and when some turns are lost to a job
  // that does not answer. Shorter still where many wait (64 jobs on 2 contexts: 6 ms of 200). Constants, since all
  // jobs must come to the same.
  static constexpr std::uint64_t longest_turn = 25'000'000;
  static constexpr std::uint64_t longest_round = 200'000'000;
  // Whatever a job's weight: by then its thread is awake, the other one gone, and what it has left is of use.
  static constexpr std::uint64_t least_turn = 4'000'000;

  std::uint64_t round() const noexcept {
    const std::uint64_t all = longest_turn * members_.size();
    return all < longest_round ? all : longest_round;
  }

  /// By weight, but none shorter than the least: those who would have less have that, and the others divide the rest.
  void set_turns() noexcept {
    std::uint64_t time = round();
    const std::uint64_t least = std::min(least_turn, time / members_.size());
    std::uint64_t weight = 0;
    for (member& m : members_) {
      m.turn = 0;
      weight += m.weight;
    }
    for (bool again = true; again;) {
      again = false;  // the rest has become less for its weight: somebody else may have too little now
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
