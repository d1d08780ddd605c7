// Stealing of tasks: between the cores of a rank, and from another rank.
#pragma once

#include <callisto/global/session/phase.hpp>
#include <callisto/global/session/rank_parts.hpp>

#include <atomic>
#include <cstdint>

namespace callisto::global {

/// Counts of a rank's steals. Any thread may read.
struct steal_counts {
  std::atomic<std::uint64_t> requests{0};  ///< to other ranks
  std::atomic<std::uint64_t> vain{0};      ///< of these, that brought nothing
  std::atomic<std::uint64_t> tasks{0};     ///< that these brought
  std::atomic<std::uint64_t> within{0};    ///< tasks that moved between cores of the rank
};

/// How a core without work gets tasks:
///
/// 1. *Thief:* takes half of the shared tasks of another core of its rank (steal_from_cores()).
/// 2. *Thief, vain:* asks another rank at random, by a message, unless a request of its rank is under way
///    (ask_another_rank()).
/// 3. *A core of that rank:* takes tasks of all its cores, and sends them and their number (give_to()).
/// 4. *A core of the thief's rank:* takes the number. The tasks came as separate messages (take_answer()).
class rank_stealing {
 public:
  rank_stealing(rank_parts& rank, const phase_control& phase) noexcept : rank_(rank), phase_(phase) {}

  /// True if the thief has tasks now.
  bool steal_from_cores(core& thief);
  void ask_another_rank(core& thief);
  /// Wakes another core at random, if it sleeps. The rank has several.
  void nudge_another(const core& c);
  const steal_counts& counts() const noexcept { return counts_; }

 private:
  /// Bounds of the pause between two requests of a rank, in nanoseconds. The pause doubles with each request that
  /// brings nothing.
  static constexpr std::uint64_t least_pause = 10'000;
  static constexpr std::uint64_t most_pause = 2'000'000;

  void give_to(int thief);
  void take_answer(std::uint64_t given);

  rank_parts& rank_;
  const phase_control& phase_;
  // One request at a time:
  std::atomic<bool> asking_{false};
  std::atomic<std::uint64_t> ask_again_at_{0};  ///< ticks
  std::atomic<std::uint64_t> pause_{least_pause};
  steal_counts counts_;
};

}  // namespace callisto::global
