// The check of closeness (verify.hpp).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/closeness/closeness.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>

namespace callisto::graph {

/// Checks the scores of up to `most` vertices, spread evenly: each by a sequential search from the vertex against the
/// arcs (Dijkstra's algorithm), and by the sums over the same sources. Takes 24 bytes a vertex. Throws wrong_result;
/// cancelled.
CALLISTO_API void verify_closeness(const any_graph& graph, const closeness_options& options,
                                   const closeness_result& result, std::uint64_t most = 100,
                                   const run_control& control = {});

}  // namespace callisto::graph
