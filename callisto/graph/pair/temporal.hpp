// Paths that respect time: each edge can be used at its own time, and not before one is there.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace callisto::graph {

struct temporal_options {
  double from = -std::numeric_limits<double>::infinity();  ///< the start; no earlier edge is used
  double until = std::numeric_limits<double>::infinity();  ///< no edge is used that ends later
  bool strict = false;  ///< an edge is used only after the arrival, not at its very time
};

template <class Vertex>
struct CALLISTO_API temporal_result {
  machine::page_array<double> arrival;  ///< by vertex: the earliest; infinity where none leads; `from` at the source
  machine::page_array<std::uint64_t> contacts;  ///< by vertex: edges of the path found
  machine::page_array<Vertex> before;           ///< by vertex: the one before it on that path; itself if there is none
  std::uint64_t reached = 0;                    ///< vertices, the source included

  /// Returns the vertices of the path to `target`; empty if none leads there.
  std::vector<std::uint64_t> path_to(std::uint64_t target) const;
};

/// Finds how early each vertex can be reached from `source` (Wu et al., PVLDB 2014: earliest-arrival paths). `times`:
/// by number of edge (edge_numbers.hpp) when it begins; not a number: it cannot be used. `durations`: how long it
/// takes, 0 or more; empty: no time. An undirected edge can be used either way. Of paths that arrive at the same time,
/// that of fewest edges counts, of these that by the smallest vertex.
///
/// Method: Dijkstra's, for to be there earlier is never worse. One thread works. Cost: m log n. Memory:
/// needs::earliest_arrival(). Throws usage_error for a source that is no vertex, other numbers of times or durations
/// than edges, a negative duration, or 2^32 vertices or more; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API temporal_result<Vertex> earliest_arrival(const csr_graph<Vertex>& graph, std::uint64_t source,
                                                      std::span<const double> times, std::span<const double> durations,
                                                      const temporal_options& options = {},
                                                      const run_control& control = {});

/// Returns by arc of the rows of out-edges the number of its edge.
template <class Vertex>
CALLISTO_API machine::page_array<std::uint64_t> edges_of_arcs(const csr_graph<Vertex>& graph);

namespace needs {
/// Returns the bytes that earliest_arrival() takes at most beyond the graph and its times, its result included.
CALLISTO_API std::uint64_t earliest_arrival(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
