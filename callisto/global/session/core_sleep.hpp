// Cores without work: how they sleep, and what they give back meanwhile, to other jobs and to the system.
#pragma once

#include <callisto/global/session/rank_parts.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/waiting/spin_lock.hpp>
#include <callisto/workers/teams/long_work.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::global {

/// The times of a core without work. `idle` is the number of its sleeps in a row: 0 at the first.
///
/// - Before sleep 0, at once: nudges core 0, which finds out when the rank is quiet.
/// - Before sleep 4, after 100 + 200 + 400 + 800 us = 1.5 ms: lends its context to other jobs. Most waits for a message
///   have ended by then.
/// - Before sleep 8, after 16.3 ms (1.6 + 3.2 + 5 + 5 ms more): gives back the stacks of workers without a task.
/// - After 1 s: is still (deadlock.hpp).
///
/// A message or a task ends a sleep early.
struct sleep_times {
  /// The most that a sleep takes: doubled from sleep to sleep, and bounded so that a core sees within 5 ms what did not
  /// wake it.
  static std::chrono::microseconds most(unsigned idle) noexcept {
    constexpr unsigned doublings = 6;
    return std::chrono::microseconds(
        std::min(rank_limits::first_sleep_us << std::min(idle, doublings), rank_limits::last_sleep_us));
  }
};

/// Where the cores of a rank sleep, and their hold on contexts where other jobs share the machine.
class core_sleep {
 public:
  explicit core_sleep(rank_parts& rank) noexcept : rank_(rank) {}

  /// Makes the process a job of the co-scheduler, if it is one of several ranks. A rank of one core may run on each of
  /// its contexts; one of several takes as many as it has cores, beside those of other ranks. Before there are cores.
  void join_other_jobs(unsigned cores);
  /// The thread of a core above 0 calls this before and after the core exists.
  void take_lease(unsigned number);
  void drop_lease(unsigned number);

  /// Gives the context up if another job is to have it, and waits until this one gets it again. A core with work.
  void check_in(const core& c);
  /// Lends the context, and gives back memory, as sleep_times says.
  void give_back(core& c, unsigned idle);
  /// Sleeps until work may have come. One core at a time sleeps at the network, all other cores by park().
  void sleep(core& c, unsigned idle);
  /// Takes the context again, if the core has lent it.
  void come_back(const core& c);
  /// True if a core sleeps, as a hint.
  bool any() const noexcept { return asleep_.load(std::memory_order_relaxed) != 0; }

 private:
  /// A core's hold on its context, where other jobs share the machine. Only the core's thread uses it.
  struct lease {
    workers::context_lease<machine::native>* on = nullptr;         ///< null: no other job counts
    std::shared_ptr<workers::context_lease<machine::native>> own;  ///< of cores above 0
    unsigned context = 0;
    std::uint64_t ask_at = 0;  ///< ticks
    bool is_lent = false;
  };

  rank_parts& rank_;
  waiting::spin_lock<machine::native> at_network_;  ///< held by the core that sleeps at the network
  std::atomic<int> asleep_{0};                      ///< cores that sleep
  std::vector<lease> leases_;                       ///< by core; empty: ranks in one process, or one rank
};

}  // namespace callisto::global
