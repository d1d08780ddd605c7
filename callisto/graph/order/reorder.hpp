// The order of a graph's vertices in memory: hubs first makes kernels fast, label order suits output.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

namespace callisto::graph {

/// Returns the graph with its vertices numbered by falling degree, vertices without arcs last. Hubs, which occur in
/// most rows, then lie together and stand first in each row: on graphs with hubs, searches and PageRank are several
/// times as fast. Vertices keep their labels; csr_graph::by_label() lists the vertices by label.
///
/// Time: about that of building the graph. Memory: the graph once more. Throws usage_error for a directed graph without
/// the rows of its in-edges, cancelled, and std::bad_alloc.
CALLISTO_API any_graph hubs_first(const any_graph& graph, const run_control& control = {});

/// Returns the graph with its vertices numbered by ascending label. Takes the time and memory of hubs_first(). Throws
/// cancelled and std::bad_alloc.
CALLISTO_API any_graph in_label_order(const any_graph& graph, const run_control& control = {});

/// True if hubs first would make kernels faster: the graph is large, most arcs lead to few vertices, and these lie all
/// over the graph. Looks at all degrees and at some rows; the answer depends on the graph alone. False for a graph with
/// vertices in another order than their labels, or without the rows of its in-edges.
CALLISTO_API bool gains_by_hubs_first(const any_graph& graph, const run_control& control = {});

namespace needs {
/// Bytes that hubs_first() and in_label_order() take at most beyond the graph, their result included.
CALLISTO_API std::uint64_t reorder(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
