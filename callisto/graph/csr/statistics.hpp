// What can be said about a graph after one pass over it: sizes, degrees, irregularities.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// Degrees over all vertices, in stored arcs; all 0 for a graph without vertices.
struct degree_summary {
  std::uint64_t min = 0;
  double mean = 0;
  std::uint64_t max = 0;
};

struct graph_statistics {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;           ///< stored, as csr_graph::arcs()
  std::uint64_t self_loops = 0;     ///< stored arcs from a vertex to itself
  std::uint64_t repeated_arcs = 0;  ///< stored arcs that equal an earlier one of their row
  std::uint64_t edges = 0;          ///< of the simple undirected graph: distinct unordered pairs, loops dropped
  degree_summary out;
  degree_summary in;
  std::uint64_t isolated = 0;  ///< vertices without any arc, not even a loop
  std::uint64_t dangling = 0;  ///< vertices without out-arcs; isolated ones are among them
  std::uint64_t bytes = 0;     ///< csr_bytes of the graph
};

/// Memory of the rows: offsets, targets and weights of the out- and, in a directed graph, of the in-edges. The names of
/// the vertices come on top.
CALLISTO_API std::uint64_t csr_bytes(const any_graph& graph) noexcept;

/// Reads every row once or twice, in parallel. Throws usage_error for a directed graph without the rows of its
/// in-edges, and cancelled.
CALLISTO_API graph_statistics compute_statistics(const any_graph& graph, const run_control& control = {});

}  // namespace callisto::graph
