// callisto analyze: gives the overview of a graph that a person needs first.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/overview.hpp>
#include <callisto/app/graph/overview_report.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

struct analyze_arguments {
  graph_input input;
  run_options run;
  std::string output;
  overview_options what;
  weight_option weights{graph::weight_use::strength, true};
};

/// Returns the file of the page if --output names none: in the working directory, named after the graph.
std::string page_for(const std::string& file) {
  if (file == "-") return "graph-analysis.html";
  std::filesystem::path name = std::filesystem::path(file).filename();
  for (const char* compressed : {".gz", ".zst"}) {
    if (name.extension() == compressed) name = name.stem();
  }
  return name.stem().string() + "-analysis.html";
}

void run(const analyze_arguments& o, const std::stop_token& stop) {
  // A program that asks for the JSON object does not expect a file.
  const bool wanted = !o.output.empty() || !o.run.as_json;
  const std::string file = !wanted ? "" : o.output.empty() ? page_for(o.input.file) : o.output;
  if (wanted && o.run.as_json) refuse_beside_json(file);
  o.run.apply({o.input.file, file});
  refuse_same_file(o.input.file, file);
  result out(rank_job::tells() ? file : std::string());
  progress_bar bar(o.run.progress_wanted() && rank_job::tells());
  bar.expect(loading_and(survey_stages()));
  const graph::run_control context{&bar, stop};
  const loaded_graph loaded = o.input.load(context);
  overview_options what = o.what;
  what.rank_weights = loaded.rank_weights();
  graph::partners* const among = rank_job::among();
  if (among != nullptr) {
    // Rank 0 alone knows what the file says about its weights.
    what.rank_weights = among->from_first<graph::weight_use>([&] { return std::vector{what.rank_weights}; })[0];
  }
  const overview found = survey(loaded.graph, what, {context, among});
  if (!rank_job::tells()) return;
  bar.finish();
  if (wanted) {
    out.write(to_page(found, o.input, loaded));
    out.commit();
  }
  if (o.run.as_json) {
    json object = describe(o.input, loaded);
    object.update(to_json(found, size_of(loaded.graph).directed));
    object["seed"] = o.what.seed;
    object["page"] = wanted ? json(file) : json();
    object["seconds"] = {{"load", loaded.seconds}};
    for (const overview_step& step : found.steps) object["seconds"][step.name] = step.seconds;
    object["threads"] = threads();
    if (rank_job::ranks() > 1) object["ranks"] = rank_job::ranks();
    print(o.run.to_text(std::move(object)));
  } else if (!is_standard_output(file) && !o.run.quiet) {
    print(to_words(found, o.input, loaded) + fmt::format("\nPage: {}\n", one_line(file)));
  }
}

}  // namespace

command add_analyze(const command_parser& app) {
  const command_parser parser = app.add_subcommand("analyze", "Give an overview of a graph, as a page with pictures");
  const auto o = std::make_shared<analyze_arguments>();
  add_output(parser, o->output,
             "Write the page to FILE ('-': standard output, and no summary)\n"
             "[NAME-analysis.html for the graph NAME.txt.gz; none with --json]");
  add_parsed(
      parser, "--samples", "K", [o](const std::string& text) { o->what.samples = parse_count("--samples", text, 1); },
      "Random sources of betweenness [16 to 256, by the size of the graph]")
      .more(
          "By default all vertices if their searches look at 2^28 arcs or less, which is exact; else so many that all "
          "searches together look at about 2^31 arcs. Scores then have standard errors.");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->what.seed = parse_count("--seed", text, 0); },
      "Choose the sources by this seed [1]")
      .more("Those of betweenness and those of distances.");
  add_parsed(
      parser, "--top", "K", [o](const std::string& text) { o->what.top = parse_count("--top", text, 0, 100'000); },
      "Show the K best vertices, and the K largest components and communities [10]");
  o->weights.add_for_ties(parser, o->input);
  o->input.add_to(parser);
  o->run.add_to(parser);
  parser.more(
      "Distances and components take edges in both directions. A part that cannot be computed, because "
      "memory does not suffice or because the weights cannot be used, is left out with its reason.");
  parser.weights({"its communities", "strengths", "sum", "counted"});
  parser.weights({"its PageRank", "strengths", "sum", "once"});
  parser.weights({"the rest", "not used", "once", "once"});
  parser.memory({"", "the most of degrees, components, distances, communities, clustering, pagerank and betweenness"});
  parser.keys({
      {"`self_loops`, `undirected_edges`, `isolated`, `dangling`, `density`, `reciprocity`", "as of info"},
      {"`assortativity`",
       "correlation of the degrees at both ends of edges, without loops and repeats; of directed graphs of out- with "
       "in-degrees; null if it is undefined"},
      {"`out_degree`, `in_degree`",
       "objects with `min`, `mean`, `max`, and `distribution`: pairs of a degree in stored arcs and the number of "
       "vertices that have it, ascending"},
      {"`components`",
       "object: `count`, `single_vertices`, `largest` (objects with `component`, its smallest label, and `vertices`), "
       "and `distribution`: pairs of a size and the number of components that have it, ascending; of directed graphs "
       "the weak ones"},
      {"`communities`",
       "object: `count`, `modularity`, `weights` (what they were taken for), `largest` (objects with `community`, its "
       "smallest label, and `vertices`), `members` (of each of these the labels of most arcs), and `distribution`, as "
       "of components; by the Leiden method"},
      {"`distances`", "object with the keys below; in the largest component, directions ignored"},
      {"`sources`", "random vertices that were searched from; all, if they are as many as the component has"},
      {"`mean`, `median`, `within_90_percent`", "of the distances of these to all others"},
      {"`pairs`", "by distance from 0 on: how many pairs of a source and a vertex are so far apart"},
      {"`diameter_at_least`, `diameter_at_most`",
       "the largest distance found, and twice the smallest eccentricity found; equal if the diameter is certain"},
      {"`triangles`", "as of triangles"},
      {"`average_clustering`", "as of clustering"},
      {"`wedges`", "paths of two edges in the underlying simple undirected graph"},
      {"`global_clustering`",
       "the share of them that a third edge closes: 3 * `triangles` / `wedges`; 0 if there are none"},
      {"`pagerank`", "object: `iterations`, `converged`, `weights`, `top`"},
      {"`betweenness`", "object: `sources`, `exact`, `top`; scores are normalized"},
      {"`top`", "objects with `vertex`, `score` and `degree`, in the underlying simple undirected graph"},
      {"`not_computed`", "objects with `step` and `reason`: that part is null"},
      {"`seed`", "as given"},
      {"`page`", "the page written; null if none was"},
      {"`seconds`", "also the time of each step, under its name: `degrees`, and the parts above"},
  });
  parser.footer(
      "Size, degrees, components, communities, distances and diameter, triangles and clustering, the vertices of "
      "highest\n"
      "PageRank and betweenness: a summary here, and a page to open in a browser, which needs no other files and no "
      "network.\n\n"
      "Examples:\n"
      "  callisto analyze friends.txt.gz\n"
      "  callisto analyze web.cg --output web.html --samples 256\n"
      "  callisto analyze web.cg --json | jq .distances.mean");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
