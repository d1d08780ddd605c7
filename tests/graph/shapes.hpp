// Edges of graphs with known results, many of them hard for parallel algorithms.
#pragma once

#include "naive.hpp"

#include <cstdint>

namespace callisto::graph::shapes {

inline naive::pairs clique(std::uint64_t vertices) {
  naive::pairs edges;
  for (std::uint64_t u = 0; u < vertices; ++u) {
    for (std::uint64_t v = 0; v < u; ++v) edges.emplace_back(u, v);
  }
  return edges;
}

/// A star: vertex 0 and `leaves` others.
inline naive::pairs star(std::uint64_t leaves) {
  naive::pairs edges;
  for (std::uint64_t v = 1; v <= leaves; ++v) edges.emplace_back(0, v);
  return edges;
}

inline naive::pairs path(std::uint64_t vertices) {
  naive::pairs edges;
  for (std::uint64_t v = 1; v < vertices; ++v) edges.emplace_back(v - 1, v);
  return edges;
}

/// A grid of `length` rows of `width` vertices.
inline naive::pairs grid(std::uint64_t width, std::uint64_t length) {
  naive::pairs edges;
  for (std::uint64_t v = 0; v < width * length; ++v) {
    if (v % width != 0) edges.emplace_back(v - 1, v);
    if (v >= width) edges.emplace_back(v - width, v);
  }
  return edges;
}
inline naive::pairs grid(std::uint64_t side) { return grid(side, side); }

/// A chain of diamonds: between vertices 3i and 3i + 3 there are two paths of two arcs, so 2^i paths lead to 3i.
inline naive::pairs diamonds(std::uint64_t count) {
  naive::pairs edges;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (const std::uint64_t side : {1u, 2u}) {
      edges.emplace_back(3 * i, 3 * i + side);
      edges.emplace_back(3 * i + side, 3 * i + 3);
    }
  }
  return edges;
}

}  // namespace callisto::graph::shapes
