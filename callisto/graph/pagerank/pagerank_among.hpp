// PageRank by several processes, each with the rows of some vertices.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>

namespace callisto::graph {

/// Computes the PageRank as pagerank() does, together with control.among: each process sweeps its own vertices, and the
/// contributions of all vertices are replicated after each of the four colours. The scores are those of one process to
/// the last bit; above 4,194,304 vertices they are the same for any number of processes, and those of one process to
/// 1e-12. All scores where the result is told; elsewhere those of the process' own vertices.
///
/// Memory of a process: 16 bytes a vertex, 2 more for what is sent, and 64 for each vertex of its part. Throws as
/// pagerank(); usage_error also for weights with sums that leave the range of usual numbers.
CALLISTO_API pagerank_result pagerank_among(const any_graph& graph, const pagerank_options& options,
                                            const shared_control& control);

}  // namespace callisto::graph
