// The description of a network: its adapters, its links, and what the steps of the runtime cost its processors.
//
// Text files in callisto/global/networks have one parameter a line, `parameter = value  # source: ...`, or `#
// estimated:
// ...` and from what. docs/how-to/add-a-network.md tells how to write one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace callisto::global::simulation {

/// How nodes are connected.
enum class topology : std::uint8_t {
  fat_tree,   ///< leaf switches with `leaf` nodes, under as many spines as a leaf has links upward
  dragonfly,  ///< groups of `group` nodes, with `global_links` links between each pair of groups
};

/// A network and the processors at it. Times in nanoseconds, rates a second, sizes in bytes.
struct network {
  std::string name;
  unsigned cores = 1;  ///< of a node

  // The adapter of a node, which its ranks share.
  double rate = 0;           ///< packets a second, out and in
  double bandwidth = 0;      ///< out and in
  unsigned framing = 0;      ///< bytes that the wire carries beside each packet
  unsigned outstanding = 0;  ///< packets of a rank that may wait for the adapter

  // The processor of a rank.
  double send = 0;            ///< a packet given to the adapter
  double receive = 0;         ///< a packet taken from it
  double poll = 0;            ///< a look that finds nothing
  double copy = 0;            ///< bandwidth at which each side copies a packet up to `eager`
  double eager = 0;           ///< larger packets are not copied, but the sides agree first, for a round trip
  double near_send = 0;       ///< a packet passed to a rank of the node
  double near = 0;            ///< until it is there
  double near_bandwidth = 0;  ///< at which the receiver fetches its bytes

  // The wires.
  double latency = 0;         ///< of both adapters and cables, without switches
  double switch_latency = 0;  ///< of each switch
  topology shape = topology::fat_tree;
  unsigned leaf = 1;
  double taper = 1;  ///< links of nodes to links upward, of a leaf
  unsigned group = 1;
  unsigned global_links = 1;
  double link = 0;  ///< bandwidth of a link between switches

  // Steps of the runtime.
  double enqueue = 0;      ///< a message begins
  double serialize = 0;    ///< it goes into a packet
  double deserialize = 0;  ///< it is found in a packet, and its handler called
  double change = 0;       ///< a switch between workers
  double spawn = 0;        ///< a task is created and begun
  double memory = 0;       ///< a random word of memory that was fetched ahead

  // Figures that publications or makers state, to be compared with the model; 0: none.
  double stated_latency = 0;    ///< half of a round trip of 8 bytes, between two leaves
  double stated_rate = 0;       ///< packets of 8 bytes a second that a node sends with all cores
  double stated_bandwidth = 0;  ///< of one stream of large packets

  std::map<std::string, std::string, std::less<>> sources;  ///< by parameter: the text behind #
};

/// Reads a description. `file` names it in errors. Throws input_error with file and line.
network parse_network(std::string_view text, const std::string& file);

}  // namespace callisto::global::simulation
