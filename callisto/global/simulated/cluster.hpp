// Many ranks on one thread, in virtual time: the runtime runs as it is, over a described network.
#pragma once

#include <callisto/global/session/session.hpp>
#include <callisto/global/simulated/network.hpp>
#include <callisto/global/transport/transport.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace callisto::global::simulation {

/// Something that is wrong with a part of a cluster.
struct cluster_fault {
  enum class kinds : std::uint8_t {
    slow_rank,  ///< its processor takes `factor` times as long for everything: a half of a core is 2
    slow_link,  ///< the adapter of the node `place` takes as much longer for a packet
    death,      ///< the rank ends at its first look at the network from `nanoseconds` on
  };
  kinds kind = kinds::slow_rank;
  unsigned place = 0;  ///< a rank; of slow_link: a node
  double factor = 1;
  double nanoseconds = 0;
};

/// A simulated job.
struct cluster_options {
  network net;
  unsigned nodes = 1;
  unsigned ranks_per_node = 1;  ///< each rank has a core
  std::uint64_t seed = 1;       ///< of the delays below
  /// Each packet takes a random time up to this longer, in nanoseconds: packets overtake each other. 0: as the network
  /// has it.
  double most_delay = 0;
  std::size_t main_stack = std::size_t{256} << 10;  ///< bytes, of each rank's main
  std::vector<cluster_fault> faults = {};

  unsigned ranks() const noexcept { return nodes * ranks_per_node; }
};

/// Times and counts of a job.
struct cluster_outcome {
  double seconds = 0;         ///< virtual: until the last rank ended
  std::uint64_t packets = 0;  ///< between nodes
  std::uint64_t bytes = 0;    ///< of these packets
  std::uint64_t near_packets = 0;
  std::uint64_t most_packet_bytes = 0;  ///< in memory of all ranks at once
  std::uint64_t turns = 0;              ///< times that a rank went on after another one
};

/// Runs main(transport) as each rank, all on the calling thread, which must work for no rank. Equal arguments give
/// equal runs. A rank goes on while its virtual time is the earliest, or earlier than any packet could reach it. Its
/// time advances by what it counts (messages, switches, tasks), by what it does at the network, and by
/// rank_clock::work(). Throws usage_error for bad options, and what ranks threw (rethrow_first()).
cluster_outcome run_cluster(const cluster_options& options,
                            const std::function<void(std::unique_ptr<transport>)>& main);

/// Runs main(session) as each rank. `how` must not ask for more than one thread.
cluster_outcome run_sessions(const cluster_options& options, const session_options& how,
                             const std::function<void(session&)>& main);

}  // namespace callisto::global::simulation
