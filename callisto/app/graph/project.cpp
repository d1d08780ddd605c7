// callisto project: writes the projection of a two-mode graph onto one of its modes.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/output.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/graph/subgraph/projection.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace callisto::app {
namespace {

struct projection_arguments {
  graph_input input;
  graph_output output;
  run_options run;
  graph::projection_options options;
};

void run(const projection_arguments& o, const std::stop_token& stop) {
  o.run.apply({o.input.file, o.output.file});
  o.output.check(o.run.as_json);
  refuse_same_file(o.input.file, o.output.file);
  progress_bar bar(o.run.progress_wanted());
  bar.expect(loading_and({{"projection", 10}, {"writing", 6}}));
  const graph::run_control context{&bar, stop};
  loaded_graph loaded = o.input.load(context);
  const auto by_label = [](const auto& g) { return g.by_label().empty(); };
  if (!std::visit(by_label, loaded.graph)) loaded.graph = graph::in_label_order(loaded.graph, context);
  graph::any_graph part =
      std::visit([&](const auto& graph) { return graph::projection(graph, o.options, context); }, loaded.graph);
  const written_file written = o.output.write(part, {context});
  bar.finish();
  tell_written(o.run, written, part, loaded.seconds, [&] {
    json object = describe(o.input, loaded);
    object["weight"] = graph::name_of(o.options.weight);
    object["written"] = describe(written, part);
    return object;
  });
}

}  // namespace

command add_project(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("project", "Write the projection of a two-mode graph onto one of its modes");
  const auto o = std::make_shared<projection_arguments>();
  parser.add_option("IN", o->input.file, "The graph, in any format ('-': standard input)").required();
  o->output.add_to(parser);
  add_parsed(
      parser, "--onto", "MODE",
      [o](const std::string& text) {
        if (text != "from" && text != "to") throw usage_error("--onto: expected from or to, found '" + text + "'");
        o->options.onto_targets = text == "to";
      },
      "Keep the vertices that edges lead from, or those that they lead to [from]")
      .words({"from", "to"});
  add_parsed(
      parser, "--weight", "WHAT",
      [o](const std::string& text) {
        for (const auto w :
             {graph::projection_weight::common, graph::projection_weight::jaccard, graph::projection_weight::newman}) {
          if (text != graph::name_of(w)) continue;
          o->options.weight = w;
          return;
        }
        throw usage_error("--weight: expected common, jaccard or newman, found '" + text + "'");
      },
      "What edges weigh: neighbours in common, their share of all neighbours (jaccard),\nor 1 / (d - 1) for each of "
      "degree d (newman) [common]")
      .words({"common", "jaccard", "newman"});
  add_parsed(
      parser, "--at-least", "N",
      [o](const std::string& text) { o->options.least = parse_count("--at-least", text, 1); },
      "Leave out edges between vertices with fewer neighbours in common [1]");
  o->input.uses_attributes = [out = &o->output] { return out->keeps_attributes(); };
  o->input.add_loading_options(parser);
  o->run.add_to(parser);
  parser.more(
      "A vertex of the other mode with d neighbours alone makes d (d - 1) / 2 edges: `--at-least 2` leaves out most. "
      "Where ids of both modes are equal numbers, `--bipartite` tells them apart.");
  parser.memory({"", "8 n (16 n) a thread, and the list and rows of the result, which grow with it"});
  parser.keys({
      {"`weight`", "what edges weigh: `common`, `jaccard` or `newman`"},
      {"`written`", "as of convert"},
  });
  parser.footer(
      "In a two-mode graph edges lead from the vertices of one mode, such as people, to those of another,\n"
      "such as clubs. The projection joins people with clubs in common. Weights of the two-mode graph\n"
      "play no part, and repeated edges count once. Vertices keep their attributes.\n\n"
      "Examples:\n"
      "  callisto project members.csv friends.csv\n"
      "  callisto project ratings.csv films.cg --bipartite --onto to --at-least 5 --weight jaccard");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
