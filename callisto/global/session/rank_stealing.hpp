// Stealing of tasks: between the cores of a rank, and from another rank.
#pragma once

#include <callisto/global/session/phase.hpp>
#include <callisto/global/session/rank_parts.hpp>
#include <callisto/global/session/steal_protocol.hpp>
#include <callisto/machine/native.hpp>

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
/// 2. *Thief, vain:* asks other ranks by messages (ask_another_rank(), steal_protocol.hpp).
/// 3. *A core of such a rank:* takes tasks of all its cores, and sends them; or remembers the thief, and sends tasks
///    when there are some (give_to_waiting()).
class rank_stealing {
 public:
  rank_stealing(rank_parts& rank, const phase_control& phase) noexcept
      : rank_(rank), phase_(phase), between_ranks_({rank.tree.rank, rank.tree.ranks}) {}

  /// True if the thief has tasks now.
  bool steal_from_cores(core& thief);
  void ask_another_rank(core& thief);
  /// Sends tasks of core `c`, which the calling thread runs, to ranks that wait for some.
  void give_to_waiting(core& c);
  /// Wakes another core at random, if it sleeps. The rank has several.
  void nudge_another(const core& c);
  const steal_counts& counts() const noexcept { return counts_; }

 private:
  class seen_by_core;
  using protocol = steal_protocol<machine::native, seen_by_core>;

  rank_parts& rank_;
  const phase_control& phase_;
  protocol between_ranks_;
  steal_counts counts_;
};

}  // namespace callisto::global
