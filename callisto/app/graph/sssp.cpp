// callisto sssp: finds how long the shortest weighted path from a source to every vertex is.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/source_options.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct sssp_arguments {
  graph_command common;
  source_options from;
  graph::sssp_options search;
};

/// Appends a distance; a dash in place of `unreached`, which means nothing to a reader.
void append_distance(std::string& line, double distance) {
  if (distance == graph::sssp_result::unreached) {
    line += '-';
  } else {
    fmt::format_to(std::back_inserter(line), "{}", distance);
  }
}

/// Returns the `count` reached vertices that are farthest away.
ranking farthest(const graph::any_graph& graph, const graph::sssp_result& paths, std::uint64_t count) {
  ranking rows{{"vertex", "distance"}, {}};
  const auto value = [&](std::uint64_t i) {
    const double distance = paths.distances[by_label(graph, i)];
    return distance == paths.unreached ? -1 : distance;
  };
  const auto farther = [&](std::uint64_t a, std::uint64_t b) { return value(a) > value(b); };
  for (const std::uint64_t i : best_of(paths.distances.size(), std::min(count, paths.reached), farther)) {
    const std::uint64_t v = by_label(graph, i);
    rows.rows.push_back({label_of(graph, v), paths.distances[v]});
  }
  return rows;
}

template <class Vertex>
analysis analyse(const sssp_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                 const graph::run_control& context) {
  if (!graph.weighted() && graph.arcs() != 0) {
    throw usage_error("the graph has no weights; --random-weights SEED draws some, and 'callisto bfs' counts arcs");
  }
  const std::vector<std::uint64_t> picked = o.from.pick(any);
  const stopwatch preparation;
  graph::sssp_search<Vertex> search(graph, o.search, context);
  const double prepared = preparation.seconds();
  std::vector<double> seconds;
  std::vector<std::vector<ranking::cell>> trials;
  auto paths = std::make_shared<graph::sssp_result>();  // shared: append_values reads it later
  for (const std::uint64_t source : picked) {
    *paths = {};  // frees the memory for the next search
    const stopwatch time;
    *paths = search.from(source, context);
    seconds.push_back(time.seconds());
    trials.push_back({paths->reached, paths->eccentricity, paths->relaxations, paths->shortened});
    if (o.common.verify) graph::verify_sssp(graph, source, *paths);
  }
  analysis found;
  tell_trials(found, any, o.from, picked, seconds, {"reached", "distance", "relaxations", "shortened"},
              [&](std::size_t i) { return trials[i]; });
  found.facts["prepare_seconds"] = prepared;
  found.facts["delta"] = search.delta();
  found.facts["light_arcs"] = search.light_arcs();
  found.rows.emplace_back(
      "before", fmt::format("{} to look at the weights{}", human_seconds(prepared),
                            search.light_arcs() == 0
                                ? std::string()
                                : fmt::format(" and gather {} light arcs", with_separators(search.light_arcs()))));
  if (o.common.verify) found.tell_verified("against Dijkstra's algorithm with a binary heap");
  if (o.from.drawn()) return found;

  found.facts["reached"] = paths->reached;
  found.facts["largest_distance"] = paths->eccentricity;
  found.rows.emplace_back(
      "reached", fmt::format("{} of {} vertices", with_separators(paths->reached), with_separators(graph.vertices())));
  found.rows.emplace_back("largest distance", fmt::format("{}", paths->eccentricity));
  found.top = farthest(any, *paths, o.common.top_count());
  found.append_values = [paths](std::string& line, std::uint64_t v) { append_distance(line, paths->distances[v]); };
  return found;
}

}  // namespace

command add_sssp(const command_parser& app) {
  const command_parser parser = app.add_subcommand("sssp", "Find the shortest weighted paths from a source");
  const auto o = std::make_shared<sssp_arguments>();
  o->from.add_to(parser);
  add_parsed(
      parser, "--delta", "D",
      [o](const std::string& text) { o->search.delta = parse_real("--delta", text, {.low = 0, .above_low = true}); },
      "Width of a bucket of delta-stepping; arcs that weigh more are heavy\n[chosen from the graph]");
  o->common.add_top_to(parser, "Show the K vertices farthest away");
  o->common.add_verify_to(parser, "by Dijkstra's algorithm with a binary heap");
  o->common.input.add_random_weights(parser);
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>distance' a line in order of\n"
                   "labels, '-' where a vertex is not reached; with --json the object");
  parser.footer(
      "The length of a path is the sum of the weights of its arcs; none may be negative. The\n"
      "method is delta-stepping (Meyer and Sanders 2003).\n\n"
      "Examples:\n"
      "  callisto sssp rome99.gr --source 1 --output distances.tsv\n"
      "  callisto sssp web.cg --random-weights 1 --sources 16 --verify");
  return {parser, [o](const std::stop_token& stop) {
            o->from.check();
            o->common.execute(stop, graph::needs::sssp,
                              [&](const graph::any_graph& graph, const graph::run_control& context) {
                                return std::visit([&](const auto& g) { return analyse(*o, graph, g, context); }, graph);
                              });
          }};
}

}  // namespace callisto::app
