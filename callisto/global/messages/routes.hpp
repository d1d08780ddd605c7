// By which ranks messages travel. A rank that sends to each other rank directly fills a packet for each, and packets
// get smaller with every rank. By way of other ranks it fills few, which are shared by many destinations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace callisto::global {

/// The ways of messages from one rank: a short one, and one over more ranks, for a sender with small packets. A rank
/// may take either way at any time: each step of both ways leads nearer.
class routes {
 public:
  /// A scheme, with the ranks that a rank sends to; of N nodes with R ranks each.
  enum class scheme : std::uint8_t {
    direct,    ///< 1 hop; to all other N R - 1 ranks
    by_node,   ///< 2 hops: to the node, then to the rank; N + R - 2
    gathered,  ///< 3 hops: to the rank of the own node that sends to that node, to the node, to the rank; N / R + R
    square,    ///< nodes in rows and columns: to the column, to the node, to the rank; 2 sqrt(N) + R
    cube,      ///< nodes of one rank in three dimensions, a hop each; 3 cbrt(N)
  };
  /// Finds the ways of the rank `me`; node_of[r] is the node of the rank r. `most_hops`: 1 to 3, which both ways take
  /// if that leaves fewer ranks to send to; 0: as the numbers above say.
  routes(int me, std::span<const int> node_of, unsigned most_hops);

  /// Returns the rank to which a message for `to` goes next.
  int next(int to, bool by_few) const noexcept {
    const std::vector<int>& way = next_[by_few ? 1 : 0];
    return way.empty() ? to : way[static_cast<std::size_t>(to)];
  }
  /// True if the two ways differ.
  bool has_choice() const noexcept { return schemes_[0] != schemes_[1]; }
  scheme how(bool by_few) const noexcept { return schemes_[by_few ? 1 : 0]; }
  /// Returns how many ranks of other nodes this rank sends to.
  std::size_t far_neighbours(bool by_few) const noexcept { return far_[by_few ? 1 : 0]; }

 private:
  scheme schemes_[2] = {scheme::direct, scheme::direct};
  std::vector<int> next_[2];  ///< by rank; empty: each is reached directly
  std::size_t far_[2] = {0, 0};
};

}  // namespace callisto::global
