// Projections of two-mode graphs: edges between vertices of one mode that have neighbours in common.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <string_view>

namespace callisto::graph {

/// Meaning of the weight of an edge of a projection.
enum class projection_weight {
  common,   ///< neighbours in common
  jaccard,  ///< their share of the neighbours of either
  newman,   ///< 1 / (d - 1) for each common neighbour, of degree d (Newman 2001)
};

/// Returns the name that users give it: "common", "jaccard", "newman".
CALLISTO_API std::string_view name_of(projection_weight weight) noexcept;

struct projection_options {
  bool onto_targets = false;  ///< onto the vertices to which edges lead, else onto those from which they lead
  projection_weight weight = projection_weight::common;
  std::uint64_t least = 1;  ///< neighbours in common that an edge stands for at least
};

/// Returns the undirected graph of one mode of a directed graph: its edges lead from the vertices of one mode to
/// vertices of the second mode. Repeated edges count once. All vertices of the mode stay, with their labels and
/// columns. The labels of `graph` must ascend with its vertices.
///
/// Cost: the squares of the degrees of the other mode; a vertex of that mode with many neighbours alone makes an edge
/// between any two of them. Memory: the result, and 8 bytes a vertex for each thread. Reports vertices as progress.
/// Throws usage_error for an undirected graph, for one with a vertex of both modes, and without the rows of in-edges;
/// memory_error if the edges would not fit; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API any_graph projection(const csr_graph<Vertex>& graph, const projection_options& options = {},
                                  const run_control& control = {});

}  // namespace callisto::graph
