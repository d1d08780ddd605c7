// Checks of scores and counts by means that differ from the kernels' (verify.hpp).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Checks that scores sum to 1, and that one more sweep of the definition (pagerank.hpp) changes them all together by
/// no more than the result's last change. Takes 8 bytes a vertex. Throws wrong_result.
CALLISTO_API void verify_pagerank(const any_graph& graph, const pagerank_options& options,
                                  const pagerank_result& result);

/// Checks scores against Brandes' algorithm, one source at a time. Each may differ by 1e-6 of itself plus 1e-9 of the
/// largest. Takes 44 bytes a vertex. Throws wrong_result; cancelled.
CALLISTO_API void verify_betweenness(const any_graph& graph, const betweenness_options& options,
                                     const betweenness_result& result, const run_control& control = {});

/// Checks the betweenness of edges in the same way.
CALLISTO_API void verify_edge_betweenness(const any_graph& graph, const betweenness_options& options,
                                          const edge_betweenness_result& result, const run_control& control = {});

/// Checks the number of triangles against for_each_triangle(). Takes 4 bytes an edge (8 with 64-bit vertices) and 16 a
/// vertex. Throws wrong_result; cancelled.
CALLISTO_API void verify_triangles(const any_graph& graph, const triangles_result& result,
                                   const run_control& control = {});

}  // namespace callisto::graph
