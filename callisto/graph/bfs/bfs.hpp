// Breadth-first search: the distance of every vertex from a source, in arcs, and its parent on a shortest path.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>

namespace callisto::graph {

struct bfs_options {
  bool distances = true;  ///< false: only parents are wanted
  /// The search ends at this distance: vertices farther away stay unreached.
  std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();
};

template <class Vertex>
struct bfs_result {
  static constexpr Vertex no_parent = std::numeric_limits<Vertex>::max();
  static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

  machine::page_array<Vertex> parents;           ///< by vertex; the source is its own; no_parent: not reached
  machine::page_array<std::uint32_t> distances;  ///< by vertex, in arcs from the source; empty if not wanted
  std::uint64_t reached = 0;                     ///< vertices with a parent
  std::uint64_t arcs = 0;                        ///< arcs that leave the reached vertices
  std::uint32_t eccentricity = 0;                ///< the largest distance
  std::uint32_t bottom_up = 0;                   ///< levels that were searched bottom-up
};

/// Searches breadth-first from `source` along out-arcs, by the direction-optimizing algorithm of Beamer, Asanovic and
/// Patterson (SC'12). While few arcs leave the frontier, the search follows them (top-down). When many do, the
/// unreached vertices look for a parent among their in-neighbours (bottom-up), and most find one soon. Where many small
/// levels follow each other, as in grids and road networks, threads stay together over them (loop/supersteps.hpp). A
/// directed graph without the rows of its in-edges is searched top-down only.
///
/// Distances depend on the graph alone. If a vertex has several possible parents, the one it gets also depends on the
/// order in which threads run.
///
/// Cost: at most one look at every arc, and for each bottom-up level one at every vertex. Memory: 4 bytes a vertex (8
/// with 64-bit vertices) for the parents; 4 for the distances if wanted; 3 bits for bitmaps, and 2 bytes up to 2^17
/// vertices; two lists of vertices, each as long as the largest frontier of a top-down level; where many levels are
/// small, 8 bytes (16) for each vertex that these find. Reports vertices as progress. Throws usage_error if `source` is
/// not a vertex or a distance reaches 2^32 - 1; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API bfs_result<Vertex> bfs(const csr_graph<Vertex>& graph, std::uint64_t source,
                                    const bfs_options& options = {}, const run_control& control = {});

/// Searches as bfs() does, but against the direction of arcs: reaches every vertex that reaches `source`. Throws
/// usage_error for a directed graph without the rows of its in-edges.
template <class Vertex>
CALLISTO_API bfs_result<Vertex> backward_bfs(const csr_graph<Vertex>& graph, std::uint64_t source,
                                             const bfs_options& options = {}, const run_control& control = {});

/// Searches as bfs() does, but over arcs of both directions: reaches the weakly connected component of `source`. Throws
/// usage_error for a directed graph without the rows of its in-edges.
template <class Vertex>
CALLISTO_API bfs_result<Vertex> undirected_bfs(const csr_graph<Vertex>& graph, std::uint64_t source,
                                               const bfs_options& options = {}, const run_control& control = {});

namespace needs {
/// Bytes that bfs() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t bfs(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
