// The graph of a job: every rank has all offsets, and the targets and weights of its part.
#pragma once

#include <callisto/cluster/rank_partners.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::cluster {

/// Returns the partners of a graph that all ranks have, such as a native file that all have mapped: a rank that reads
/// its own rows only takes memory for these only. The graph has no rank's labels or names changed. Called by main of
/// all ranks.
std::unique_ptr<rank_partners> partners_of(const graph::any_graph& graph);

/// Deals the graph of rank 0 to all ranks: replaces `graph` at the other ranks by one of the same size, with labels 0,
/// 1, 2 ... and the rows of that rank; rank 0 keeps the whole. Called by main of all ranks. Throws std::bad_alloc.
void deal_graph(graph::any_graph& graph, const std::vector<std::uint64_t>& bounds);

/// Returns a dealt graph with the weights that graph::with_random_weights() gives; a rank makes those of its rows.
/// Throws graph::cancelled and std::bad_alloc.
graph::any_graph with_random_weights(graph::any_graph&& graph, std::uint64_t seed, graph::partners& among,
                                     const graph::run_control& control);

/// Returns the number of stored arcs from vertices to themselves: each rank looks at its own rows.
std::uint64_t count_self_loops(const graph::any_graph& graph, graph::partners& among);

/// Returns the whole of a dealt graph where the result is told, with labels and names; elsewhere one without rows. For
/// small graphs, as it takes memory for all.
graph::any_graph whole_where_told(const graph::any_graph& graph, graph::partners& among);

/// Returns the bounds of a graph that rank 0 has, at all ranks.
std::vector<std::uint64_t> bounds_of_first(const graph::any_graph& graph);

}  // namespace callisto::cluster
