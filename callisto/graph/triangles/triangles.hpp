// Counting triangles.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct triangles_options {
  std::uint64_t batch = 0;  ///< vertices that a thread takes at a time; 0 lets the runtime choose
};

struct triangles_result {
  std::uint64_t triangles = 0;
  std::uint64_t edges = 0;  ///< of the simple undirected graph
};

/// The number of triangles of the simple undirected graph underlying `graph`: directions are dropped, repeated edges
/// count once, self-loops not at all.
///
/// Cost: O(edges^1.5) time in the worst case. Memory: none where no vertex of an undirected graph has more than 16
/// arcs; else 4 bytes an edge (8 if `graph` has 64-bit vertices) and up to 16 more where rows are dense; 16 bytes a
/// vertex, and 1 bit for every thread. A directed graph without the rows of its in-edges is symmetrized first, which
/// takes a copy. Reports one unit of progress for each vertex with arcs, unless all have few. Throws cancelled and
/// std::bad_alloc.
CALLISTO_API triangles_result count_triangles(const any_graph& graph, const triangles_options& options = {},
                                              const run_control& control = {});

namespace needs {
/// Bytes that count_triangles() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t triangles(const any_graph& graph);
}  // namespace needs

}  // namespace callisto::graph
