// Edges of graphs whose answers are known, many of them hard on parallel algorithms.
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

/// Vertex 0 and `leaves` others.
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

/// Rows of `side` vertices, `side` of them.
inline naive::pairs grid(std::uint64_t side) {
  naive::pairs edges;
  for (std::uint64_t v = 0; v < side * side; ++v) {
    if (v % side != 0) edges.emplace_back(v - 1, v);
    if (v >= side) edges.emplace_back(v - side, v);
  }
  return edges;
}

}  // namespace callisto::graph::shapes
