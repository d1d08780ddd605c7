// callisto forest: finds the lightest edges that connect all that is connected.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/forest/spanning_forest.hpp>
#include <callisto/graph/verify/structure.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

struct forest_arguments {
  graph_command common;
  graph::forest_options options;
};

template <class Vertex>
analysis analyse_forest(const forest_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                        const graph::run_control& context) {
  const stopwatch time;
  // shared: lines.append reads it later
  const auto forest = std::make_shared<graph::forest_result>(graph::spanning_forest(graph, o.options, context));
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"weight", forest->weight},
                 {"forest_edges", forest->edges.size()},
                 {"trees", forest->trees},
                 {"heaviest", o.options.heaviest},
                 {"weights", graph.weighted() ? "length" : "none"}};
  found.rows = {{"edges of the forest", with_separators(forest->edges.size())},
                {graph.weighted() ? "their weight" : "their weight, 1 each", fmt::format("{}", forest->weight)},
                {"trees", with_separators(forest->trees)},
                {"time", time_words(found.seconds)}};
  if (graph.directed()) found.rows.emplace_back("directions", "not used");
  if (o.common.verify) {
    graph::verify_forest(graph, o.options, *forest);
    found.tell_verified("against Kruskal's algorithm");
  }
  const bool weighted = graph.weighted();
  found.columns = {"from", "to"};
  if (weighted) found.columns.emplace_back("weight");
  found.lines = {forest->edges.size(), [forest, &any, weighted](std::string& line, std::uint64_t i) {
                   const graph::forest_edge& edge = forest->edges[i];
                   fmt::format_to(std::back_inserter(line), "{}\t{}", label_of(any, edge.from), label_of(any, edge.to));
                   if (weighted) fmt::format_to(std::back_inserter(line), "\t{}", edge.weight);
                 }};
  return found;
}

}  // namespace

command add_forest(const command_parser& app) {
  const command_parser parser = app.add_subcommand("forest", "Find the lightest edges that connect all vertices");
  const auto o = std::make_shared<forest_arguments>();
  parser.add_flag("--heaviest", o->options.heaviest, "Find the heaviest edges instead: the maximum spanning forest");
  o->common.add_verify_to(parser, "by Kruskal's algorithm");
  o->common.input.set_usual_repeats(
      [&options = o->options] { return options.heaviest ? graph::repeats::heaviest : graph::repeats::remove; },
      "min; max with --heaviest");
  o->common.input.add_random_weights(parser);
  o->common.other_lines = [] { return std::string_view("edges"); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>label<TAB>weight' a line for each\n"
                   "edge of the forest, without the last column of a graph without weights; with\n"
                   "--json the object");
  parser.more(
      "Of edges of equal weight the one with the smaller ends comes first, so the result does not depend on threads. "
      "Weights may be negative. The output is an edge list that Callisto reads.");
  parser.weights({"", "lengths", "min", "once"});
  parser.weights({"--heaviest", "gains", "max", "once"});
  parser.memory({"", "96 n + 8 m (136 n + 16 m): more with directions, which double m, or fractional weights"});
  parser.keys({
      {"`weight`", "sum of the weights of the forest's edges"},
      {"`forest_edges`, `trees`", "its edges and its trees"},
      {"`heaviest`", "whether it is the maximum spanning forest"},
      {"`weights`", "`length`, or `none` if the graph has none: each edge weighs 1"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "The minimum spanning forest has a tree for each connected component. Directions and loops\n"
      "play no part; of edges between the same vertices the lightest counts, or the heaviest\n"
      "with --heaviest; without weights all weigh 1. The method is Boruvka's, light edges first.\n\n"
      "Examples:\n"
      "  callisto forest roads.gr --output tree.txt\n"
      "  callisto forest ties.wel --heaviest --verify");
  return kernel_command(parser, {o, &o->common}, graph::needs::spanning_forest,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit([&](const auto& graph) { return analyse_forest(*o, any, graph, control); },
                                            any);
                        });
}

}  // namespace callisto::app
