// Parses --along, and says what was used.
#include <callisto/app/graph/path_options.hpp>

#include <callisto/machine/system/error.hpp>

#include <string>

namespace callisto::app {
namespace {

std::string name_of(graph::path_direction along) {
  switch (along) {
    case graph::path_direction::out:
      return "out";
    case graph::path_direction::in:
      return "in";
    case graph::path_direction::both:
      break;
  }
  return "both";
}

}  // namespace

void path_options::add_to(const command_parser& parser, graph_input& input) {
  add_parsed(
      parser, "--along", "WAY",
      [this](const std::string& text) {
        if (text == "both") {
          along = graph::path_direction::both;
        } else if (text == "out") {
          along = graph::path_direction::out;
        } else if (text == "in") {
          along = graph::path_direction::in;
        } else {
          throw usage_error("--along: expected both, out or in, found '" + text + "'");
        }
      },
      "Follow arcs in both directions, from a vertex (out), or to it (in)\n[both]")
      .words({"both", "out", "in"});
  weights.add_to(parser, input);
}

graph::eccentricity_options path_options::of(const graph::any_graph& graph) const {
  return {along, weights.of(graph) == graph::weight_use::length};
}

void path_options::tell(analysis& found, const graph::any_graph& graph) const {
  found.facts["along"] = name_of(along);
  if (size_of(graph).directed) {
    found.rows.emplace_back("directions", along == graph::path_direction::both  ? "not used; --along out uses them"
                                          : along == graph::path_direction::out ? "from the vertex"
                                                                                : "to the vertex");
  }
  weights.tell(found, graph);
}

}  // namespace callisto::app
