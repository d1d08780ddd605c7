// The check of a largest flow.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/flow/flow.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>

namespace callisto::graph {

/// Checks a flow with its edges, and its cut, by what proves both: no edge carries more than its capacity; at each
/// vertex but the two as much flows out as in; the cut has all edges between its sides; and its capacity is the flow's
/// value. Sums of fractions may differ by 1e-9 of the value. Takes 8 bytes a vertex. Throws wrong_result.
template <class Vertex>
CALLISTO_API void verify_maximum_flow(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                      const flow_options& options, const flow_result& result);

}  // namespace callisto::graph
