// PageRank by several processes, each with the rows of some vertices.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>

#include <cstdint>

namespace callisto::graph {

/// Computes the PageRank as pagerank() does, together with control.among: each process sweeps its own vertices, and the
/// contributions that its rows read come after each of the four colours: those of all vertices, or where processes read
/// less than half of them the pages that they read. Rows with more arcs than a 16th of a process' share, and 65,536,
/// are summed by all in turn, unless arcs have weights. The scores are those of one process to the last bit; above
/// 4,194,304 vertices they are the same for any number of processes, and those of one process to 1e-12. All scores
/// where the result is told; elsewhere those of the process' own vertices.
///
/// Memory of a process: 88 bytes for each vertex of its part; 8 for each other vertex that its rows read, 2 more for
/// what is sent, 10 for all where most are read; 8 a vertex where the result is told. Throws as pagerank(); usage_error
/// also for weights with sums that leave the range of usual numbers.
CALLISTO_API pagerank_result pagerank_among(const any_graph& graph, const pagerank_options& options,
                                            const shared_control& control);

namespace needs {
/// Returns about how many bytes of memory this process needs for pagerank_among().
CALLISTO_API std::uint64_t pagerank_among(const any_graph& graph, const partners& among);
}  // namespace needs

}  // namespace callisto::graph
