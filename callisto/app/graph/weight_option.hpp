// The option --weights: the meaning of the weights of edges to a kernel.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/weight_use.hpp>

#include <optional>

namespace callisto::app {

/// The option of a kernel that can use weights in one way: as strengths or as lengths. It also decides what repeats of
/// edges become: strengths add up; of lengths, and of weights that are not used, the least stays.
struct weight_option {
  graph::weight_use meaning;  ///< meaning of weights, if they are used
  bool by_default;            ///< they are used unless the user says none
  std::optional<graph::weight_use> asked = {};

  /// Adds --weights to `parser`, and tells `input` what becomes of repeats and of weights that are lengths by the file.
  /// This object must outlive both. Call it before input.add_to().
  void add_to(const command_parser& parser, graph_input& input);
  /// Does the same for a command that gives its kernels no choice: they take the weights of their graph as strengths of
  /// ties. `none` leaves the weights out of the graph. Lines of a list without weights add up, too.
  void add_for_ties(const command_parser& parser, graph_input& input);

  /// Returns what the weights of `graph` are taken for. Throws usage_error if the user asks for weights that the graph
  /// lacks.
  graph::weight_use of(const graph::any_graph& graph) const;

  /// True if weights are strengths unless the user says otherwise, and the user has not.
  bool is_usual_strength() const noexcept {
    return meaning == graph::weight_use::strength && by_default && !asked.has_value();
  }

  /// Adds what was used to `found`; if the graph has weights that were not used, says so.
  void tell(analysis& found, const graph::any_graph& graph) const;
};

}  // namespace callisto::app
