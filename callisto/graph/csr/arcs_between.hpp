// The arcs between two vertices.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::graph {

/// Arcs of rows, by their indices.
struct arc_range {
  std::uint64_t begin;
  std::uint64_t end;
};

/// Returns the arcs in v's row that lead to `target`: several if they are repeated. Searches the row, which ascends.
template <class Vertex>
arc_range arcs_between(const adjacency<Vertex>& rows, std::uint64_t v, std::uint64_t target) {
  const auto row = rows.row(v);
  const auto [first, last] = std::equal_range(row.begin(), row.end(), static_cast<Vertex>(target));
  const auto index = [&](auto at) { return rows.offsets[v] + static_cast<std::uint64_t>(at - row.begin()); };
  return {index(first), index(last)};
}

}  // namespace callisto::graph
