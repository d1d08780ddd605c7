// callisto path: finds shortest paths between two vertices: one, all, or the k shortest.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/drawn_columns.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/graph/pair/routes.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/graph/verify/pair.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

constexpr std::uint64_t usual_limit = 100;
constexpr std::uint64_t most_paths = 1'000'000;
/// Paths that people see; files and JSON have all of them.
constexpr std::size_t most_shown = 10;

struct path_arguments {
  graph_command common;
  weight_option weights{graph::weight_use::length, true};
  std::string from;
  std::string to;
  bool all = false;
  bool guided = false;
  std::optional<std::uint64_t> limit;
  std::optional<std::uint64_t> shortest;

  void check() const {
    if (all && shortest) throw usage_error("--all: --shortest finds a number of paths; give one of them");
    if (guided && (all || shortest)) throw usage_error("--guided: expected without --all and --shortest");
    if (limit && !all) throw usage_error("--limit needs --all");
  }
  graph::pair_options of(const graph::any_graph& graph) const {
    return {.weighted = weights.of(graph) == graph::weight_use::length};
  }
};

std::string length_words(double length, bool weighted) {
  if (weighted) return fmt::format("{} long", length);
  return counted(static_cast<std::uint64_t>(length), "edge");
}

/// Returns a number of paths for people: in full as long as it is exact.
std::string count_words(double count) {
  if (count <= 0x1p53) return with_separators(static_cast<std::uint64_t>(count));
  return std::isinf(count) ? "more than 1.8e308" : fmt::format("about {:.3e}", count);
}

/// Returns the routes that the file holds, if they serve: the graph is the file's, and lengths are of the same kind.
template <class Vertex>
std::optional<graph::routes_of<Vertex>> routes_for(const graph_input& input, const graph::csr_graph<Vertex>& graph,
                                                   const graph::pair_options& options) {
  if (input.options.read.format != graph::file_format::automatic || input.weights_seed || !input.where.empty() ||
      !graph::is_native(input.file)) {
    return std::nullopt;
  }
  std::optional<graph::any_routes> held = graph::open_routes(input.file);
  if (!held) return std::nullopt;
  auto* const routes = std::get_if<graph::routes_of<Vertex>>(&*held);
  const bool weighted = options.weighted && graph.arcs() != 0;
  if (routes == nullptr || routes->vertices() != graph.vertices() || routes->directed != graph.directed() ||
      routes->weighted != weighted) {
    return std::nullopt;
  }
  return std::move(*routes);
}

/// Runs the search that the user asked for, and returns its paths; the rest goes to `found`.
template <class Vertex>
std::vector<graph::pair_path> search(const path_arguments& o, const graph::any_graph& any,
                                     const graph::csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                     const graph::pair_options& options, analysis& found,
                                     const graph::run_control& context) {
  stopwatch time;
  if (o.shortest) {
    std::vector<graph::pair_path> paths = graph::k_paths_between(graph, source, target, *o.shortest, options, context);
    found.seconds = time.seconds();
    found.facts["method"] = "yen";
    found.facts["shortest"] = *o.shortest;
    if (o.common.verify) {
      graph::verify_k_paths_between(graph, source, target, *o.shortest, options, paths);
      found.tell_verified("by Yen's algorithm with a search for each vertex of each path");
    }
    return paths;
  }
  if (o.all) {
    const std::uint64_t limit = o.limit.value_or(usual_limit);
    const graph::all_pair_paths result = graph::all_paths_between(graph, source, target, limit, options, context);
    found.seconds = time.seconds();
    found.facts["method"] = options.weighted ? "dijkstra" : "bidirectional breadth-first search";
    found.facts["count"] = std::isinf(result.count) ? json(nullptr)
                           : result.count <= 0x1p53 ? json(static_cast<std::uint64_t>(result.count))
                                                    : json(result.count);
    found.facts["vertices_on_paths"] = result.vertices;
    found.facts["arcs_on_paths"] = result.arcs;
    found.rows.emplace_back("shortest paths",
                            fmt::format("{}, over {} vertices and {}", count_words(result.count),
                                        with_separators(result.vertices), counted(result.arcs, "edge")));
    if (o.common.verify) {
      graph::verify_all_paths_between(graph, source, target, limit, options, result);
      found.tell_verified("by the distances of all vertices from both ends");
    }
    std::vector<graph::pair_path> paths;
    for (const auto& vertices : result.paths) paths.push_back({result.length, vertices});
    return paths;
  }
  graph::pair_result result;
  std::optional<graph::routes_of<Vertex>> routes;
  if (o.guided) {
    const std::optional<given_places> given = places_in(any);
    if (!given) {
      throw usage_error("--guided: expected columns x and y, lon and lat, or pos, with a place of each vertex");
    }
    std::vector<double> x;
    std::vector<double> y;
    for (const auto& p : given->at) {
      x.push_back(p.x);
      y.push_back(p.y);
    }
    time = {};
    result = graph::guided_path_between(graph, source, target, x, y, options, context);
    found.facts["guide"] = given->from;
    found.rows.emplace_back("guide", given->from);
  } else {
    routes = routes_for(o.common.input, graph, options);
    time = {};
    result = routes ? graph::path_between(graph, *routes, source, target, context)
                    : graph::path_between(graph, source, target, options, context);
  }
  found.seconds = time.seconds();
  found.facts["method"] = o.guided           ? "a*"
                          : routes           ? "contraction hierarchy"
                          : options.weighted ? "bidirectional dijkstra"
                                             : "bidirectional breadth-first search";
  if (routes) found.rows.emplace_back("routes", "of the file");
  found.facts["arcs_looked_at"] = result.looked_at;
  found.rows.emplace_back("looked at", counted(result.looked_at, "arc"));
  if (o.common.verify) {
    graph::verify_path_between(graph, source, target, options, result.path);
    found.tell_verified("against Dijkstra's algorithm with a binary heap");
  }
  if (result.path.vertices.empty()) return {};
  return {std::move(result.path)};
}

template <class Vertex>
analysis analyse_paths(const path_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                       const graph::run_control& context) {
  const std::uint64_t source = vertex_of(any, o.from, "FROM");
  const std::uint64_t target = vertex_of(any, o.to, "TO");
  const graph::pair_options options = o.of(any);
  analysis found;
  found.facts = {{"source", label_of(any, source)}, {"target", label_of(any, target)}};
  const std::vector<graph::pair_path> paths = search(o, any, graph, source, target, options, found, context);
  o.weights.tell(found, any);
  found.rows.emplace_back("time", time_words(found.seconds));
  found.facts["distance"] = paths.empty() ? json(nullptr) : json(paths.front().length);
  found.facts["paths"] = json::array();
  if (paths.empty()) found.rows.emplace_back("path", "none");
  auto lines = std::make_shared<std::vector<std::string>>();  // shared: lines.append reads it later
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const graph::pair_path& path = paths[i];
    json labels = json::array();
    double length = 0;
    for (std::size_t k = 0; k < path.vertices.size(); ++k) {
      labels.push_back(label_of(any, path.vertices[k]));
      if (k != 0) {
        length =
            options.weighted ? graph::length_behind(graph, length, path.vertices[k - 1], path.vertices[k]) : length + 1;
      }
      lines->push_back(fmt::format("{}\t{}\t{}", i + 1, label_of(any, path.vertices[k]), length));
    }
    found.facts["paths"].push_back({{"distance", path.length}, {"vertices", std::move(labels)}});
    if (i < most_shown) {
      found.rows.emplace_back(paths.size() == 1 ? std::string("path") : fmt::format("path {}", i + 1),
                              length_words(path.length, options.weighted) + ": " + arrows(any, path.vertices));
    }
  }
  if (paths.size() > most_shown) {
    found.rows.emplace_back(
        "more", fmt::format("{} in --output and --json", counted(paths.size() - most_shown, "further path")));
  }
  found.columns = {"path", "vertex", "distance"};
  found.lines = {lines->size(), [lines](std::string& text, std::uint64_t i) { text += (*lines)[i]; }};
  return found;
}

}  // namespace

command add_path(const command_parser& app) {
  const command_parser parser = app.add_subcommand("path", "Find the shortest paths between two vertices");
  const auto o = std::make_shared<path_arguments>();
  parser.add_flag("--guided", o->guided,
                  "Search from FROM only, first where the straight way to TO is short (A*), by\n"
                  "columns x and y, lon and lat, or pos of the vertices");
  o->common.input.more_attributes = [p = o.get()] {
    return p->guided ? columns_of_places() : std::vector<std::string>();
  };
  parser.add_flag("--all", o->all, "Count all shortest paths, and list the first");
  add_parsed(
      parser, "--limit", "N", [o](const std::string& text) { o->limit = parse_count("--limit", text, 0, most_paths); },
      fmt::format("With --all: list N paths at most [{}]", usual_limit));
  add_parsed(
      parser, "-k,--shortest", "N",
      [o](const std::string& text) { o->shortest = parse_count("--shortest", text, 1, most_paths); },
      "Find the N shortest paths without repeated vertices");
  o->weights.add_to(parser, o->common.input);
  o->common.add_verify_to(parser,
                          "by plain searches from the ends; with --shortest by Yen's\nalgorithm, "
                          "which takes long");
  o->common.other_lines = [] { return std::string_view("paths"); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'path<TAB>vertex<TAB>distance' for each\n"
                   "vertex of the paths, which are numbered from 1; with --json the object");
  parser.add_option("FROM", o->from, "The vertex where paths begin, as the file calls it").required();
  parser.add_option("TO", o->to, "The vertex where they end").required();
  parser.more(
      "Lengths are sums of weights if the graph has weights, else numbers of edges. One path is found by searches from "
      "both ends (Pohl 1971; Nicholson 1966), which look at little of a large graph; in a native file that `convert "
      "--routes` wrote by its routes, a contraction hierarchy, which look at less. Of several shortest paths any one "
      "may be it, the same in each run; `--all` has them all. There, lengths that differ by no more than 1e-10 of them "
      "are equal, and a cycle of edges without length on shortest paths is an error, for nothing could be counted.");
  parser.more(
      "`--shortest` is the method of Yen (1971) with Lawler's change (1972), guided by the distances to TO. Shorter "
      "paths come first. Of equally long ones, here and with `--all`, the one that has the smaller vertex where they "
      "part comes first, by number or by name. With edges of length 0 that order may "
      "differ, "
      "but not from run to run. Fewer paths are found if there are no more.");
  parser.weights({"", "lengths", "min", "once"});
  parser.memory({"",
                 "84 n (168 n), with lengths 320 n (448 n); with `--all` 92 n + 24 m (152 n + 48 m) more; with "
                 "`--shortest` 72 n and 160 n (224 n) a thread; and 24 bytes for each vertex of a path that waits"});
  parser.keys({
      {"`source`, `target`", "labels of the two vertices"},
      {"`weights`", "`length`, or `none`: lengths are numbers of edges"},
      {"`method`",
       "`contraction hierarchy` (by the routes of the file), `a*` (`--guided`), `bidirectional breadth-first search`, "
       "`bidirectional dijkstra`, `dijkstra` (`--all` with weights), or `yen`"},
      {"`guide`", "with `--guided`: the columns of places"},
      {"`arcs_looked_at`", "without `--all` and `--shortest`"},
      {"`shortest`", "as given"},
      {"`count`", "with `--all`: how many shortest paths there are; rounded above 2^53, null above 1.8e308"},
      {"`vertices_on_paths`, `arcs_on_paths`", "with `--all`"},
      {"`distance`", "length of the shortest path; null if there is no path"},
      {"`paths`",
       "objects with `distance` and `vertices`, the labels from the source on; with `--all` as many as `--limit` says"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "Directions of edges count. Without a path from FROM to TO the answer is 'none'.\n\n"
      "Examples:\n"
      "  callisto path rome99.gr 1 3000\n"
      "  callisto path roads.csv 1 99 --vertex-table junctions.csv --guided\n"
      "  callisto path web.cg 17 4 --all --limit 5\n"
      "  callisto path flights.csv BRN LAX -k 3 --output ways.csv");
  return {parser, [o](const std::stop_token& stop) {
            o->check();
            const auto needs = [o](const graph::any_graph& graph) {
              return o->shortest ? graph::needs::k_paths_between(graph)
                     : o->all    ? graph::needs::all_paths_between(graph, o->of(graph))
                                 : graph::needs::path_between(graph, o->of(graph));
            };
            o->common.execute(stop, needs, [o](const graph::any_graph& any, const graph::run_control& control) {
              return std::visit([&](const auto& graph) { return analyse_paths(*o, any, graph, control); }, any);
            });
          }};
}

}  // namespace callisto::app
