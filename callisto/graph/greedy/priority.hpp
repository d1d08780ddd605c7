// The order in which greedy algorithms take vertices and edges: random, by a seed, and the same on any threads.
#pragma once

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::graph {

/// A random order of the vertices.
class vertex_order {
 public:
  explicit constexpr vertex_order(std::uint64_t seed) noexcept : random_(seed) {}

  /// True if u comes before v.
  constexpr bool before(std::uint64_t u, std::uint64_t v) const noexcept {
    const std::uint64_t of_u = random_(u);
    const std::uint64_t of_v = random_(v);
    return of_u != of_v ? of_u < of_v : u < v;
  }

 private:
  counter_random random_;
};

/// A random order of the edges. An edge is named by its ends, in any order.
class edge_order {
 public:
  explicit constexpr edge_order(std::uint64_t seed) noexcept : key_(counter_random(seed)(0)) {}

  /// Returns a uniform word that decides the order, but for equal words of different edges.
  constexpr std::uint64_t operator()(std::uint64_t u, std::uint64_t v) const noexcept {
    return mix_bits(key_ + std::min(u, v) * 0x9e3779b97f4a7c15u + std::max(u, v) * 0xd6e8feb86659fd93u);
  }

 private:
  std::uint64_t key_;
};

/// Calls f(w) for each arc between v and w, in either direction, loops left out; repeats are visited again.
template <class Vertex, class Function>
void for_each_neighbour(const csr_graph<Vertex>& graph, std::uint64_t v, const Function& f) {
  for (const Vertex w : graph.out().row(v)) {
    if (w != v) f(w);
  }
  if (!graph.directed()) return;
  for (const Vertex w : graph.in().row(v)) {
    if (w != v) f(w);
  }
}

}  // namespace callisto::graph
