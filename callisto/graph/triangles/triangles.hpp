// Counting triangles.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct triangles_options {
  std::uint64_t batch = 0;  ///< vertices that a thread takes at a time; 0: the runtime chooses
};

struct triangles_result {
  std::uint64_t triangles = 0;
  std::uint64_t edges = 0;  ///< of the simple undirected graph
};

/// Counts the triangles of the simple undirected graph underlying `graph`: directions are dropped, repeated edges count
/// once, self-loops not at all.
///
/// Cost: O(edges^1.5) time at worst. Memory: none if the graph is undirected and no vertex has more than 16 arcs.
/// Otherwise 4 bytes an edge (8 with 64-bit vertices), up to 16 more an edge where rows are dense, 16 bytes a vertex,
/// and 1 bit a vertex for every thread. A directed graph without the rows of its in-edges is first copied in undirected
/// form. Reports one unit of progress for each vertex with arcs, unless all have few. Throws cancelled; std::bad_alloc.
CALLISTO_API triangles_result count_triangles(const any_graph& graph, const triangles_options& options = {},
                                              const run_control& control = {});

namespace needs {
/// Returns the bytes that count_triangles() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t triangles(const any_graph& graph);
}  // namespace needs

}  // namespace callisto::graph
