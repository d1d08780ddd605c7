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

/// The graph of Zachary's karate club.
inline naive::pairs karate_club() {
  return {{0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},  {0, 11},
          {0, 12},  {0, 13},  {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},   {1, 7},   {1, 13},
          {1, 17},  {1, 19},  {1, 21},  {1, 30},  {2, 3},   {2, 7},   {2, 8},   {2, 9},   {2, 13},  {2, 27},
          {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},   {4, 10},  {5, 6},   {5, 10},  {5, 16},
          {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},  {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33},
          {18, 32}, {18, 33}, {19, 33}, {20, 32}, {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29},
          {23, 32}, {23, 33}, {24, 25}, {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31},
          {28, 33}, {29, 32}, {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}};
}

}  // namespace callisto::graph::shapes
