// The statistics of a graph by several processes, each with the rows of some vertices.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/degrees.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/statistics.hpp>

namespace callisto::graph {

/// Computes the statistics as compute_statistics() does, together with control.among: each process reads its own rows,
/// and all processes get the sums.
CALLISTO_API graph_statistics statistics_among(const any_graph& graph, const shared_control& control);

/// Count the degrees as count_degrees(), and correlate them as degree_assortativity(), in the same way. The latter
/// takes 8 bytes a vertex, 16 of a directed graph.
CALLISTO_API degree_distribution count_degrees_among(const any_graph& graph, const shared_control& control);
CALLISTO_API double degree_assortativity_among(const any_graph& graph, const shared_control& control);

}  // namespace callisto::graph
