// callisto closeness: finds how near all other vertices are to every vertex.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/source_options.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/closeness/closeness.hpp>
#include <callisto/graph/verify/closeness.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

namespace callisto::app {
namespace {

struct closeness_arguments {
  graph_command common;
  graph::closeness_options scoring;
  weight_option weights{graph::weight_use::length, false};

  graph::closeness_options on(const graph::any_graph& graph) const {
    graph::closeness_options made = scoring;
    made.weights = weights.of(graph);
    return made;
  }
};

analysis analyse(const closeness_arguments& o, const graph::any_graph& graph, const graph::run_control& context) {
  const graph::closeness_options scoring = o.on(graph);
  const stopwatch time;
  // shared: append_values reads it later
  const auto scored = std::make_shared<graph::closeness_result>(graph::closeness(graph, scoring, context));
  analysis found;
  found.seconds = time.seconds();
  const bool exact = scored->standard_errors.empty();
  found.facts = {{"measure", scoring.harmonic ? "harmonic" : "closeness"},
                 {"distances", scoring.outgoing ? "outgoing" : "incoming"},
                 {"sources", scored->sources},
                 {"exact", exact}};
  if (scoring.harmonic) found.facts["normalized"] = scoring.normalized;
  if (!exact) found.facts["seed"] = scoring.seed;
  found.rows = {{scoring.harmonic ? "harmonic closeness" : "closeness",
                 fmt::format("{} in {}", exact ? "exact" : "from " + counted(scored->sources, "random source"),
                             time_words(found.seconds))}};
  if (size_of(graph).directed) {
    found.rows.emplace_back("distances", scoring.outgoing ? "from the vertex" : "to the vertex");
  }
  if (scoring.error != 0) {
    found.facts["error"] = scoring.error;
    found.facts["confidence"] = scoring.confidence;
    found.rows.emplace_back("error", exact ? "none: so small an error needs all sources"
                                           : fmt::format("mean distances within {} of the diameter, with confidence {}",
                                                         scoring.error, scoring.confidence));
    if (scoring.harmonic && !exact) {
      found.rows.back().second =
          fmt::format("normalized scores within {}, with confidence {}", scoring.error, scoring.confidence);
    }
  }
  o.weights.tell(found, graph);
  if (o.common.verify) {
    graph::verify_closeness(graph, scoring, *scored, 100, context);
    found.tell_verified("by Dijkstra's algorithm from 100 vertices");
  }
  set_vertex_estimates(found, graph, scored, &graph::closeness_result::scores,
                       &graph::closeness_result::standard_errors, o.common.top_count(), "score");
  return found;
}

}  // namespace

command add_closeness(const command_parser& app) {
  const command_parser parser = app.add_subcommand("closeness", "Rank the vertices by how near all others are to them");
  const auto o = std::make_shared<closeness_arguments>();
  parser.add_flag("--harmonic", o->scoring.harmonic, "Sum reciprocal distances (harmonic closeness)");
  parser.add_flag("--outgoing", o->scoring.outgoing, "Take distances from the vertex, not to it");
  parser.add_flag("--normalized", o->scoring.normalized, "Divide harmonic sums by n - 1");
  o->weights.add_to(parser, o->common.input);
  add_parsed(
      parser, "--samples", "K",
      [o](const std::string& text) { o->scoring.samples = parse_count("--samples", text, 1); },
      "Estimate from distances to K random vertices instead of all")
      .more("K is at most the number of vertices. Each score then has a standard error.");
  add_parsed(
      parser, "--error", "E",
      [o](const std::string& text) {
        o->scoring.error = parse_real("--error", text, {.low = 0, .high = 1, .above_low = true});
      },
      "Estimate from as many vertices as bound the error by E")
      .more(
          "The bound holds for all vertices at once, with the confidence. It is on normalized harmonic scores "
          "(lengths of 1 and more), or on mean distances as shares of the diameter (Eppstein and Wang 2004).");
  add_parsed(
      parser, "--confidence", "C",
      [o](const std::string& text) {
        o->scoring.confidence = parse_real("--confidence", text, {.low = 0, .high = 1, .above_low = true});
      },
      "Probability with which --error holds [0.9]");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->scoring.seed = parse_count("--seed", text, 0); },
      "Choose the sample by this seed [1]");
  o->common.add_top_to(parser, "Show the K highest scores");
  o->common.add_verify_to(parser, "by Dijkstra's algorithm from 100 vertices");
  o->common.add_to(parser,
                   "Write all scores to FILE ('-': standard output), 'label<TAB>score' a line in\n"
                   "order of labels, an estimate with its standard error; with --json the object");
  parser.more(
      "Closeness of a vertex is r / S * r / (n - 1): r other vertices reach it, S is the sum of their distances, n "
      "the number of vertices. That is NetworkX's definition, with the factor for graphs that are not connected "
      "(wf_improved). Harmonic closeness is the sum of 1 / distance.");
  parser.weights({"--weights length", "lengths", "min", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "(17 + 2 v + 240 for each thread) n; with lengths 24 m and (130 + 100 for each thread) n"});
  parser.keys({
      {"`measure`", "`closeness` or `harmonic`"},
      {"`distances`", "`incoming`: to the vertex, or `outgoing`: from it"},
      {"`sources`", "number of vertices at the other ends of distances"},
      {"`exact`", "whether they are all"},
      {"`normalized`", "of `harmonic`: whether sums are divided by n - 1"},
      {"`seed`, `error`, `confidence`", "of an estimate: as given"},
      {"`weights`", "`length`, or `none` if the graph has none or they were not used"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "as of pagerank; objects of an estimate have `standard_error`, too"},
  });
  parser.footer(
      "Distances count arcs, or are sums of weights with --weights length; in directed graphs they lead\n"
      "to the vertex. Loops play no part; of repeated arcs the shortest counts.\n\n"
      "Examples:\n"
      "  callisto closeness friends.txt.gz --undirected --top 20\n"
      "  callisto closeness roads.gr --weights length --samples 1000\n"
      "  callisto closeness web.cg --harmonic --normalized --error 0.02");
  return {parser, [o](const std::stop_token& stop) {
            const auto needs = [o](const graph::any_graph& graph) {
              check_sampling(o->scoring.samples, o->scoring.error, graph);
              graph::check_closeness_arguments(graph, o->on(graph));
              return graph::needs::closeness(graph, o->on(graph));
            };
            o->common.execute(stop, needs, [o](const graph::any_graph& graph, const graph::run_control& context) {
              return analyse(*o, graph, context);
            });
          }};
}

}  // namespace callisto::app
