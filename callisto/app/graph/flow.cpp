// callisto flow: finds the largest flow between two vertices, and the least cut.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/flow/flow.hpp>
#include <callisto/graph/verify/flow.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct flow_arguments {
  graph_command common;
  weight_option weights{graph::weight_use::strength, true};
  std::string from;
  std::string to;
  bool edges = false;
};

template <class Vertex>
analysis analyse_flow(const flow_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                      const graph::run_control& context) {
  const std::uint64_t source = vertex_of(any, o.from, "FROM");
  const std::uint64_t target = vertex_of(any, o.to, "TO");
  const graph::flow_options options{.weighted = o.weights.of(any) == graph::weight_use::strength,
                                    .edges = o.edges || o.common.verify};
  const stopwatch time;
  const auto result = std::make_shared<graph::flow_result>(
      graph::maximum_flow(graph, source, target, options, context));  // shared: lines.append reads it later
  analysis found;
  found.seconds = time.seconds();
  const std::uint64_t target_side = graph.vertices() - result->source_side;
  found.facts = {{"source", label_of(any, source)}, {"target", label_of(any, target)},    {"flow", result->value},
                 {"cut_edges", result->cut.size()}, {"source_side", result->source_side}, {"target_side", target_side}};
  found.rows = {
      {"flow", fmt::format("{}", result->value)},
      {"cut", fmt::format("{}, {} vertices on the side of {} and {} on that of {}", counted(result->cut.size(), "edge"),
                          with_separators(result->source_side), o.from, with_separators(target_side), o.to)}};
  o.weights.tell(found, any);
  found.rows.emplace_back("time", time_words(found.seconds));
  if (o.common.verify) {
    graph::verify_maximum_flow(graph, source, target, options, *result);
    found.tell_verified("what flows in flows out, and the cut is as large as the flow");
  }
  const std::vector<graph::flow_edge>& shown = o.edges ? result->edges : result->cut;
  const std::string key = o.edges ? "flow" : "capacity";
  const auto value = [edges = o.edges](const graph::flow_edge& edge) { return edges ? edge.flow : edge.capacity; };
  found.top = ranking{{"from", "to", key}, {}};
  const auto more = [&](std::uint64_t a, std::uint64_t b) { return value(shown[a]) > value(shown[b]); };
  for (const std::uint64_t i : best_of(shown.size(), o.common.top_count(), more)) {
    found.top->rows.push_back({label_of(any, shown[i].from), label_of(any, shown[i].to), value(shown[i])});
  }
  found.columns = {"from", "to", key};
  found.lines = {shown.size(), [result, value, &shown, &any](std::string& line, std::uint64_t i) {
                   fmt::format_to(std::back_inserter(line), "{}\t{}\t{}", label_of(any, shown[i].from),
                                  label_of(any, shown[i].to), value(shown[i]));
                 }};
  return found;
}

}  // namespace

command add_flow(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("flow", "Find the largest flow between two vertices, and the least cut");
  const auto o = std::make_shared<flow_arguments>();
  parser.add_flag("--edges", o->edges, "List the edges that carry the flow, rather than those of the cut");
  o->weights.add_to(parser, o->common.input);
  o->common.add_top_to(
      parser, "Show the K edges of the cut with the largest capacities, or with --edges\nof the largest flows");
  o->common.add_verify_to(parser, "by what flows in and out, and the capacity of the cut");
  o->common.other_lines = [] { return std::string_view("edges"); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>label<TAB>capacity' a line for\n"
                   "each edge of the cut; with --edges 'label<TAB>label<TAB>flow' for each edge that\n"
                   "carries something; with --json the object");
  parser.add_option("FROM", o->from, "The vertex where the flow begins, as the file calls it").required();
  parser.add_option("TO", o->to, "The vertex where it ends").required();
  parser.more(
      "The method is push-relabel (Goldberg and Tarjan 1988) with the highest label first, gaps and global relabelling "
      "(Cherkassky and Goldberg 1997). Of several least cuts it is the one with the fewest vertices on the side of TO. "
      "Pushes are the work of one thread: each depends on the one before.");
  parser.weights({"", "capacities", "sum", "once"});
  parser.memory({"", "45 n + 120 m (81 n + 120 m); 144 m if directed"});
  parser.keys({
      {"`source`, `target`", "labels of the two vertices"},
      {"`flow`", "its value, which is the capacity of the cut"},
      {"`cut_edges`", "edges of the cut"},
      {"`source_side`, `target_side`", "vertices on either side of it"},
      {"`weights`", "`strength`: weights are capacities; `none`: each edge carries 1"},
      {"`verified`", "true with `--verify`"},
      {"`top`",
       "the edges of largest capacity in the cut: objects with `from`, `to` and `capacity`; with `--edges` those of "
       "the largest flows, with `flow` in its place"},
  });
  parser.footer(
      "Weights are capacities; without weights each edge carries 1, and the flow is the number of paths\n"
      "that share no edge. Directions count; an undirected edge carries its capacity either way.\n\n"
      "Examples:\n"
      "  callisto flow pipes.csv well town\n"
      "  callisto flow web.cg 17 4 --weights none --output cut.tsv\n"
      "  callisto flow pipes.csv well town --edges --json | jq .flow");
  return {parser, [o](const std::stop_token& stop) {
            o->common.execute(
                stop, graph::needs::maximum_flow, [o](const graph::any_graph& any, const graph::run_control& control) {
                  return std::visit([&](const auto& graph) { return analyse_flow(*o, any, graph, control); }, any);
                });
          }};
}

}  // namespace callisto::app
