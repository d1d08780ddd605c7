// The order of a graph's vertices in memory: hubs first where that is fast, the user's where that matters.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

namespace callisto::graph {

/// The same graph with its vertices numbered by falling degree, those without arcs last: hubs, which are in most rows,
/// lie together and stand first in each row. On graphs with hubs, searches and PageRank are several times as fast. The
/// labels go with the vertices; csr_graph::by_label() lists them in the user's order.
///
/// Takes about as long as building the graph, and its memory once more. Throws usage_error for a directed graph without
/// the rows of its in-edges, cancelled, and std::bad_alloc.
CALLISTO_API any_graph hubs_first(const any_graph& graph, const run_control& control = {});

/// The same graph with its vertices numbered as their labels ascend. Time and memory as hubs_first. Throws cancelled
/// and std::bad_alloc.
CALLISTO_API any_graph in_label_order(const any_graph& graph, const run_control& control = {});

namespace needs {
/// Bytes that hubs_first() and in_label_order() take at most beyond the graph, their result included.
CALLISTO_API std::uint64_t reorder(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
