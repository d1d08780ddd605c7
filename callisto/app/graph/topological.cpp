// callisto topological: orders the vertices of an acyclic graph so that arcs lead forward.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/components/topological.hpp>
#include <callisto/graph/components/transitive_reduction.hpp>
#include <callisto/graph/verify/connectivity.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

/// Vertices from which --verify searches, at most, in a reduction.
constexpr std::uint64_t reduced_vertices_checked = 1000;

struct topological_arguments {
  graph_command common;
  bool reduce = false;
};

/// Adds the transitive reduction to what was found.
template <class Vertex>
void reduce(const graph_command& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
            const graph::topological_result<Vertex>& order, analysis& found, const graph::run_control& context) {
  const stopwatch time;
  // shared: lines.append reads it later
  const auto arcs = std::make_shared<graph::arc_list>(graph::transitive_reduction(graph, order.layer, context));
  found.seconds += time.seconds();
  if (o.verify) {
    graph::verify_transitive_reduction(graph, *arcs, reduced_vertices_checked);
    found.tell_verified(fmt::format("what is reached from {} vertices, also without each of their arcs",
                                    with_separators(std::min(graph.vertices(), reduced_vertices_checked))));
  }
  found.facts["reduced_arcs"] = arcs->size();
  found.rows.emplace_back("reduction",
                          fmt::format("{} arcs of {}", with_separators(arcs->size()), with_separators(graph.arcs())));
  found.columns = {"from", "to"};
  found.lines = value_lines{arcs->size(), [arcs, &any](std::string& line, std::uint64_t i) {
                              append_label(line, any, (*arcs)[i].first);
                              line += '\t';
                              append_label(line, any, (*arcs)[i].second);
                            }};
}

template <class Vertex>
analysis analyse_order(const topological_arguments& arguments, const graph::any_graph& any,
                       const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  const graph_command& o = arguments.common;
  const stopwatch time;
  const auto result = std::make_shared<graph::topological_result<Vertex>>(
      graph::topological_order(graph, context));  // shared: lines.append reads it later
  analysis found;
  found.seconds = time.seconds();
  if (o.verify) graph::verify_topological_order(graph, *result);
  if (!result->acyclic()) {
    std::vector<std::uint64_t> cycle = std::move(result->cycle);
    cycle.push_back(cycle.front());
    throw input_error(o.input.file, 0, "no topological order: the graph has a cycle, " + arrows(any, cycle));
  }
  std::uint64_t widest = 0;
  for (std::uint64_t i = 0, first = 0; i < result->order.size(); ++i) {
    if (result->layer[result->order[i]] != result->layer[result->order[first]]) first = i;
    widest = std::max(widest, i + 1 - first);
  }
  found.facts = {{"layers", result->layers}, {"widest_layer", widest}};
  found.rows = {{"layers", with_separators(result->layers) + " (vertices of the longest path)"},
                {"the widest", with_separators(widest) + " vertices"},
                {"time", time_words(found.seconds)}};
  if (o.verify) found.tell_verified("each arc leads forward, and each layer follows from the one before");
  if (arguments.reduce) {
    reduce(o, any, graph, *result, found, context);
    return found;
  }
  found.columns = {"vertex", "layer"};
  found.lines = {result->order.size(), [result, &any](std::string& line, std::uint64_t i) {
                   append_label(line, any, result->order[i]);
                   fmt::format_to(std::back_inserter(line), "\t{}", result->layer[result->order[i]]);
                 }};
  return found;
}

}  // namespace

command add_topological(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("topological", "Order the vertices of a graph without cycles so that arcs lead forward");
  const auto o = std::make_shared<topological_arguments>();
  parser.add_flag("--reduce", o->reduce, "Find the transitive reduction: the arcs without which less is reached")
      .more(
          "An arc is left out if another path leads from its begin to its end (Aho, Garey and Ullman 1972). Takes a "
          "search from each vertex.");
  o->common.add_verify_to(parser, "by looking at each arc; of a reduction by searches from\n1,000 vertices");
  o->common.other_lines = [o = o.get()] { return std::string_view(o->reduce ? "arcs" : "an order"); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>layer' a line in topological\n"
                   "order, with --reduce 'from<TAB>to' a line; with --json the object");
  parser.more(
      "The method is Kahn's (1962), a layer at a time. A graph with a cycle has no such order: the command names one "
      "and exits with status 3. A self-loop is a cycle; `--drop-loops` drops them.");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "48 n (64 n), with `--reduce` 64 m and 24 n (40 n) a thread more"});
  parser.keys({
      {"`layers`", "how many there are: the vertices of the longest path"},
      {"`widest_layer`", "vertices of the largest"},
      {"`reduced_arcs`", "with `--reduce`: the arcs of the transitive reduction"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "The layer of a vertex is the number of arcs on the longest path that ends there, so arcs lead\n"
      "to higher layers. The order is by layer, then as the graph stores its vertices.\n\n"
      "Examples:\n"
      "  callisto topological tasks.csv --directed\n"
      "  callisto topological tasks.csv --quiet | head\n"
      "  callisto topological tasks.csv --reduce --output needed.tsv");
  const auto needs = [o](const graph::any_graph& graph) {
    return graph::needs::topological_order(graph) + (o->reduce ? graph::needs::transitive_reduction(graph) : 0);
  };
  return kernel_command(parser, std::shared_ptr<const graph_command>(o, &o->common), needs,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit([&](const auto& graph) { return analyse_order(*o, any, graph, control); },
                                            any);
                        });
}

}  // namespace callisto::app
