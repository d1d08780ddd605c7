// When packets arrive: adapters and links serve one packet at a time.
#pragma once

#include <callisto/global/simulated/network.hpp>

#include <cstdint>
#include <vector>

namespace callisto::global::simulation {

/// Virtual time in picoseconds: 200 days fit.
using picoseconds = std::uint64_t;

constexpr picoseconds from_nanoseconds(double ns) noexcept { return static_cast<picoseconds>(ns * 1e3 + 0.5); }

/// The state of a network's adapters and links. Packets are given in the order in which ranks run, which may differ
/// from the order of their times by less than the shortest latency.
class wires {
 public:
  wires(const network& how, unsigned nodes);

  /// Lets the adapter of a node take `factor` times as long for each packet.
  void slow(unsigned node, double factor) { slowness_[node] = factor; }

  /// Where a packet is when.
  struct passage {
    picoseconds left;     ///< the adapter of its node has sent it
    picoseconds arrived;  ///< the other node has all of it
  };
  /// Sends a packet that is ready at `at`. The packet takes the links of its path in turn, as its head reaches
  /// them; its bytes follow.
  passage send(unsigned from, unsigned to, std::uint64_t bytes, picoseconds at);

  /// Returns the time of a path without its bytes.
  picoseconds latency(unsigned from, unsigned to) const noexcept;
  /// Returns the shortest latency between two nodes.
  picoseconds least_latency() const noexcept;

 private:
  unsigned group_of(unsigned node) const noexcept { return node / group_; }
  unsigned switches(unsigned from, unsigned to) const noexcept;

  const network& how_;
  const unsigned group_;   ///< nodes of a leaf or a group
  const unsigned groups_;  ///< leaves or groups
  const unsigned links_;   ///< of a leaf upward, or between two groups
  const picoseconds ends_;
  const picoseconds switch_;
  std::vector<double> slowness_;  ///< of adapters, by node
  // Each: the time from which it is free.
  std::vector<picoseconds> out_;   ///< adapters, by node
  std::vector<picoseconds> in_;    ///< adapters, by node
  std::vector<picoseconds> up_;    ///< links of leaves to spines; of dragonflies: all between groups
  std::vector<picoseconds> down_;  ///< links of spines to leaves
};

}  // namespace callisto::global::simulation
