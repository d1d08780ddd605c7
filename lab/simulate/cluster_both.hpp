// Programs that run on the ranks of a launcher and on simulated ones, and micro-benchmarks of the way between two
// ranks: a simulation of this machine is compared with it.
#pragma once

#include <callisto/global/session/session.hpp>
#include <lab/names.hpp>

#include <array>
#include <string_view>

namespace callisto::lab {

/// What a random word of a program's own memory costs, in nanoseconds; for simulated ranks.
struct word_costs {
  double updates = 0;
  double tree = 0;      ///< a vertex that is visited
  double vertices = 0;  ///< a vertex that an arc leads to
  double keys = 0;
  double reads = 0;
  // More, of what is between ranks:
  double far_vertex = 0;  ///< a vertex of the tree with its parent at another rank
  double far_read = 0;    ///< a read of another rank's word
};

/// The programs, in the order of both_outcome::rates.
inline constexpr std::array<std::string_view, 5> both_names{"GUPS", "UTS T1", "BFS", "IntSort", "blocking reads"};

struct both_outcome {
  std::array<double, both_names.size()> rates{};  ///< operations a second
  // Between the first and the last rank, in seconds; 0 if there is one.
  double half_round = 0;  ///< half of a round trip of a message
  double send = 0;        ///< of the sender, for a message that leaves alone
  double block = 0;       ///< for each of many messages of block_bytes
  double poll = 0;        ///< a look at the network that finds nothing
  double read = 0;        ///< for each of many reads by 64 workers, which wait
};
inline constexpr unsigned block_bytes = 32768;

/// Runs all, each `repeats` times, of which the fastest counts. Collective. Graphs have 2^scale vertices, 2^(scale+3)
/// keys are sorted. Throws error if a result is wrong.
both_outcome run_both(global::session& s, unsigned scale, unsigned repeats, const word_costs& costs);
/// Runs the micro-benchmarks alone.
both_outcome run_link(global::session& s, unsigned repeats, const word_costs& costs);

/// Words of a table of `updates`, of all ranks together.
inline constexpr unsigned log2_updated_words = 24;

}  // namespace callisto::lab
