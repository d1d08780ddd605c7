// Places of a graph's vertices in the plane, for drawings.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace callisto::graph {

/// A place in the plane. The distance at which an edge pulls as two vertices push is about 1.
struct layout_point {
  double x = 0;
  double y = 0;

  bool operator==(const layout_point&) const = default;
};

/// An undirected edge between two numbers below that of vertices. A heavier one pulls more.
struct layout_edge {
  std::uint32_t from;
  std::uint32_t to;
  double weight = 1;
};

/// Returns a place for each vertex: the forces of Fruchterman and Reingold (1991), from coarse to fine levels (Hu
/// 2005), with far vertices taken together (Barnes and Hut 1986). The result depends on the arguments alone, not on the
/// number of threads. `iterations` is for small levels; large ones have as few as 30. Cost: about n log n, some 5 s of
/// processor time for a million edges in both directions; 100 bytes a vertex and 32 an edge. Throws usage_error for an
/// edge of another vertex, cancelled, and std::bad_alloc.
CALLISTO_API std::vector<layout_point> force_layout(std::uint32_t vertices, std::span<const layout_edge> edges,
                                                    unsigned iterations = 300, const run_control& control = {});

}  // namespace callisto::graph
