// A model of aggregation on clusters that are too large to run on: one node of many that all do the same.
//
// All ranks send messages to random ranks. By symmetry a node receives what it sends: a packet of a rank to another
// node comes in at this one, after its time on the way. So the model has the pieces, queues and adapter of one node,
// whatever the number of nodes, and the sizes of packets instead of their messages.
#pragma once

#include <callisto/global/messages/routes.hpp>
#include <callisto/global/simulated/network.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::global::simulation {

struct aggregation_job {
  const network& net;
  unsigned nodes = 1;
  unsigned ranks = 1;  ///< of a node
  routes::scheme how = routes::scheme::direct;
  double seconds = 1e-3;  ///< for which ranks send
  std::uint64_t seed = 1;
};

struct aggregation_outcome {
  double messages = 0;         ///< handled a second, of all nodes
  double packet_bytes = 0;     ///< mean, between nodes
  double packets = 0;          ///< sent by a node a second
  double memory = 0;           ///< bytes of a rank's packets that collect or wait, at most
  std::size_t neighbours = 0;  ///< ranks that a rank sends to
};

/// Throws usage_error for jobs without ranks, or with more neighbours of a node's ranks than 2^26.
aggregation_outcome run_aggregation(const aggregation_job& job);

}  // namespace callisto::global::simulation
