// callisto info: tells what a file holds.
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/attribute_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/overview_words.hpp>
#include <callisto/graph/csr/statistics_among.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace callisto::app {
namespace {

struct info_arguments {
  graph_input input;
  run_options run;
  std::string output;
};

json to_json(const graph::degree_summary& degrees) {
  return {{"min", degrees.min}, {"mean", degrees.mean}, {"max", degrees.max}};
}

void run(const info_arguments& o, const std::stop_token& stop) {
  o.run.apply({o.input.file, o.output});
  refuse_same_file(o.input.file, o.output);
  result out(rank_job::tells() ? o.output : std::string());
  progress_bar bar(o.run.progress_wanted() && rank_job::tells());
  const graph::run_control context{&bar, stop};
  const loaded_graph loaded = o.input.load(context);
  if (o.input.options.verify && !loaded.report.native) {
    throw usage_error("--verify: only native files have checksums, and " + o.input.file + " is none");
  }
  const graph::graph_statistics found = graph::statistics_among(loaded.graph, {context, rank_job::among()});
  bar.finish();
  if (!rank_job::tells()) return;
  const auto routes = loaded.report.native ? graph::open_routes(o.input.file) : std::nullopt;
  // An undirected edge is stored in both rows, a loop once.
  const bool directed = size_of(loaded.graph).directed;
  const std::uint64_t repeats = directed ? found.repeated_arcs : (found.repeated_arcs + found.repeated_loops) / 2;

  if (o.run.as_json) {
    json object = describe(o.input, loaded);
    object["self_loops"] = found.self_loops;
    object["repeated_edges"] = repeats;
    object["undirected_edges"] = found.edges;
    object["out_degree"] = to_json(found.out);
    object["in_degree"] = to_json(found.in);
    object["isolated"] = found.isolated;
    object["dangling"] = found.dangling;
    object["density"] = graph::density(found, directed);
    object["reciprocity"] = graph::reciprocity(found, directed);
    object["attributes"] = describe_attributes(loaded.graph);
    object["routes"] = json(nullptr);
    if (routes) {
      std::visit(
          [&](const auto& r) { object["routes"] = {{"arcs", r.arcs()}, {"weights", r.weighted ? "length" : "none"}}; },
          *routes);
    }
    object["bytes"] = found.bytes;
    object["verified"] = o.input.options.verify;
    object["seconds"] = {{"load", loaded.seconds}};
    object["threads"] = threads();
    if (rank_job::ranks() > 1) object["ranks"] = rank_job::ranks();
    out.write(o.run.to_text(std::move(object)));
  } else if (!o.run.quiet || out.to_file()) {
    table facts = name_value_table();
    describe(o.input, loaded, facts);
    if (const graph::build_report& listed = loaded.report.build;
        !loaded.report.native && listed.lines != loaded.edges) {
      facts.add_row({"listed edges", fmt::format("{}: {} self-loops, {} repeats", with_separators(listed.lines),
                                                 with_separators(listed.self_loops), with_separators(listed.repeats))});
    }
    facts.add_row({"self-loops", with_separators(found.self_loops)});
    facts.add_row({"repeated edges", with_separators(repeats)});
    facts.add_row({"undirected edges", with_separators(found.edges) + " (simple: loops and repeats dropped)"});
    facts.add_row({directed ? "out-degree" : "degree", degree_words(found.out)});
    if (directed) facts.add_row({"in-degree", degree_words(found.in)});
    facts.add_row({"isolated", with_separators(found.isolated) + " vertices"});
    facts.add_row({"dangling", with_separators(found.dangling) + " vertices without out-edges"});
    facts.add_row({"density", fmt::format("{:.4g}", graph::density(found, directed))});
    if (const double back = graph::reciprocity(found, true); directed && !std::isnan(back)) {
      facts.add_row({"reciprocity", fmt::format("{:.4f} of arcs have their reverse", back)});
    }
    describe_attributes(loaded.graph, facts);
    if (routes) {
      std::visit(
          [&](const auto& r) {
            facts.add_row({"routes", fmt::format("{} arcs and shortcuts, by {}", with_separators(r.arcs()),
                                                 r.weighted ? "weights" : "numbers of edges")});
          },
          *routes);
    }
    facts.add_row({"memory", human_bytes(found.bytes)});
    if (o.input.options.verify) facts.add_row({"checksums", "correct"});
    out.write(facts.render());
  }
  out.commit();
}

}  // namespace

command add_info(const command_parser& app) {
  const command_parser parser = app.add_subcommand("info", "Say what a graph file holds");
  const auto o = std::make_shared<info_arguments>();
  parser.add_flag("--verify", o->input.options.verify, "Check every checksum and every row of a native file");
  add_output(parser, o->output, "Write the result to FILE");
  o->input.uses_attributes = [] { return true; };
  o->input.add_to(parser);
  o->run.add_to(parser);
  parser.more("Vertices, edges, self-loops, repeated edges, degrees and memory.");
  parser.memory({"", "1 MiB a thread"});
  parser.keys({
      {"`self_loops`", "edges of the graph from a vertex to itself"},
      {"`repeated_edges`", "edges of the graph that equal another; 0 unless repeats were kept"},
      {"`undirected_edges`", "edges of the simple undirected graph: distinct unordered pairs, loops dropped"},
      {"`out_degree`, `in_degree`", "objects with `min`, `mean` and `max`, counting stored arcs"},
      {"`isolated`", "vertices without any arc"},
      {"`dangling`", "vertices without out-arcs, isolated ones included"},
      {"`density`",
       "share of pairs of vertices that are joined, without loops and repeats; of directed graphs of ordered pairs"},
      {"`reciprocity`",
       "share of arcs that have their reverse, without loops and repeats; 1 of undirected graphs, null without arcs"},
      {"`attributes`",
       "the columns of `vertices` and of `edges`: lists of objects with `name`, `type` (`int64`, `double`, `bool`, "
       "`string`) and `missing`, the number of rows without a value"},
      {"`routes`",
       "of a native file with `convert --routes`: object with `arcs` (arcs and shortcuts) and `weights` "
       "(`length`, or `none`: by numbers of edges); else null"},
      {"`bytes`", "memory of the graph"},
      {"`verified`", "whether `--verify` was given (and found nothing wrong)"},
  });
  parser.footer(
      "Examples:\n"
      "  callisto info graph.txt.gz\n"
      "  callisto info graph.cg --verify --quiet && echo intact\n"
      "  zcat graph.txt.gz | callisto info - --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
