// Formats that hold an undirected edge in the rows of both ends: the check that they do, and keeping each edge once.
#pragma once

#include <callisto/graph/csr/edge_list.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace callisto::graph::formats {

/// Sums over the arcs of a part of a file; sums of parts add up. `hashes` is the sum of hashes of arcs u < v less that
/// of their reverses. It is 0 if each arc has its reverse with the same weight; otherwise it is 0 with probability
/// 2^-64.
struct symmetry_sums {
  std::uint64_t upward = 0;    ///< arcs to a larger vertex
  std::uint64_t downward = 0;  ///< arcs to a smaller vertex
  std::uint64_t loops = 0;     ///< arcs from a vertex to itself
  std::uint64_t hashes = 0;

  void add(std::uint64_t from, std::uint64_t to, double weight) noexcept {
    if (from < to) {
      ++upward;
      hashes += hash(from, to, weight);
    } else if (from > to) {
      ++downward;
      hashes -= hash(to, from, weight);
    } else {
      ++loops;
    }
  }
  void add(const symmetry_sums& other) noexcept {
    upward += other.upward;
    downward += other.downward;
    loops += other.loops;
    hashes += other.hashes;
  }
  bool symmetric() const noexcept { return upward == downward && hashes == 0; }

 private:
  /// The finalizer of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
  static std::uint64_t mix(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  static std::uint64_t hash(std::uint64_t a, std::uint64_t b, double weight) noexcept {
    return mix(a ^ mix(b ^ (weight == 0 ? 0 : mix(std::bit_cast<std::uint64_t>(weight)))));
  }
};

/// Adds the block's arcs to `sums`, then drops arcs that lead to a smaller vertex.
template <class Vertex>
void keep_upward(edge_block<Vertex>& block, symmetry_sums& sums) {
  std::size_t kept = 0;
  const bool weighted = !block.weights.empty();
  for (std::size_t i = 0; i < block.edges.size(); ++i) {
    const edge<Vertex> e = block.edges[i];
    sums.add(e.from, e.to, weighted ? block.weights[i] : 0);
    if (e.from > e.to) continue;
    if (weighted) block.weights.set(kept, block.weights[i]);
    block.edges[kept++] = e;
  }
  block.edges.shrink(kept);
  block.weights.shrink(kept);
}

}  // namespace callisto::graph::formats
