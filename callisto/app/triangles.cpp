// callisto triangles: the number of triangles of a graph.
#include <callisto/app/command.hpp>
#include <callisto/app/graph_input.hpp>
#include <callisto/app/run_options.hpp>
#include <callisto/app/stopwatch.hpp>
#include <callisto/app/text.hpp>
#include <callisto/graph/triangles.hpp>
#include <callisto/workers/runtime.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace callisto::app {
namespace {

struct options {
  graph_input input;
  run_options run;
  std::string output;
};

void run(const options& o, const std::stop_token& stop) {
  o.run.apply({o.input.file, o.output});
  refuse_same_file(o.input.file, o.output);
  result out(o.output);
  progress_bar bar(o.run.progress_wanted());
  const graph::context context{&bar, stop};
  const loaded_graph loaded = o.input.load(context);
  const stopwatch time;
  const graph::triangles_result found = graph::count_triangles(loaded.graph, {}, context);
  const double seconds = time.seconds();
  bar.finish();

  if (o.run.as_json) {
    json object = describe(o.input, loaded);
    object["undirected_edges"] = found.edges;
    object["triangles"] = found.triangles;
    object["seconds"] = {{"load", loaded.seconds}, {"compute", seconds}};
    object["threads"] = threads();
    out.write(o.run.to_text(std::move(object)));
  } else if (o.run.quiet) {
    out.write(std::to_string(found.triangles) + '\n');
  } else {
    table facts = name_value_table();
    describe(o.input, loaded, facts);
    facts.add_row({"undirected edges", with_separators(found.edges)});
    facts.add_row({"triangles", with_separators(found.triangles)});
    facts.add_row({"time", fmt::format("{} ({})", human_seconds(seconds), counted(threads(), "thread"))});
    out.write(facts.render());
  }
  out.commit();
}

}  // namespace

command add_triangles(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("triangles", "Count the triangles of a graph");
  const auto o = std::make_shared<options>();
  add_output(*parser, o->output, "Write the result to FILE");
  o->input.add_to(*parser);
  o->run.add_to(*parser);
  parser->footer(
      "Directions, repeated edges and loops play no part: triangles are counted in the\nunderlying simple graph.\n\n"
      "Examples:\n"
      "  callisto triangles friends.txt.gz\n"
      "  callisto triangles friends.cg --json | jq .triangles");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
