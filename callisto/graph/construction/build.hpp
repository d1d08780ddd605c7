// Building CSR graphs from lists of edges, and graphs with other rows from graphs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// Treatment of edges that are listed more than once. An undirected edge repeats in either direction.
enum class repeats {
  remove,       ///< one stays; of a weighted edge the lightest
  keep,         ///< all stay, adjacent in the row; weighted ones by ascending weight
  heaviest,     ///< one stays, the heaviest
  first,        ///< one stays, the first in the list
  sum,          ///< one stays, with the sum of the weights; without weights, with their number, unless it is the same
                ///< for all edges between different vertices: then the graph has no weights
  sum_weights,  ///< weighted edges as `sum`, unweighted ones as `remove`
};

/// Treatment of edges from a vertex to itself.
enum class loops {
  keep,    ///< a loop is one entry in its row, also in an undirected graph
  remove,  ///< loops are dropped
};

/// How a list of edges becomes a graph.
struct build_options {
  bool undirected = false;  ///< ignore the direction of edges; implied if the list's meaning is undirected
  graph::repeats repeats = graph::repeats::remove;
  graph::loops loops = graph::loops::keep;
  bool in_edges = true;  ///< a directed graph gets the rows of its in-edges, too; else csr_graph::in() is empty
};

/// Counts of a build.
struct build_report {
  std::uint64_t lines = 0;       ///< edges in the list
  std::uint64_t self_loops = 0;  ///< edges of the list from a vertex to itself, repeats included
  std::uint64_t repeats = 0;     ///< edges of the list that repeat an earlier one; loops count if they are kept
  std::uint64_t arcs = 0;        ///< stored out-edges, csr_graph::arcs()
};

/// Builds the graph of the edges in `list`. Leaves `list` empty, also if building fails, and frees its memory on the
/// way. Rows ascend. The result depends on the list and the options only, never on the number of threads.
///
/// Time: linear in edges and vertices. Memory beyond the list: 4 to 8 bytes for each arc (8 to 10 with short weights,
/// 16 with other weights), then the graph; list and graph are never in memory together.
///
/// Throws usage_error if an edge names a vertex outside [0, vertices) or the list has more than 2^37 vertices,
/// weight_error if the weights of repeats have no finite sum, memory_error if memory would not suffice, std::bad_alloc,
/// and cancelled.
CALLISTO_API any_graph build_graph(any_edge_list&& list, const build_options& options = {},
                                   const run_control& control = {}, build_report* report = nullptr);

/// Returns the undirected graph in which u and v are neighbours if `graph` has an arc between them, in either
/// direction; `repeats` says what becomes of two arcs. `graph` may be undirected: its repeats are removed then. Takes
/// the time and throws the errors of build_graph().
CALLISTO_API any_graph symmetrized(const any_graph& graph, loops loops = loops::keep, const run_control& control = {},
                                   repeats repeats = repeats::remove);

/// Returns the graph without edges from a vertex to itself. Takes the time and throws the errors of build_graph().
CALLISTO_API any_graph without_self_loops(const any_graph& graph, const run_control& control = {});

/// Returns the graph with the rows of its in-edges; builds them if they are missing.
CALLISTO_API any_graph with_in_edges(any_graph&& graph, const run_control& control = {});

/// Returns the number of stored arcs from vertices to themselves; two binary searches in each row.
CALLISTO_API std::uint64_t count_self_loops(const any_graph& graph, const run_control& control = {});

namespace needs {
/// Bytes that build_graph() takes at most beyond its list while it builds rows of up to `arcs` arcs; `weight_bytes`: 0,
/// 2 or 8 for each arc.
CALLISTO_API std::uint64_t build(std::uint64_t vertices, std::uint64_t arcs, std::uint64_t weight_bytes) noexcept;
/// Bytes that symmetrized() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t symmetrize(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
