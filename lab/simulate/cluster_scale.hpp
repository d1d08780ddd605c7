// What becomes of a simulated cluster of many nodes, with one, two and three hops of messages; and of one with faults.
#pragma once

#include <callisto/global/simulated/cluster.hpp>
#include <lab/names.hpp>
#include <lab/simulate/cluster_programs.hpp>
#include <lab/simulate/grappa_programs.hpp>

#include <cstdint>

namespace callisto::lab {

/// A cluster of many ranks.
struct scale_outcome {
  double start = 0;       ///< seconds until all ranks are in their mains
  double phase = 0;       ///< seconds of a phase without tasks
  double spread = 0;      ///< seconds until tasks of one rank are done by all, by those that they take if dealt evenly
  double first_task = 0;  ///< seconds until half of the ranks have run one of them
  double updates = 0;     ///< of random words, a second, of all ranks
  double packet_bytes = 0;  ///< mean, between nodes, of the updates
  double memory = 0;        ///< bytes of packets in memory a rank, the most, of the updates
  double edges = 0;         ///< of a search of a graph, a second
};

/// Runs on a cluster with messages over at most `hops` hops; 0: as the runtime chooses. `scale`: of the graph.
scale_outcome simulate_scale(const global::simulation::cluster_options& cluster, unsigned hops,
                             const graph_in_memory& graph, double microseconds);

/// Updates random words over at most `hops` hops.
cluster_rate simulate_updates_by(const global::simulation::cluster_options& cluster, unsigned hops,
                                 double microseconds);

/// How a phase of tasks goes that stand at all ranks and may be stolen, 50 of 20 us at each rank.
struct fault_outcome {
  double seconds = 0;     ///< of the phase
  double updates = 0;     ///< of random words, a second, of all ranks
  unsigned told = 0;      ///< ranks that learned that the job failed
  double told_after = 0;  ///< seconds of virtual time until the last of them did
};
fault_outcome simulate_fault(const global::simulation::cluster_options& cluster, double microseconds);

}  // namespace callisto::lab
