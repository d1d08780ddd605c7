// Programs on simulated clusters: random updates, blocking reads, the micro-benchmarks of networks; and what the steps
// of the runtime cost on this machine.
#pragma once

#include <callisto/global/simulated/cluster.hpp>
#include <lab/names.hpp>

#include <cstdint>

namespace callisto::lab {

/// What all ranks together did: updates of a whole run, reads of its second half.
struct cluster_rate {
  double operations = 0;         ///< a second
  double packet_bytes = 0;       ///< mean, of packets between nodes
  double packets = 0;            ///< between nodes, a second and node
  double messages_a_core = 0;    ///< a second
  double message_bytes = 0;      ///< mean, in packets
  double memory = 0;             ///< bytes of packets of all ranks, at most
  double latency = 0;            ///< of a blocking read, mean, in seconds
  double idle = 0;               ///< part of the time in which a rank had no work
  double virtual_seconds = 0;    ///< of the whole run
  bool is_right = true;          ///< the words hold what the updates make of them
  std::uint64_t rank_turns = 0;  ///< of the simulation
};

/// Sends updates of random words of all ranks for `microseconds`, as lab/global/gups.cpp does, over messages alone. The
/// time is measured until all are handled. The words are compared.
cluster_rate simulate_gups(const global::simulation::cluster_options& cluster, bool aggregation, double microseconds);

/// Lets `workers` workers of each rank read random words, one after the other, for `microseconds`.
cluster_rate simulate_reads(const global::simulation::cluster_options& cluster, unsigned workers, double microseconds);

/// What the micro-benchmarks of networks say of a model.
struct network_figures {
  double latency = 0;    ///< seconds: half of a round trip of 8 bytes between two leaves or groups
  double rate = 0;       ///< packets of 8 bytes a second that all cores of a node send to another one
  double bandwidth = 0;  ///< bytes a second, of one stream of the largest packets
};
network_figures probe_network(const global::simulation::network& net);

/// Nanoseconds of the steps of the runtime, measured on this machine.
struct step_costs {
  double message = 0;      ///< a message of 8 bytes begins and goes into a packet
  double deserialize = 0;  ///< its handler runs, and does nothing
  double change = 0;       ///< a switch, among 100 workers
  double spawn = 0;        ///< a task that does nothing
  double memory = 0;       ///< a random word of 256 MiB, fetched ahead
};
step_costs measure_steps();
/// Returns the nanoseconds of a random word of so many, a power of two, fetched ahead, on this machine.
double measure_word(std::uint64_t words);

}  // namespace callisto::lab
