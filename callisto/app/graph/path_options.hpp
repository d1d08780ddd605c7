// The options that say which paths count, and how long they are: --along and --weights.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/distance/eccentricities.hpp>

namespace callisto::app {

struct path_options {
  graph::path_direction along = graph::path_direction::both;
  weight_option weights{graph::weight_use::length, false};

  /// Adds --along and --weights to `parser`. This object and `input` must outlive `parser`.
  void add_to(const command_parser& parser, graph_input& input);

  /// Returns the options of graph::eccentricities(). Throws usage_error if weights are asked for that the graph lacks.
  graph::eccentricity_options of(const graph::any_graph& graph) const;

  /// Adds what was used to `found`.
  void tell(analysis& found, const graph::any_graph& graph) const;
};

}  // namespace callisto::app
