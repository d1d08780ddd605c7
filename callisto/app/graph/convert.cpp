// callisto convert: converts a graph from one format to another format.
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/output.hpp>
#include <callisto/graph/files/formats/table_rules.hpp>
#include <callisto/graph/files/native_file.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

struct convert_arguments {
  graph_input input;
  graph_output output;
  run_options run;
};

void run(const convert_arguments& o, const std::stop_token& stop) {
  o.run.apply({o.input.file, o.output.file});
  o.output.check(o.run.as_json);
  if (rank_job::ranks() > 1) o.output.check_over_ranks();
  refuse_same_file(o.input.file, o.output.file);
  progress_bar bar(o.run.progress_wanted() && rank_job::tells());
  bar.expect(loading_and({{"writing", 6}}));
  const graph::run_control context{&bar, stop};
  graph_input input = o.input;
  input.options.copies = o.output.order.empty() || o.output.order == "given" ? 0 : 1;
  loaded_graph loaded = input.load(context);
  written_file written = o.output.write(loaded.graph, {context, rank_job::among()});
  if (rank_job::tells() && loaded.report.native && !o.output.routes && graph::open_routes(o.input.file)) {
    written.lost.emplace_back("the routes of IN are not kept; --routes makes new ones");
    say(written.path + ": " + written.lost.back());
  }
  bar.finish();
  if (!rank_job::tells()) return;
  tell_written(o.run, written, loaded.graph, loaded.seconds, [&] {
    json object = describe(o.input, loaded);
    object["written"] = describe(written);
    if (rank_job::ranks() > 1) object["ranks"] = rank_job::ranks();
    return object;
  });
}

}  // namespace

command add_convert(const command_parser& app) {
  const command_parser parser = app.add_subcommand("convert", "Write a graph in another format");
  const auto o = std::make_shared<convert_arguments>();
  o->output.hints_at_order = true;
  o->output.offers_routes = true;
  parser.add_option("IN", o->input.file, "The graph, in any format ('-': standard input)").required();
  o->output.add_to(parser);
  o->input.uses_attributes = [out = &o->output] { return out->keeps_attributes(); };
  o->input.add_loading_options(parser);
  o->input.add_random_weights(parser);
  o->run.add_to(parser);
  parser.weights({"", "kept", "min", "once"});
  std::vector<rule_row> rules;
  for (const auto& [question, rule, flag] : graph::formats::table_rules())
    rules.emplace_back(std::string(question), std::string(rule), std::string(flag));
  parser.rules(std::move(rules));
  parser.memory({"--order", "the graph once more, and 20 n (32 n); 2 m (4 m if directed) with wide weights"});
  parser.memory(
      {"--routes", "64 n + 72 m (80 n + 96 m); if directed 96 n + 144 m (112 n + 192 m); as on all graphs tried"});
  parser.keys({
      {"`written`",
       "object with `file`, `format` and `bytes` of the output (`bytes` 0 if it is not a regular file), `lost`: "
       "what the file does not keep of the graph, a list of texts, and `order` of its vertices: `hubs` first, by "
       "`labels`, "
       "or as `given`; with `order_seconds` for the first two; with `--routes` also `routes`, an object with `arcs` "
       "(arcs and shortcuts) and `seconds`"},
  });
  parser.footer(
      "Edges are written as they are held: repeats removed and, with --undirected, each once.\n\n"
      "Examples:\n"
      "  callisto convert graph.txt.gz graph.cg             opens in milliseconds afterwards\n"
      "  callisto convert graph.txt.gz graph.cg --order hubs\n"
      "  callisto convert roads.gr roads.cg --routes        for 'callisto path roads.cg FROM TO'\n"
      "  callisto convert graph.cg graph.mtx.zst\n"
      "  callisto convert - out.txt --to edge-list --undirected --drop-loops < graph.txt");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
