// Reads --weights, and tells what was used.
#include <callisto/app/graph/weight_option.hpp>

#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <string>

namespace callisto::app {

void weight_option::add_to(const command_parser& parser, graph_input& input) {
  if (meaning == graph::weight_use::strength) {
    input.set_usual_repeats(
        [this] {
          return asked.value_or(by_default ? meaning : graph::weight_use::none) == meaning ? graph::repeats::sum_weights
                                                                                           : graph::repeats::remove;
        },
        by_default ? "sum of weights" : "min; sum of weights with --weights strength");
    input.leaves_weights_out = [this](bool lengths) { return lengths && is_usual_strength(); };
  }
  const std::string name = graph::name_of(meaning);
  const bool strength = meaning == graph::weight_use::strength;
  add_parsed(
      parser, "--weights", "USE",
      [this, name](const std::string& text) {
        if (text == "none") {
          asked = graph::weight_use::none;
        } else if (text == name) {
          asked = meaning;
        } else if (text == "strength" || text == "length") {
          throw usage_error(fmt::format("--weights: this kernel takes weights as {} or none, not as {}", name, text));
        } else {
          throw usage_error(fmt::format("--weights: expected {} or none, found '{}'", name, text));
        }
      },
      fmt::format("What weights of edges are: {} ({})\nor none [{}]", name,
                  strength ? "of ties, more is closer" : "of paths, more is farther",
                  by_default ? name + " if the graph has weights" : "none"))
      .words({name, "none"});
}

void weight_option::add_for_ties(const command_parser& parser, graph_input& input) {
  add_to(parser, input);
  input.set_usual_repeats([] { return graph::repeats::sum; }, "sum");
  input.leaves_weights_out = [this](bool lengths) {
    return asked == graph::weight_use::none || (lengths && is_usual_strength());
  };
}

graph::weight_use weight_option::of(const graph::any_graph& graph) const {
  const bool weighted = size_of(graph).weighted;
  if (asked && *asked != graph::weight_use::none && !weighted && size_of(graph).arcs != 0) {
    throw usage_error(fmt::format("--weights {}: the graph has no weights", graph::name_of(*asked)));
  }
  if (!weighted) return graph::weight_use::none;
  return asked.value_or(by_default ? meaning : graph::weight_use::none);
}

void weight_option::tell(analysis& found, const graph::any_graph& graph) const {
  const graph::weight_use used = of(graph);
  if (used != graph::weight_use::none) return found.tell_weights(used);
  found.facts["weights"] = graph::name_of(used);
  if (size_of(graph).weighted) {
    const std::string name = graph::name_of(meaning);
    found.rows.emplace_back("weights", asked ? "not used" : fmt::format("not used; --weights {} uses them", name));
  }
}

}  // namespace callisto::app
