// callisto betweenness: finds how many shortest paths lead through every vertex.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/source_options.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/cluster/betweenness.hpp>
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/verify/scores.hpp>
#include <callisto/machine/host/cache_counters.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {
namespace {

struct betweenness_arguments {
  graph_command common;
  graph::betweenness_options scoring;
  weight_option weights{graph::weight_use::length, false};
  bool edges = false;

  graph::betweenness_options on(const graph::any_graph& graph) const {
    graph::betweenness_options made = scoring;
    made.weights = weights.of(graph);
    return made;
  }
};

/// Reads --form: "auto", "flat", "inner", or "nested", which a colon and a level may follow. Throws usage_error.
void parse_form(const std::string& text, graph::betweenness_options& into) {
  using form = graph::betweenness_form;
  if (text == "auto") {
    into.form = form::automatic;
  } else if (text == "flat") {
    into.form = form::flat;
  } else if (text == "inner") {
    into.form = form::inner;
  } else if (text == "nested") {
    into.form = form::nested;
  } else if (text.starts_with("nested:")) {
    into.form = form::nested;
    into.level = static_cast<unsigned>(parse_count("--form nested:LEVEL", text.substr(7), 1, nesting::max_level));
  } else {
    throw usage_error(
        fmt::format("--form: expected 'auto', 'flat', 'nested', 'nested:LEVEL' or 'inner', not '{}'", text));
  }
}

/// Returns the form in words, such as "flat" or "nested at level 1".
std::string to_text(graph::betweenness_form form, unsigned level) {
  if (form != graph::betweenness_form::nested) return graph::name_of(form);
  return fmt::format("nested at level {}", level);
}

json to_json(const std::vector<graph::betweenness_trial>& trials) {
  json rows = json::array();
  for (const graph::betweenness_trial& trial : trials) {
    rows.push_back({{"form", graph::name_of(trial.form)},
                    {"level", trial.level},
                    {"searches", trial.sources},
                    {"seconds", trial.seconds}});
  }
  return rows;
}

/// Adds what the processor counted during the searches, for --stats.
void add_counts(machine::cache_counters& counters, analysis& found) {
  const machine::hardware_counts counts = counters.stop();
  const std::string& missing = counters.missing();
  if (!missing.empty()) {
    found.facts["counters"] = {{"missing", missing}};
    found.rows.emplace_back("hardware counters", "not available: " + missing);
    return;
  }
  found.facts["counters"] = {{"cycles", counts.cycles},
                             {"instructions", counts.instructions},
                             {"cache_references", counts.cache_references},
                             {"cache_misses", counts.cache_misses}};
  const auto ratio = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(std::max<std::uint64_t>(1, b));
  };
  found.rows.emplace_back(
      "hardware counters",
      fmt::format("{:.1f} % of {} cache references missed, {:.2f} instructions a cycle",
                  100 * ratio(counts.cache_misses, counts.cache_references), with_separators(counts.cache_references),
                  ratio(counts.instructions, counts.cycles)));
}

/// Adds what an estimate is made of; of exact scores, that they are.
void tell_sources(analysis& found, const graph::betweenness_options& scoring, std::uint64_t sources, bool exact) {
  found.facts["sources"] = sources;
  found.facts["exact"] = exact;
  if (scoring.samples != 0 || scoring.error != 0) found.facts["seed"] = scoring.seed;
  if (scoring.error != 0) {
    found.facts["error"] = scoring.error;
    found.facts["confidence"] = scoring.confidence;
    found.rows.emplace_back("error", exact ? "none: so small an error needs all sources"
                                           : fmt::format("normalized scores within {}, with confidence {}",
                                                         scoring.error, scoring.confidence));
  }
}

/// Returns the best of the edges, or all of them if the user wants them in a file.
ranking best_edges(const betweenness_arguments& o, const graph::any_graph& graph,
                   const graph::edge_betweenness_result& scored) {
  const auto& edges = scored.edges;
  const std::uint64_t count = o.common.top || o.common.output.empty() ? o.common.top_count() : edges.size();
  const auto higher = [&](std::uint64_t a, std::uint64_t b) { return edges[a].score > edges[b].score; };
  ranking best{{"from", "to", "score"}, {}};
  for (const std::uint64_t e : best_of(edges.size(), count, higher)) {
    best.rows.push_back({label_of(graph, edges[e].from), label_of(graph, edges[e].to), edges[e].score});
    if (scored.sources != size_of(graph).vertices) best.errors.push_back(edges[e].standard_error);
  }
  return best;
}

analysis analyse_edges(const betweenness_arguments& o, const graph::any_graph& graph,
                       const graph::run_control& context) {
  const graph::betweenness_options scoring = o.on(graph);
  const stopwatch time;
  const graph::edge_betweenness_result scored = graph::edge_betweenness(graph, scoring, context);
  analysis found;
  found.seconds = time.seconds();
  const bool exact = scored.sources == size_of(graph).vertices;
  found.rows = {
      {"betweenness", fmt::format("of edges, {}{} in {}",
                                  exact ? std::string("exact") : "from " + counted(scored.sources, "random source"),
                                  scoring.normalized ? ", normalized," : "", time_words(found.seconds))}};
  tell_sources(found, scoring, scored.sources, exact);
  found.facts["of"] = "edges";
  found.facts["normalized"] = scoring.normalized;
  o.weights.tell(found, graph);
  if (o.common.verify) {
    graph::verify_edge_betweenness(graph, scoring, scored, context);
    found.tell_verified("by Brandes' algorithm, one source after the other");
  }
  found.top = best_edges(o, graph, scored);
  return found;
}

analysis analyse(const betweenness_arguments& o, machine::cache_counters* counters, const graph::any_graph& graph,
                 const graph::run_control& context) {
  if (counters != nullptr) counters->start();
  const graph::betweenness_options scoring = o.on(graph);
  const stopwatch time;
  // shared: append_values reads it later
  graph::partners* const among = rank_job::among();
  const auto scored = std::make_shared<graph::betweenness_result>(
      among == nullptr ? graph::betweenness(graph, scoring, context)
                       : cluster::betweenness(graph, scoring, {context, among}));
  analysis found;
  found.seconds = time.seconds();
  if (!rank_job::tells()) return found;
  const bool exact = scored->sources == scored->scores.size();
  found.facts["searches"] = scored->searches;
  found.facts["normalized"] = o.scoring.normalized;
  found.facts["form"] = graph::name_of(scored->form);
  found.facts["level"] = scored->level;
  found.facts["trials"] = to_json(scored->trials);
  found.rows = {
      {"betweenness",
       fmt::format("{}{} in {}", exact ? std::string("exact") : "from " + counted(scored->sources, "random source"),
                   o.scoring.normalized ? ", normalized," : "", time_words(found.seconds))},
      {"searches", with_separators(scored->searches)},
      {"form", to_text(scored->form, scored->level) + (scored->trials.empty() ? "" : ", the fastest of")}};
  for (const graph::betweenness_trial& trial : scored->trials) {
    found.rows.emplace_back("",
                            fmt::format("{}: {}", to_text(trial.form, trial.level),
                                        human_rate(static_cast<double>(trial.sources) / trial.seconds, "searches")));
  }
  tell_sources(found, scoring, scored->sources, exact);
  o.weights.tell(found, graph);
  if (counters != nullptr) add_counts(*counters, found);
  if (o.common.verify) {
    graph::verify_betweenness(graph, scoring, *scored, context);
    found.tell_verified("by Brandes' algorithm, one source after the other");
  }
  set_vertex_estimates(found, graph, scored, &graph::betweenness_result::scores,
                       &graph::betweenness_result::standard_errors, o.common.top_count(), "score");
  if (o.scoring.normalized) found.top->share_of = "shortest paths";
  return found;
}

}  // namespace

command add_betweenness(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("betweenness", "Rank the vertices by the shortest paths that lead through them");
  const auto o = std::make_shared<betweenness_arguments>();
  add_parsed(
      parser, "--samples", "K",
      [o](const std::string& text) { o->scoring.samples = parse_count("--samples", text, 1); },
      "Estimate from K random sources instead of all")
      .more(
          "K is at most the number of vertices n. Sums are scaled up by (n - 1) / K, those of the sample's "
          "own vertices by (n - 1) / (K - 1), as NetworkX does. Each score then has a standard error: that of a mean "
          "over a "
          "sample without replacement, and how far one more term of usual size would move it, for the sources that the "
          "sample misses. Without --samples and --error scores are exact.");
  add_parsed(
      parser, "--error", "E",
      [o](const std::string& text) {
        o->scoring.error = parse_real("--error", text, {.low = 0, .high = 1, .above_low = true});
      },
      "Estimate, until normalized scores are proved to be within E of the exact ones")
      .more(
          "The bound holds for all vertices, or edges, at once, with the confidence. The sample of sources doubles "
          "until the "
          "empirical Bernstein-Serfling inequality (Bardenet and Maillard 2015) proves it; if half of the vertices "
          "would not do, scores are exact.");
  add_parsed(
      parser, "--confidence", "C",
      [o](const std::string& text) {
        o->scoring.confidence = parse_real("--confidence", text, {.low = 0, .high = 1, .above_low = true});
      },
      "Probability with which --error holds [0.9]");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->scoring.seed = parse_count("--seed", text, 0); },
      "Choose the sources by this seed [1]");
  parser.add_flag("--normalized", o->scoring.normalized, "Divide by the number of pairs of other vertices");
  parser.add_flag("--edges", o->edges, "Rank the edges instead of the vertices")
      .more(
          "With `--normalized` their scores are divided by the number of pairs of vertices. `--output` gets "
          "`from<TAB>to<TAB>score` a line, best first, and the standard error of an estimate behind it.");
  o->weights.add_to(parser, o->common.input);
  add_parsed(
      parser, "--form", "FORM", [o](const std::string& text) { parse_form(text, o->scoring); },
      "Where the parallelism lies: flat (over sources), inner (within a search),\n"
      "nested or nested:LEVEL (both); auto tries those that the machine offers [auto]")
      .more(
          "`flat`: each thread searches alone, from sources of its own. `inner`: all threads work in one "
          "search. `nested` and `nested:LEVEL`: the threads of one part of the machine work in one search. "
          "`auto` runs the first sources in each form that the machine offers and the rest in the fastest.")
      .words({"auto", "flat", "nested", "inner"});
  o->common.add_top_to(parser, "Show the K highest scores");
  o->common.add_verify_to(parser, "by Brandes' algorithm, one source after the other");
  o->common.other_lines = [b = o.get()] { return std::string_view(b->edges ? "edges" : ""); };
  o->common.add_to(parser,
                   "Write all scores to FILE ('-': standard output), 'label<TAB>score' a line in\n"
                   "order of labels; with --json the object");
  parser.more(
      "A score is the sum, over ordered pairs of other vertices, of the share of their shortest paths "
      "that lead through the vertex; in an undirected graph over unordered pairs (Brandes' algorithm). "
      "The scores are those of NetworkX 3.6.\n\nWith `--stats` it also shows what the processor counted "
      "during the searches: cycles, instructions, references to the last-level cache and misses, or "
      "why it does not.");
  parser.weights({"--weights length", "lengths", "min", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"",
                 "4 m (8 m if directed) + 120 n, and for each concurrent search 190 n for one thread, 250 n for "
                 "several; see [betweenness.hpp](../../callisto/graph/betweenness/betweenness.hpp)"});
  parser.memory({"by lengths, of edges",
                 "12 m (24 m if directed) + 130 n, and for each thread 135 n + 4 m; of edges 16 m + 24 m more, and 16 "
                 "m for each thread"});
  parser.keys({
      {"`sources`", "sources that the scores are of: all vertices, or the sample"},
      {"`exact`", "whether they are all"},
      {"`seed`", "of an estimate: as given; its rows of `top` have `standard_error`, too"},
      {"`error`, `confidence`", "with `--error`: as given"},
      {"`normalized`", "whether scores are shares of the pairs of other vertices"},
      {"`weights`", "`length`, or `none` if the graph has none or they were not used"},
      {"`of`",
       "with `--edges`: `edges`; the rows of `top` have `from`, `to` and `score`, and the keys about searches are "
       "missing"},
      {"`searches`",
       "sources that were searched from: vertices with one neighbour, and with none, need no search; in `trials` those "
       "of a trial"},
      {"`form`", "what most searches ran in: `flat`, `nested` or `inner`"},
      {"`level`", "level of that form's loop over sources"},
      {"`counters`",
       "with `--stats`: what the processor counted during the searches, `cycles`, `instructions`, `cache_references` "
       "(of the last-level cache) and `cache_misses`; or only `missing`, why it did not"},
      {"`trials`",
       "what the choice of `form` rests on: objects with `form`, `level`, `searches` and `seconds`; empty if it was "
       "given, there were too few sources to try, or other jobs left the process one context"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "as of pagerank"},
  });
  parser.footer(
      "Paths count arcs, or are as long as the sum of their weights with --weights length; of repeated\n"
      "edges the shortest counts, loops not at all.\n\n"
      "Examples:\n"
      "  callisto betweenness friends.txt.gz --undirected --top 20\n"
      "  callisto betweenness web.cg --samples 1000 --normalized --output scores.tsv\n"
      "  callisto betweenness friends.cg --error 0.01 --confidence 0.95\n"
      "  callisto betweenness roads.gr --weights length --edges --top 20\n"
      "  callisto betweenness web.cg --samples 64 --json | jq .form");
  return {parser, [o](const std::stop_token& stop) {
            std::optional<machine::cache_counters>
                counters;  // constructed before the threads are, since it counts only threads that start later
            if (o->common.run.stats) counters.emplace();
            const auto needs = [&](const graph::any_graph& graph) {
              check_sampling(o->scoring.samples, o->scoring.error, graph);
              graph::check_betweenness_arguments(graph, o->on(graph));
              if (o->edges) return graph::edge_betweenness_memory(graph, o->on(graph));
              return graph::betweenness_memory(graph, o->on(graph));
            };
            o->common.execute(stop, needs, [&](const graph::any_graph& graph, const graph::run_control& context) {
              if (rank_job::among() != nullptr) check_sampling(o->scoring.samples, o->scoring.error, graph);
              if (o->edges && rank_job::among() != nullptr) {
                throw usage_error("--edges: edges are ranked by one process; ranks share the betweenness of vertices");
              }
              if (o->edges) return analyse_edges(*o, graph, context);
              return analyse(*o, counters ? &*counters : nullptr, graph, context);
            });
          }};
}

}  // namespace callisto::app
