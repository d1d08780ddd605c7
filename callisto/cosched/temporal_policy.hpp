// The temporal policy: which job runs on a context while the job with high priority there has no work, and which job
// makes room for which (EuroSys 2014, section 2.1, rules 2 to 4). Pure functions of the table's words and of the clock.
//
// Rule 1: a job keeps its own context as long as it is awake. Rule 2: an idle job keeps a context of high priority for
// h_high before it lends it. Rule 3: it keeps a borrowed context for h_low. Rule 4: a borrower makes room as soon as
// the owner wants the context.
#pragma once

#include <callisto/cosched/limits.hpp>
#include <callisto/cosched/time_slices.hpp>
#include <callisto/cosched/timing.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::cosched {

/// The one word of a context. It is changed by atomic read-modify-writes only, so a process that is killed between any
/// two instructions leaves a valid state.
///
///   low half, on which waiting threads are parked        high half
///   runs (8 bits): number + 1 of the job, 0: no job      asked (1 bit): another job wants something of the holder
///   idle (1 bit): the holder has no work                 since (31 bits): when this state began, in units of 1,024 ns,
///   grants (23 bits): how often it changed hands         modulo 37 minutes
///
/// Any 64 bits are valid: a number that no job has means no job.
struct context_state {
  unsigned runs = no_job;
  bool idle = false;
  std::uint32_t grants = 0;
  bool asked = false;
  std::uint32_t since = 0;

  static constexpr std::uint64_t asked_bit = std::uint64_t{1} << 32;

  static constexpr context_state of(std::uint64_t word) noexcept {
    const auto low = static_cast<std::uint32_t>(word);
    const unsigned number = low >> 24;
    return {.runs = number == 0 || number > max_jobs ? no_job : number - 1,
            .idle = (low & idle_bit) != 0,
            .grants = low & (idle_bit - 1),
            .asked = (word & asked_bit) != 0,
            .since = static_cast<std::uint32_t>(word >> 33)};
  }
  constexpr std::uint64_t word() const noexcept {
    const std::uint32_t low = (runs == no_job ? 0 : runs + 1) << 24 | (idle ? idle_bit : 0) | (grants & (idle_bit - 1));
    return std::uint64_t{since} << 33 | (asked ? asked_bit : 0) | low;
  }

  static constexpr std::uint32_t stamp(std::uint64_t now) noexcept {
    return static_cast<std::uint32_t>(now >> unit_bits) & (since_values - 1);
  }
  /// Returns the nanoseconds since the state began, up to one unit more; 0 if the beginning lies ahead, as it does for
  /// a clock that was read earlier.
  constexpr std::uint64_t elapsed(std::uint64_t now) const noexcept {
    const std::uint32_t units = (stamp(now) - since) & (since_values - 1);
    return units >= since_values / 2 ? 0 : std::uint64_t{units} << unit_bits;
  }

 private:
  static constexpr std::uint32_t idle_bit = 1u << 23;
  static constexpr std::uint32_t since_values = 1u << 31;
  static constexpr unsigned unit_bits = 10;
};

/// The next step of a job that wants to run on a context.
struct decision {
  enum class move {
    take,         ///< run there
    wait,         ///< wait for a change, or for `nanoseconds`
    ask,          ///< tell the holder that the context is wanted; then wait
    check_alive,  ///< `job` has not reacted in time: check that it is alive; then wait
  };
  move what;
  std::uint64_t nanoseconds = 0;
  unsigned job = no_job;
};

/// Returns how often a job that could borrow a context checks whether its holder sleeps (rule 1): H_high, and less
/// often the more jobs check and the more threads of this job wait, `waiting` in all. Each check costs the holder 10 us
/// and more, and if its threads wait for each other, all of them.
template <class Jobs>
std::uint64_t borrowers_period(const Jobs& wants, unsigned waiting, const timing& t) noexcept {
  const std::uint64_t jobs = size_of(wants);
  return std::min<std::uint64_t>(sharing_limits::watch_period,
                                 std::max<std::uint64_t>(2, jobs) * std::max(1u, waiting) * t.h_high / 2);
}

/// Decides for job `me`, which wants the context as the jobs `wants` do. `waiting` of its threads wait for contexts.
/// `Slices` has holder() and until_turn() as time_slices has, `Jobs` is job_set or another set with has() and
/// size_of().
template <class Slices, class Jobs>
decision decide(unsigned me, const context_state& s, const Slices& slices, const Jobs& wants, unsigned waiting,
                std::uint64_t now, const timing& t) noexcept {
  using move = decision::move;
  if (s.runs == me) return {move::take};
  const unsigned top = slices.holder(now);
  const bool top_wants = top != no_job && has(wants, top);
  const std::uint64_t elapsed = s.elapsed(now);
  // No wait lasts longer than until the job's own time slice begins.
  const auto at_most = [&](std::uint64_t n) {
    return std::max<std::uint64_t>(1, std::min(n, slices.until_turn(me, now)));
  };
  if (s.runs == no_job) {
    if (me == top || !top_wants) return {move::take};
    // The context goes to the job that it was left for, unless that job does not come.
    if (elapsed < t.p_low) return {move::wait, at_most(t.p_low - elapsed)};
    return {move::check_alive, at_most(t.h_high), top};
  }
  if (s.idle) {
    if (me == top) return {move::take};
    if (top_wants && s.runs != top) {
      // The job with high priority is about to take the context.
      return elapsed < t.p_low ? decision{move::wait, at_most(t.p_low - elapsed)}
                               : decision{move::check_alive, at_most(t.h_high), top};
    }
    const std::uint64_t kept = s.runs == top ? t.h_high : t.h_low;  // rules 2 and 3
    if (elapsed >= kept) return {move::take};
    return {move::wait, at_most(kept - elapsed)};
  }
  if (me == top) return {move::ask, std::max<std::uint64_t>(1, t.p_low), s.runs};  // rule 4
  const std::uint64_t again = s.runs == top ? borrowers_period(wants, waiting, t) : sharing_limits::watch_period;
  return {move::check_alive, at_most(again), s.runs};
}

/// True if job `me`, which runs on the context and has work, must make room now (rule 4).
inline bool must_yield(unsigned me, const time_slices& slices, job_set wants, std::uint64_t now) noexcept {
  const unsigned top = slices.holder(now);
  return top != no_job && top != me && (wants & only(top)) != 0;
}

}  // namespace callisto::cosched
