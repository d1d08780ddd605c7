// Statistics of ranks: the numbers of Grappa's table 2, for each rank and for all.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace callisto::global {

/// Counts of one rank since its session began.
struct rank_statistics {
  std::int32_t rank = 0;
  std::uint32_t cores = 0;
  double seconds = 0;                  ///< since the session began
  std::uint64_t messages = 0;          ///< sent
  std::uint64_t message_bytes = 0;     ///< in packets that were sent
  std::uint64_t packets = 0;           ///< sent
  std::uint64_t tasks = 0;             ///< that ended here
  std::uint64_t switches = 0;          ///< between workers
  std::uint64_t most_workers = 0;      ///< with a task at once, on one core
  double workers = 0;                  ///< with a task: the mean over looks of busy cores
  double ready = 0;                    ///< in the ready queue: likewise
  std::uint64_t steals_tried = 0;      ///< requests to other ranks
  std::uint64_t steals_made = 0;       ///< of these, the ones that brought tasks
  std::uint64_t tasks_stolen = 0;      ///< from other ranks
  std::uint64_t tasks_moved = 0;       ///< between cores of the rank
  std::uint64_t waits_for_window = 0;  ///< a sender waited because too much was under way to a rank
  double idle_seconds = 0;             ///< sum over the cores, sleep included
  std::uint64_t looks = 0;             ///< of which `workers` and `ready` are means
};

/// Returns the numbers of all ranks together: sums, means, and the longest time.
rank_statistics merged(std::span<const rank_statistics> ranks);

/// Returns a table for people: rates for each core, one line a rank, and one for all.
std::string statistics_table(std::span<const rank_statistics> ranks);

/// Returns one JSON object: "ranks" has the numbers of each rank, "all" the merged ones.
std::string statistics_json(std::span<const rank_statistics> ranks);

}  // namespace callisto::global
