// The two weights that delta-stepping is tuned by: the width of a bucket, and the heaviest light arc.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/sssp/sssp.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

struct delta_choice {
  double delta = 1;                       ///< width of a bucket
  double light = sssp_result::unreached;  ///< arcs of more weight are heavy; infinity: no arc is
  double light_share = 0;                 ///< light arcs by all arcs, in the sample
  double degree = 0;                      ///< arcs of a vertex that has arcs, estimated from a sample
};

/// Chooses delta and light from a sample of 1024 weights and 1024 vertices. If `given` is above 0, delta and light are
/// `given`. If more than half of the sampled arcs are light, none counts as heavy: splitting would save too little.
template <class Vertex>
CALLISTO_API delta_choice choose_delta(const csr_graph<Vertex>& graph, double given);

/// Chooses as above, for a graph of which a process has some rows: given the weights of sampled_arcs(), and the sum of
/// sampled_with_arcs() over the vertices [first, last) of all processes.
template <class Vertex>
CALLISTO_API delta_choice choose_delta(const csr_graph<Vertex>& graph, double given, std::vector<double> weights,
                                       std::uint64_t connected);
CALLISTO_API std::vector<std::uint64_t> sampled_arcs(std::uint64_t arcs);
template <class Vertex>
CALLISTO_API std::uint64_t sampled_with_arcs(const csr_graph<Vertex>& graph, std::uint64_t first, std::uint64_t last);

}  // namespace callisto::graph
