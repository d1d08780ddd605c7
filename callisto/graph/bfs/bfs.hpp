// Breadth-first search: how many arcs away every vertex is, and which vertex comes before it on the way.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>

namespace callisto::graph {

struct bfs_options {
  bool distances = true;  ///< false: only parents are wanted
  /// Vertices farther away than this are not looked for.
  std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();
};

template <class Vertex>
struct bfs_result {
  static constexpr Vertex no_parent = std::numeric_limits<Vertex>::max();
  static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

  machine::page_array<Vertex> parents;           ///< by vertex; the source's is itself, no_parent: not reached
  machine::page_array<std::uint32_t> distances;  ///< arcs of a shortest path from the source; empty if not wanted
  std::uint64_t reached = 0;                     ///< vertices with a parent
  std::uint64_t arcs = 0;                        ///< that leave those
  std::uint32_t eccentricity = 0;                ///< the largest distance
  std::uint32_t bottom_up = 0;                   ///< levels that were found bottom-up
};

/// Breadth-first search from `source` along out-arcs, by the direction-optimizing algorithm of Beamer, Asanovic and
/// Patterson (SC'12): while few arcs leave the frontier they are followed (top-down); when many do, the vertices not
/// yet reached look for a parent among their in-neighbours (bottom-up), and most find one soon. Where many small levels
/// follow upon each other, as in grids and road networks, threads stay together over them (loop/supersteps.hpp). A
/// directed graph without the rows of its in-edges is searched top-down only. Distances depend on the graph alone;
/// which of several possible parents a vertex gets also depends on which thread was first.
///
/// Cost: at most a look at every arc, and for each bottom-up level at every vertex. Memory: 4 bytes a vertex (8 with
/// 64-bit vertices) for the parents, 4 for the distances if wanted, 3 bits a vertex for bitmaps (and 2 bytes, up to
/// 2^17 vertices), and two lists of vertices as long as the largest frontier of a top-down level; where many levels are
/// small, 8 bytes (16) for each vertex that a small one finds. Reports vertices as progress. Throws usage_error if
/// `source` is not a vertex or a distance reaches 2^32 - 1, cancelled, and std::bad_alloc.
template <class Vertex>
CALLISTO_API bfs_result<Vertex> bfs(const csr_graph<Vertex>& graph, std::uint64_t source,
                                    const bfs_options& options = {}, const run_control& ctx = {});

/// The same against the direction of arcs: all that reaches `source`. A directed graph must have the rows of its
/// in-edges, else usage_error.
template <class Vertex>
CALLISTO_API bfs_result<Vertex> backward_bfs(const csr_graph<Vertex>& graph, std::uint64_t source,
                                             const bfs_options& options = {}, const run_control& ctx = {});

/// The same over arcs of both directions: all that hangs together with `source`. A directed graph must have the rows of
/// its in-edges, else usage_error.
template <class Vertex>
CALLISTO_API bfs_result<Vertex> undirected_bfs(const csr_graph<Vertex>& graph, std::uint64_t source,
                                               const bfs_options& options = {}, const run_control& ctx = {});

namespace needs {
/// Bytes that bfs() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t bfs(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
