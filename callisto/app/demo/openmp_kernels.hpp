// PageRank and triangle counting with plain OpenMP loops, for comparison with Callisto's loops.
//
// The loop bodies are the same as in Callisto's versions (graph/pagerank/kernel.hpp, graph/triangles/kernel.hpp). So
// are the data, the order of the loops, and the serial parts between them. Only the distribution of iterations differs.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/triangles/triangles.hpp>

#include <cstdint>
#include <string>

namespace callisto::app {

/// Computes graph::pagerank with `threads` OpenMP threads, and schedule(dynamic, batch) for the sweeps. Ignores
/// options.batch. Throws usage_error if batch or threads is 0. Throws what graph::pagerank throws.
graph::pagerank_result pagerank_openmp(const graph::any_graph& graph, const graph::pagerank_options& options,
                                       std::uint64_t batch, unsigned threads);

/// Computes graph::count_triangles with `threads` OpenMP threads, and schedule(dynamic, batch) for the loops over rows.
/// Throws usage_error if batch or threads is 0, or if the graph is directed and has no in-edges.
graph::triangles_result triangles_openmp(const graph::any_graph& graph, std::uint64_t batch, unsigned threads);

/// Sums `iterations` short iterations, with as many threads as OpenMP takes.
double sum_openmp(long iterations);

/// Returns the name of the OpenMP implementation, such as "GCC libgomp".
std::string openmp_runtime_name();

}  // namespace callisto::app
