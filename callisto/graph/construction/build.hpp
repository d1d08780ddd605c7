// Building CSR graphs from lists of edges, and other rows from the rows of a graph.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// What becomes of edges that are listed more than once. An undirected edge repeats in either direction.
enum class repeats {
  remove,  ///< one of them stays; of a weighted edge the lightest
  keep,    ///< all stay, next to each other; weighted ones by ascending weight
};

/// What becomes of edges from a vertex to itself.
enum class loops {
  keep,    ///< one entry in the row, also when undirected
  remove,  ///< they are dropped
};

/// The choices that turn a list of edges into a graph.
struct build_options {
  bool undirected = false;  ///< ignore the direction of edges; lists whose meaning is undirected need no asking
  graph::repeats repeats = graph::repeats::remove;
  graph::loops loops = graph::loops::keep;
  bool in_edges = true;  ///< a directed graph also gets the rows of its in-edges; without them csr_graph::in() is empty
};

/// What building met and made.
struct build_report {
  std::uint64_t lines = 0;       ///< edges of the list
  std::uint64_t self_loops = 0;  ///< lines from a vertex to itself, repeats included
  std::uint64_t repeats = 0;     ///< lines, loops included if they are kept, that repeat another one
  std::uint64_t arcs = 0;        ///< out-edges stored, as csr_graph::arcs() counts them
};

/// The graph of the edges in `list`, which is left empty; its memory is freed on the way, also if building fails.
/// Rows ascend. The result depends on the list and the options only, never on the number of threads.
///
/// Takes time linear in edges and vertices. Beyond the list it needs 4 to 8 bytes for every arc (8 to 10 with short
/// weights, 16 with others) and then the graph itself, but never list and graph at once.
///
/// Throws usage_error if an edge names a vertex outside [0, vertices) or the list has more than 2^37 vertices,
/// std::bad_alloc, and graph::cancelled when `control` asks to stop.
CALLISTO_API any_graph build_graph(any_edge_list&& list, const build_options& options = {},
                                   const run_control& control = {}, build_report* report = nullptr);

/// The undirected graph of the same edges, each once: u and v are neighbours if there is an arc between them. Of two
/// weighted arcs the lighter stays. `graph` may be undirected already. Time and errors as build_graph.
CALLISTO_API any_graph symmetrized(const any_graph& graph, loops loops = loops::keep, const run_control& control = {});

/// The same graph without edges from a vertex to itself. Time and errors as build_graph.
CALLISTO_API any_graph without_self_loops(const any_graph& graph, const run_control& control = {});

/// The same graph with the rows of its in-edges, which are built if they are missing.
CALLISTO_API any_graph with_in_edges(any_graph&& graph, const run_control& control = {});

/// The number of vertices that are their own neighbour. Scans the rows by binary search.
CALLISTO_API std::uint64_t count_self_loops(const any_graph& graph, const run_control& control = {});

namespace needs {
/// Bytes that build_graph() takes at most beyond its list while it builds rows of up to `arcs` arcs; `weight_bytes`: 0,
/// 2 or 8 for each arc.
CALLISTO_API std::uint64_t build(std::uint64_t vertices, std::uint64_t arcs, std::uint64_t weight_bytes) noexcept;
/// Bytes that symmetrized() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t symmetrize(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
