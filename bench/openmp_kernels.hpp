// PageRank and triangle counting with plain OpenMP loops, to compare Callisto's loops with.
//
// The bodies of the loops are those of Callisto's versions (graph/pagerank/kernel.hpp, graph/triangles/kernel.hpp), as
// are the data, the order of the loops and what runs serially between them. Only what distributes iterations differs.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/triangles/triangles.hpp>

#include <cstdint>
#include <string>

namespace callisto::bench {

/// graph::pagerank by `threads` OpenMP threads, with schedule(dynamic, batch) for the sweeps; options.batch is not
/// looked at. Throws usage_error if batch or threads is 0, and as graph::pagerank.
graph::pagerank_result pagerank_openmp(const graph::any_graph& graph, const graph::pagerank_options& options,
                                       std::uint64_t batch, unsigned threads);

/// graph::count_triangles by `threads` OpenMP threads, with schedule(dynamic, batch) for the loops over rows. Throws
/// usage_error if batch or threads is 0 or if the graph is directed and has no in-edges.
graph::triangles_result triangles_openmp(const graph::any_graph& graph, std::uint64_t batch, unsigned threads);

/// The OpenMP implementation behind the kernels, such as "GCC libgomp".
std::string openmp_runtime_name();

}  // namespace callisto::bench
