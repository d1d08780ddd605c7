// callisto sssp: finds the shortest weighted paths from a source.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/source_options.hpp>
#include <callisto/cluster/sssp.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/sssp/bellman_ford.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/graph/sssp/paths_among.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/verify/paths.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct sssp_arguments {
  graph_command common;
  source_options from;
  std::vector<std::string> targets;  ///< labels
  graph::sssp_options search;
};

/// A search's distances, and parents where they are wanted.
template <class Vertex>
struct sssp_tree {
  graph::sssp_result paths;
  graph::parent_map<Vertex> parents;
};

/// Appends the distance and the parent of a vertex; dashes where a vertex is not reached.
template <class Vertex>
void append_vertex(std::string& line, const sssp_tree<Vertex>& found, const graph::any_graph& graph, std::uint64_t v) {
  if (found.parents[v] == graph::no_parent<Vertex>) {
    line += "-\t-";
  } else {
    fmt::format_to(std::back_inserter(line), "{}\t{}", found.paths.distances[v], label_of(graph, found.parents[v]));
  }
}

/// Returns the `count` reached vertices that are farthest away.
ranking farthest(const graph::any_graph& graph, const graph::sssp_result& paths, std::uint64_t count) {
  ranking rows{{"vertex", "distance"}, {}};
  const auto before = [&](std::uint64_t a, std::uint64_t b) {
    const double of_a = paths.distances[by_label(graph, a)];
    const double of_b = paths.distances[by_label(graph, b)];
    if (of_a == paths.unreached || of_b == paths.unreached) return of_b == paths.unreached && of_a != paths.unreached;
    return of_a > of_b;
  };
  for (const std::uint64_t i : best_of(paths.distances.size(), std::min(count, paths.reached), before)) {
    const std::uint64_t v = by_label(graph, i);
    rows.rows.push_back({label_of(graph, v), paths.distances[v]});
  }
  return rows;
}

/// Searches by the algorithm of Bellman and Ford. Throws weight_error that names a negative cycle if there is one.
template <class Vertex>
graph::sssp_result search_negative(const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                                   std::uint64_t source, const graph::run_control& context) {
  graph::bellman_ford_result result = graph::bellman_ford(graph, source, context);
  if (!result.negative_cycle.empty()) {
    std::vector<std::uint64_t> cycle = result.negative_cycle;
    cycle.push_back(cycle.front());
    throw graph::weight_error(fmt::format("no shortest paths: the source reaches a cycle of negative weight, {}{}",
                                          arrows(any, cycle),
                                          graph.directed() ? "" : " (an undirected edge is walked both ways)"));
  }
  return std::move(result.paths);
}

/// Returns what graph::paths_to() returns, where the result is told. The nearby search is rank 0's.
template <class Vertex>
graph::target_paths paths_over_ranks(const graph::csr_graph<Vertex>& graph, std::uint64_t source,
                                     const std::vector<std::uint64_t>& targets, const cluster::path_plan<Vertex>& plan,
                                     const graph::shared_control& control) {
  std::optional<graph::target_paths> found;
  const auto search = [&] {
    found = graph::paths_nearby(graph, source, targets);
    return std::vector<char>{found.has_value() ? '\1' : '\0'};
  };
  if (control.among->template from_first<char>(search).front() != 0)
    return std::move(found).value_or(graph::target_paths{});
  const graph::sssp_result all = cluster::sssp(graph, source, plan, control);
  const auto parents = graph::shortest_path_parents_among(graph, source, all.distances, control);
  graph::target_paths result;
  if (!control.among->tells()) return result;
  result.relaxations = all.relaxations;
  for (const std::uint64_t v : targets) result.paths.push_back({all.distances[v], graph::path_along(parents, v)});
  return result;
}

/// Finds paths to the targets that the user named. `plan`: null for a process alone.
template <class Vertex>
analysis analyse_targets(const sssp_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                         bool negative, const cluster::path_plan<Vertex>* plan, const graph::run_control& context) {
  const auto pick = [&] {
    std::vector<std::uint64_t> picked = o.from.pick(any);
    for (const std::string& label : o.targets) picked.push_back(vertex_of(any, label, "--target"));
    return picked;
  };
  graph::partners* const among = rank_job::among();
  std::vector<std::uint64_t> targets = among == nullptr ? pick() : among->from_first<std::uint64_t>(pick);
  const std::uint64_t source = targets.front();
  targets.erase(targets.begin());
  const stopwatch time;
  graph::target_paths result;
  if (plan != nullptr) {
    result = paths_over_ranks(graph, source, targets, *plan, {context, among});
    if (!rank_job::tells()) return {};
  } else if (negative) {
    sssp_tree<Vertex> all{search_negative(any, graph, source, context), {}};
    all.parents = graph::shortest_path_parents(graph, source, all.paths.distances, context);
    if (o.common.verify) graph::verify_shortest_paths(graph, source, all.paths.distances, all.parents);
    for (const std::uint64_t v : targets) {
      result.paths.push_back({all.paths.distances[v], graph::path_along(all.parents, v)});
    }
  } else {
    result = graph::paths_to(graph, source, targets, o.search, context);
  }
  analysis found;
  tell_trials(found, any, o.from, {source}, {time.seconds()}, {}, {});
  if (o.common.verify && !negative) graph::verify_target_paths(graph, source, targets, result);
  if (o.common.verify) {
    found.tell_verified(negative ? "by the definition of shortest paths"
                                 : "against Dijkstra's algorithm with a binary heap");
  }
  found.facts["method"] = negative ? "bellman-ford" : result.early ? "dijkstra" : "whole search";
  found.facts["paths"] = json::array();
  auto lines = std::make_shared<std::vector<std::string>>();  // shared: lines.append reads it later
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const graph::target_path& path = result.paths[i];
    json labels = json::array();
    double length = 0;
    for (std::size_t k = 0; k < path.vertices.size(); ++k) {
      labels.push_back(label_of(any, path.vertices[k]));
      if (k != 0) length = graph::length_behind(graph, length, path.vertices[k - 1], path.vertices[k]);
      lines->push_back(fmt::format("{}\t{}\t{}", label_of(any, targets[i]), label_of(any, path.vertices[k]), length));
    }
    json object{{"target", label_of(any, targets[i])}, {"distance", nullptr}, {"vertices", std::move(labels)}};
    if (!path.vertices.empty()) object["distance"] = path.distance;
    found.facts["paths"].push_back(std::move(object));
    found.rows.emplace_back(
        fmt::format("path to {}", o.targets[i]),
        path.vertices.empty() ? "none" : fmt::format("{} long: {}", path.distance, arrows(any, path.vertices)));
  }
  found.columns = {"target", "vertex", "distance"};
  found.lines = {lines->size(), [lines](std::string& text, std::uint64_t i) { text += (*lines)[i]; }};
  return found;
}

template <class Vertex>
analysis analyse(const sssp_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                 const graph::run_control& context) {
  if (!graph.weighted() && graph.arcs() != 0) {
    throw usage_error("the graph has no weights; --random-weights SEED draws some, and 'callisto bfs' counts arcs");
  }
  graph::partners* const among = rank_job::among();
  const stopwatch planning;
  std::optional<cluster::path_plan<Vertex>> plan;
  if (among != nullptr) plan = cluster::plan_paths(graph, o.search, {context, among});
  const double planned = planning.seconds();
  const bool negative = !plan && graph.weighted() && graph::survey_of(graph, context).wrong;
  if (!o.targets.empty()) return analyse_targets(o, any, graph, negative, plan ? &*plan : nullptr, context);
  const auto pick = [&] { return o.from.pick(any); };
  const std::vector<std::uint64_t> picked =
      among == nullptr ? pick() : among->from_first<std::uint64_t>(pick);  // labels are there
  const stopwatch preparation;
  std::optional<graph::sssp_search<Vertex>> search;
  if (!plan && !negative) search.emplace(graph, o.search, context);
  const double prepared = plan ? planned : preparation.seconds();
  std::vector<double> seconds;
  std::vector<std::vector<ranking::cell>> trials;
  auto found_paths = std::make_shared<sssp_tree<Vertex>>();  // shared: append_values reads it later
  graph::sssp_result& paths = found_paths->paths;
  for (const std::uint64_t source : picked) {
    paths = {};  // frees the memory for the next search
    const stopwatch time;
    paths = plan       ? cluster::sssp(graph, source, *plan, {context, among})
            : negative ? search_negative(any, graph, source, context)
                       : search->from(source, context);
    seconds.push_back(time.seconds());
    trials.push_back({paths.reached, paths.eccentricity, paths.relaxations, paths.shortened});
    if (!o.from.drawn() || (o.common.verify && negative)) {
      found_paths->parents = plan ? graph::shortest_path_parents_among(graph, source, paths.distances, {context, among})
                                  : graph::shortest_path_parents(graph, source, paths.distances, context);
    }
    if (!o.common.verify || !rank_job::tells()) continue;
    if (!negative) graph::verify_sssp(graph, source, paths);
    if (!found_paths->parents.empty()) {
      graph::verify_shortest_paths(graph, source, paths.distances, found_paths->parents);
    }
  }
  analysis found;
  if (!rank_job::tells()) return found;
  tell_trials(found, any, o.from, picked, seconds, {"reached", "distance", "relaxations", "shortened"},
              [&](std::size_t i) { return trials[i]; });
  found.facts["method"] = negative ? "bellman-ford" : "delta-stepping";
  found.facts["prepare_seconds"] = prepared;
  if (negative) {
    found.rows.emplace_back("method", "Bellman and Ford: the graph has negative weights");
  } else {
    const std::uint64_t light_arcs = plan ? plan->light_arcs : search->light_arcs();
    found.facts["delta"] = plan ? plan->delta : search->delta();
    found.facts["light_arcs"] = light_arcs;
    found.rows.emplace_back("prepared", fmt::format("weights surveyed in {}{}", human_seconds(prepared),
                                                    light_arcs == 0 ? std::string()
                                                                    : fmt::format(" and gather {} light arcs",
                                                                                  with_separators(light_arcs))));
  }
  if (o.common.verify) {
    found.tell_verified(negative ? "by the definition of shortest paths"
                                 : "against Dijkstra's algorithm with a binary heap");
  }
  if (o.from.drawn()) return found;

  found.facts["reached"] = paths.reached;
  found.facts["largest_distance"] = paths.eccentricity;
  found.rows.emplace_back(
      "reached", fmt::format("{} of {} vertices", with_separators(paths.reached), with_separators(graph.vertices())));
  found.rows.emplace_back("largest distance", fmt::format("{}", paths.eccentricity));
  found.top = farthest(any, paths, o.common.top_count());
  found.columns = {"distance", "parent"};
  found.append_values = [found_paths, &any](std::string& line, std::uint64_t v) {
    append_vertex(line, *found_paths, any, v);
  };
  return found;
}

}  // namespace

command add_sssp(const command_parser& app) {
  const command_parser parser = app.add_subcommand("sssp", "Find the shortest weighted paths from a source");
  const auto o = std::make_shared<sssp_arguments>();
  o->from.add_to(parser);
  add_parsed(
      parser, "--target", "V", [o](const std::string& text) { o->targets.push_back(text); },
      "Show a shortest path from U to V, and search no farther than it\ntakes; may be repeated")
      .may_be_repeated();
  add_parsed(
      parser, "--delta", "D",
      [o](const std::string& text) { o->search.delta = parse_real("--delta", text, {.low = 0, .above_low = true}); },
      "Width of a bucket of delta-stepping; arcs that weigh more are heavy\n[chosen from the graph]");
  o->common.add_top_to(parser, "Show the K vertices farthest away");
  o->common.add_verify_to(parser, "by Dijkstra's algorithm with a binary heap");
  o->common.input.add_random_weights(parser);
  o->common.other_lines = [b = o.get()] {
    return std::string_view(b->from.drawn() ? "a line for each search" : b->targets.empty() ? "" : "paths");
  };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>distance<TAB>parent' a line in\n"
                   "order of labels, '-' where a vertex is not reached; with --target\n"
                   "'target<TAB>vertex<TAB>distance' for each vertex of the paths; with --json\n"
                   "the object");
  // The rank that tells searches for targets near the source by itself.
  o->common.input.whole_where_told = [b = o.get()] { return b->common.verify || !b->targets.empty(); };
  parser.more("With `--verify`, paths over negative weights are checked by their definition.");
  parser.weights({"", "lengths", "min", ""});
  parser.memory({"",
                 "about 68 n + 8 m (80 n + 8 m), of which 12 n (24 n) for parents: what all graphs tried have stayed "
                 "under; lists of waiting vertices have no bound of their own"});
  parser.keys({
      {"`source`, `sources`, `seed`, `verified`", "as of bfs"},
      {"`weights`", "`length`"},
      {"`reached`", "vertices reached, the source included"},
      {"`largest_distance`", "sum of the weights on the shortest path to the farthest of them"},
      {"`prepare_seconds`",
       "looking at the weights and gathering light arcs, once for all sources; not part of `seconds.compute`"},
      {"`method`",
       "`delta-stepping`, or `bellman-ford` if a weight is negative; with `--target` `dijkstra` if the search ended "
       "early, else `whole search`"},
      {"`paths`",
       "with `--target`: objects with `target`, `distance` (null if there is no path) and `vertices`, the labels from "
       "the source on"},
      {"`delta`", "width of a bucket"},
      {"`light_arcs`", "arcs gathered in rows of their own; 0 if no arc is heavy"},
      {"`top`",
       "the vertices farthest away: objects with `vertex` and `distance`; with `--sources` an object for each search: "
       "`source`, `seconds`, `reached`, `distance` (the largest), `relaxations` (arcs looked at) and `shortened` "
       "(distances that became shorter)"},
  });
  parser.footer(
      "The length of a path is the sum of the weights of its arcs. The method is delta-stepping\n"
      "(Meyer and Sanders 2003). If a weight is negative, it is that of Bellman and Ford, and a\n"
      "cycle of negative weight that the source reaches is an error that names its vertices.\n\n"
      "Examples:\n"
      "  callisto sssp rome99.gr --source 1 --output distances.tsv\n"
      "  callisto sssp rome99.gr --source 1 --target 3000 --target 17\n"
      "  callisto sssp web.cg --random-weights 1 --sources 16 --verify");
  const auto needs = [](const graph::any_graph& graph) {
    return graph::needs::sssp(graph) + graph::needs::shortest_path_parents(graph);
  };
  return {parser, [o, needs](const std::stop_token& stop) {
            o->from.check();
            if (o->from.drawn() && !o->targets.empty()) throw usage_error("--target needs --source, not --sources");
            o->common.execute(stop, needs, [&](const graph::any_graph& graph, const graph::run_control& context) {
              analysis found = std::visit([&](const auto& g) { return analyse(*o, graph, g, context); }, graph);
              found.tell_weights(graph::weight_use::length);
              return found;
            });
          }};
}

}  // namespace callisto::app
