// The k-truss decomposition: how deep in triangles every edge lies.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// The edges of the simple undirected graph underlying a graph, ascending by ends, the smaller end first.
template <class Vertex>
struct truss_result {
  machine::page_array<Vertex> from;
  machine::page_array<Vertex> to;
  /// By edge: the largest k such that the k-truss has it. The k-truss is the largest subgraph in which every edge is in
  /// at least k - 2 triangles. An edge without triangles has 2.
  machine::page_array<std::uint32_t> trussness;
  std::uint32_t highest = 0;    ///< the largest trussness; 0 without edges
  std::uint64_t innermost = 0;  ///< edges of that trussness
};

/// Computes the trussness of every edge of the simple undirected graph underlying `graph`: directions are dropped,
/// repeated edges count once, self-loops not at all. The result depends on the graph alone.
///
/// Method: peeling (Cohen 2008; Wang and Cheng, PVLDB'12) in rounds, as PKT (Kabir and Madduri, HPEC'17). Edges in k
/// triangles or fewer are removed together; each lowers the counts of the two other edges of its triangles. Edges near
/// k wait in buckets, as the vertices of kcore() do. Rows lose removed edges every 64 values of k.
///
/// Time: edges times the square root of edges at most, as for counting triangles. Memory: 16 bytes an edge for rows and
/// numbers of edges, 12 for the result, 8 for edges that wait; more with 64-bit vertices or over 2^32 edges. Reports
/// edges as progress. Throws usage_error for a directed graph without the rows of its in-edges; cancelled;
/// std::bad_alloc.
template <class Vertex>
CALLISTO_API truss_result<Vertex> truss(const csr_graph<Vertex>& graph, const run_control& control = {});

namespace needs {
/// Returns the bytes that truss() took at most, beyond the graph, on all graphs tried; its lists have no useful bound.
CALLISTO_API std::uint64_t truss(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
