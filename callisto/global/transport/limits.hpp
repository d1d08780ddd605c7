// The limits of ranks: when messages leave, how tasks spread, how cores sleep. They change times, never results.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace callisto::global {

/// In the order of the folders that read them, lowest first.
struct rank_limits {
  // transport
  /// Packets of each of the five sizes that a process keeps for the next ones.
  static constexpr std::size_t kept_packets = 64;  ///< packets (not simulated)
  /// Memory of a node for packets that its ranks share: at least 8 packets a rank, at most 64.
  static constexpr std::size_t node_packets = std::size_t{32} << 20;  ///< bytes (not simulated)

  // messages
  /// Interval at which the progress thread checks pieces for age.
  static constexpr std::uint64_t sweep_ns = 5'000;  ///< ns; 1.30 (rank.tree)
  /// After a sweep that sent n pieces, the next sweep is later by n times this, by a fifth of it for a piece to an idle
  /// destination: sweeps use at most a tenth of the thread.
  static constexpr std::uint64_t sweep_each_ns = 10'000;  ///< ns; 1.19 (rank.tree)
  /// Number of sweeps at which a piece in use stays; the next sweep sends it. If its destination waits for work, the
  /// first sweep sends it.
  static constexpr std::uint32_t most_age = 5;  ///< sweeps; 1.15 (rank.tree)
  /// The most packets that one look at the network handles.
  static constexpr int packets_a_look = 64;  ///< packets; 1.13 (rank.tree)
  /// While handlers have more than this waiting to be sent, no credits go back to the tasks of other ranks.
  static constexpr std::uint64_t queued_by_handlers = std::uint64_t{32} << 20;  ///< bytes; flat
  /// Packets of fewer bytes cost more for being packets than for what is in them.
  static constexpr std::size_t small_packet = 1024;  ///< bytes; flat
  /// Pieces in use at once, from which small packets are due to the number of destinations.
  static constexpr std::size_t few_pieces = 16;  ///< pieces; flat
  /// Packets to other nodes after which a set's way is chosen again.
  static constexpr unsigned packets_that_decide = 64;  ///< packets; flat
  /// The short way takes the fewest hops with which a rank sends to no more ranks than this, if there are such.
  static constexpr std::size_t most_neighbours = 512;  ///< ranks; flat
  /// The other way: likewise.
  static constexpr std::size_t few_neighbours = 64;  ///< ranks; 1.35 (rank.updates)
  /// Number of records of a packet by which memory is fetched ahead of the handler that uses it.
  static constexpr std::size_t records_ahead = 12;  ///< records (not simulated)

  // tasks
  /// Communication's deadline while workers run: messages wait no longer, and a look at the clock costs less than one
  /// at the network.
  static constexpr std::uint64_t poll_ns = 2'000;  ///< ns; 1.14 (rank.tree)
  /// Decisions of a core between two looks at messages and mail; long tasks have fewer between looks, so that messages
  /// do not wait.
  static constexpr unsigned decisions_a_look = 16;  ///< decisions; 1.24 (rank.tree)
  /// How many places of the ready queue ahead a worker's stack is fetched; its status is fetched twice as far ahead, as
  /// it says where. Grappa has 4, at 50 ns a switch; at 15 ns, memory takes 8 switches. 16 and 24 are 5 % faster with
  /// 500,000 workers, and slower with 1,000.
  static constexpr std::size_t workers_ahead = 8;  ///< workers (not simulated)
  /// Stacks of a process with a guard page: a quarter of the mappings that Linux lets a process have; the rest is for
  /// all else.
  static constexpr std::size_t most_guards = 8192;  ///< stacks (not simulated)

  // session
  /// The most tasks that one theft takes of a core of the same rank.
  static constexpr std::size_t most_stolen = 1024;  ///< tasks (not simulated)
  /// The most tasks that a rank gives another one at once.
  static constexpr std::size_t most_given = 1024;  ///< tasks; 1.32 (rank.tree)
  /// A core with at least this many suspended workers does not ask other ranks: one of them will soon be ready.
  static constexpr std::size_t enough_waiting = 64;  ///< workers; 1.09 (rank.tree)
  /// Bounds of the pause between two steal requests; the pause doubles with each request that brings nothing.
  static constexpr std::uint64_t least_pause_ns = 10'000;    ///< ns; 1.79 (rank.tree)
  static constexpr std::uint64_t most_pause_ns = 2'000'000;  ///< ns; flat
  /// The first sleep of a core without work, at most. Each next one is twice as long, six times, up to the last.
  static constexpr unsigned first_sleep_us = 100;  ///< us (not simulated)
  /// So a core sees within this time what did not wake it.
  static constexpr unsigned last_sleep_us = 5'000;  ///< us (not simulated)
  /// Number of sleeps in a row after which a core lends its context: 100 + 200 + 400 + 800 us = 1.5 ms.
  static constexpr unsigned sleeps_before_lending = 4;  ///< sleeps (not simulated)
  /// Number of sleeps in a row after which a core gives back memory.
  static constexpr unsigned sleeps_before_trim = 8;  ///< sleeps (not simulated)
  /// Pause, at least, between two times that a core asks whether another job wants its context.
  static constexpr std::uint64_t check_in_ns = 100'000;  ///< ns (not simulated)
  /// Time without work after which a core is still: a deadlock is looked for.
  static constexpr std::uint64_t still_ns = 1'000'000'000;  ///< ns (not simulated)
  /// Pause between two rounds of that search.
  static constexpr std::uint64_t still_pause_ns = 100'000'000;  ///< ns (not simulated)
  /// Number of equal rounds in a row after which nothing goes on.
  static constexpr int still_rounds = 4;  ///< rounds (not simulated)
  /// Packets are pushed out for main, which works outside of the library, until this many looks in a row found none.
  static constexpr int fruitless_pushes = 10;  ///< looks (not simulated)

  // memory
  /// Freed parts of the heap of at least this size go back to the system.
  static constexpr std::uint64_t worth_discarding = std::uint64_t{1} << 20;  ///< bytes (not simulated)

  // caches
  /// The most bytes of one message of a transfer: three fill a packet.
  static constexpr std::uint64_t transfer_message = 20 << 10;  ///< bytes (not simulated)
  /// The most bytes that the tasks of a rank have asked for and not received. The memory of a node has packets for a
  /// full window.
  static constexpr std::uint64_t transfer_window = std::uint64_t{1} << 20;  ///< bytes (not simulated)

  // loops
  /// Batches of a loop, for each core: enough that a core's workers can all wait at once.
  static constexpr std::uint64_t batches_a_core = 1024;  ///< batches (not simulated)
  /// The most iterations of a batch, after which messages are looked at.
  static constexpr std::uint64_t most_in_batch = 256;  ///< iterations (not simulated)
  /// Iterations of a loop on one thread between two looks at its stop token.
  static constexpr std::uint64_t between_stop_looks = 1024;  ///< iterations (not simulated)
  /// Visits that arrive together are run from a list if there are at least this many.
  static constexpr std::size_t least_in_list = 4;  ///< visits (not simulated)
  /// Number of visits of a list by which memory is fetched ahead of the visit that uses it.
  static constexpr std::size_t visits_ahead = 8;  ///< visits (not simulated)

  // bulk
  /// Samples that a rank gives of its elements when all sort: parts differ by a share of about one in this.
  static constexpr std::uint64_t samples_a_rank = 64;  ///< samples (not simulated)
};

}  // namespace callisto::global
