// The option --weights: what a kernel takes the weights of edges for.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/weight_use.hpp>

#include <optional>

namespace callisto::app {

/// The option of a kernel that can use weights in one way: as strengths or as lengths.
struct weight_option {
  graph::weight_use meaning;  ///< what weights are, if they are used
  bool by_default;            ///< they are used unless the user says none
  std::optional<graph::weight_use> asked = {};

  /// Adds --weights to `parser`. This object must outlive `parser`.
  void add_to(const command_parser& parser);

  /// Returns what the weights of `graph` are taken for. Throws usage_error if the user asks for weights that the graph
  /// lacks.
  graph::weight_use of(const graph::any_graph& graph) const;

  /// Adds what was used to `found`; if the graph has weights that were not used, says so.
  void tell(analysis& found, const graph::any_graph& graph) const;
};

}  // namespace callisto::app
