// Vectors of vertices, for programs that learn: FastRP.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

struct embedding_options {
  std::uint32_t dimensions = 128;
  /// Weights of the own vector, then of the mean over neighbours after the first, second ... step.
  std::vector<double> steps = {0, 0, 1, 1};
  /// Power of the degree by which the random vector of a vertex is multiplied: below 0 hubs count less.
  double degree_power = 0;
  weight_use weights = weight_use::none;  ///< strength: means over neighbours are by weight
  std::uint64_t seed = 1;
};

/// Returns the vectors of all vertices in a row, each of length 1 or, for a vertex that no step reaches,
/// of zeros. Vertices with alike neighbourhoods have alike vectors. Directions play no part; repeated edges count each.
/// The result depends on the graph and the options alone: a vertex draws its random vector from the seed and its label.
///
/// Method: FastRP (Chen, Sultan, Tian, Chen and Skiena, CIKM'19): random vectors of entries -1, 0 and 1 (Achlioptas
/// 2003) are averaged over neighbours step by step, and the results, each scaled to length 1, are added.
///
/// Cost: a step reads `dimensions` floats an arc. Memory: needs::fast_random_projection(). Reports arcs as progress.
/// Throws usage_error for no dimension, no step, a negative weight, or a directed graph without the rows of its
/// in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API machine::page_array<float> fast_random_projection(const csr_graph<Vertex>& graph,
                                                               const embedding_options& options = {},
                                                               const run_control& control = {});

namespace needs {
/// Returns the bytes that fast_random_projection() takes beyond the graph, its result included.
CALLISTO_API std::uint64_t fast_random_projection(const any_graph& graph, std::uint32_t dimensions) noexcept;
}  // namespace needs

}  // namespace callisto::graph
