// The sizes, degrees and irregularities of a graph, found in one pass over its rows.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// Degrees of all vertices, in stored arcs; all 0 if the graph has no vertices.
struct degree_summary {
  std::uint64_t min = 0;
  double mean = 0;
  std::uint64_t max = 0;
};

struct graph_statistics {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;            ///< stored out-edges, csr_graph::arcs()
  std::uint64_t self_loops = 0;      ///< stored arcs from a vertex to itself
  std::uint64_t repeated_arcs = 0;   ///< stored arcs that equal an earlier one of their row
  std::uint64_t repeated_loops = 0;  ///< those of them that are self-loops
  std::uint64_t edges = 0;           ///< of the simple undirected graph: distinct unordered pairs without loops
  degree_summary out;
  degree_summary in;
  std::uint64_t isolated = 0;  ///< vertices without any arc, loops included
  std::uint64_t dangling = 0;  ///< vertices without out-arcs; isolated ones are among them
  std::uint64_t bytes = 0;     ///< csr_bytes() of the graph
};

/// Returns the bytes of the rows: offsets, targets and weights of the out-edges and, in a directed graph, of the
/// in-edges. Labels are not included.
CALLISTO_API std::uint64_t csr_bytes(const any_graph& graph) noexcept;

/// Computes the statistics, in parallel; reads every row once or twice. Throws usage_error for a directed graph without
/// the rows of its in-edges, and cancelled.
CALLISTO_API graph_statistics compute_statistics(const any_graph& graph, const run_control& control = {});

/// Returns the share of pairs of vertices that are joined, in the simple graph: of a directed graph of ordered pairs. 0
/// with fewer than two vertices.
CALLISTO_API double density(const graph_statistics& statistics, bool directed) noexcept;

/// Returns the share of arcs of a directed graph that have their reverse, of distinct arcs without loops (Newman,
/// Forrest and Balthrop 2002); 1 of an undirected graph. NaN without arcs.
CALLISTO_API double reciprocity(const graph_statistics& statistics, bool directed) noexcept;

/// Returns the correlation of the degrees at both ends of edges, from -1 to 1 (Newman 2002; of a directed graph 2003:
/// of the out-degree that an arc comes from and the in-degree that it leads to), in the simple graph: repeats count
/// once, loops not at all. NaN without edges, or if the degrees at an end are all equal. Takes 8 bytes a vertex, 16 of
/// a directed graph. Throws usage_error for a directed graph without the rows of its in-edges; cancelled;
/// std::bad_alloc.
CALLISTO_API double degree_assortativity(const any_graph& graph, const run_control& control = {});

}  // namespace callisto::graph
