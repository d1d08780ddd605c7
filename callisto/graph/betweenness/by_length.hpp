// Brandes' algorithm for paths by length.
#pragma once

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/betweenness/scale.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Sums that the searches make.
struct length_wishes {
  bool squares;  ///< of dependencies: on arcs if these are wanted, else on vertices
  bool arcs;
};

/// Searches from `sources` on all threads. The graph has weights, less than 2^32 - 1 vertices and its in-rows. Throws
/// weight_error if a length is not above 0; cancelled.
template <class Vertex>
source_sums search_by_length(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources,
                             length_wishes wishes, const run_control& control);

/// Returns the bytes that these searches take at most.
std::uint64_t bytes_by_length(const any_graph& graph, bool arcs, bool squares) noexcept;

}  // namespace callisto::graph
