// Shortest paths themselves: the vertices on them, not only their lengths. Targets end a search early.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/sssp/sssp.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace callisto::graph {

/// By vertex: the vertex before it on a shortest path; the source is its own.
template <class Vertex>
using parent_map = machine::page_array<Vertex>;

/// The parent of a vertex that is not reached.
template <class Vertex>
constexpr Vertex no_parent = std::numeric_limits<Vertex>::max();

/// Returns the parents of shortest paths from `source`, given the distances. An arc is *tight* if its end is as far
/// away as its beginning and its weight together. If tight arcs from nearer vertices lead to a vertex, the smallest of
/// these is its parent. Vertices that only arcs without length lead to get parents breadth-first from the vertices with
/// parents, in order of vertices. Negative weights are accepted; parents are then found breadth-first from the source.
/// The result depends on the graph alone.
///
/// `distances` come from sssp() or bellman_ford(). Cost: one look at each arc. Memory: 4 bytes a vertex (8 with 64-bit
/// vertices), and the same for each vertex that only arcs without length lead to. Throws usage_error for a directed
/// graph without the rows of its in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API parent_map<Vertex> shortest_path_parents(const csr_graph<Vertex>& graph, std::uint64_t source,
                                                      const distance_map& distances, const run_control& control = {});

/// A shortest path to one target.
struct target_path {
  double distance = sssp_result::unreached;
  std::vector<std::uint64_t> vertices;  ///< from the source to the target; empty if there is no path
};

struct target_paths {
  std::vector<target_path> paths;  ///< one for each target, in the order of the targets
  bool early = false;              ///< whether the search ended before it had reached all that it can
  std::uint64_t relaxations = 0;   ///< arcs looked at
};

/// Returns shortest paths from `source` to `targets`. Dijkstra's algorithm, on one thread, ends as soon as it has all
/// targets. If it has looked at one arc in 128 before, delta-stepping searches from the beginning, with all
/// threads. Which of several shortest paths is returned depends on the graph and the targets alone.
///
/// Takes the weights that sssp() takes; throws as sssp() does, and usage_error if a target is not a vertex.
template <class Vertex>
CALLISTO_API target_paths paths_to(const csr_graph<Vertex>& graph, std::uint64_t source,
                                   std::span<const std::uint64_t> targets, const sssp_options& options = {},
                                   const run_control& control = {});

/// Returns the path from the source to `target` along `parents`, the source first; nothing if it is not reached.
template <class Vertex>
CALLISTO_API std::vector<std::uint64_t> path_along(const parent_map<Vertex>& parents, std::uint64_t target);

/// Returns how long a path is that goes on from u to v after a length of `before`, by the lightest arc. Returns
/// infinity if there is no arc.
template <class Vertex>
CALLISTO_API double length_behind(const csr_graph<Vertex>& graph, double before, std::uint64_t u, std::uint64_t v);

namespace needs {
/// Returns the bytes that shortest_path_parents() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t shortest_path_parents(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
