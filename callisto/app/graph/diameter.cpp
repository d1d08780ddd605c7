// callisto diameter: finds how far apart the two vertices farthest apart are.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/path_options.hpp>
#include <callisto/graph/distance/diameter.hpp>
#include <callisto/graph/verify/structure.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

/// The most and the fewest searches of --verify, and the number of arcs that these searches may look at together. The
/// fewest searches take precedence.
constexpr std::uint64_t most_checks = 1000;
constexpr std::uint64_t least_checks = 10;
constexpr std::uint64_t most_arcs = 4'000'000'000;

struct diameter_arguments {
  graph_command common;
  graph::diameter_options search;
  path_options paths;

  /// True if paths follow directions or have weights, by the options: all eccentricities are then found.
  bool other_paths(const graph::any_graph& graph) const {
    const graph::eccentricity_options options = paths.of(graph);
    return options.weighted || options.along != graph::path_direction::both;
  }
};

/// The diameter over directed or weighted paths: the largest eccentricity.
template <class Vertex>
analysis analyse_other_paths(const diameter_arguments& o, const graph::any_graph& any,
                             const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  const graph::eccentricity_options options = o.paths.of(any);
  const stopwatch time;
  const graph::eccentricity_result result = graph::eccentricities(graph, options, context);
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"exact", true},
                 {"lower", result.diameter},
                 {"upper", result.diameter},
                 {"searches", result.searches},
                 {"diameter", result.diameter}};
  found.bare = fmt::format("{}\n", result.diameter);
  found.rows = {{"diameter", fmt::format("{}", result.diameter)},
                {"searches", with_separators(result.searches)},
                {"time", time_words(found.seconds)}};
  if (graph.vertices() != 0) {
    const auto& all = result.eccentricities;
    const auto at = static_cast<std::uint64_t>(std::find(all.begin(), all.end(), result.diameter) - all.begin());
    found.facts["from"] = label_of(any, at);
    found.rows.insert(found.rows.begin() + 1, {"from or to", one_line(label_of(any, at).text())});
  }
  o.paths.tell(found, any);
  if (o.common.verify) {
    const std::uint64_t checks = std::clamp(most_arcs / 4 / (1 + graph.arcs()), least_checks, most_checks);
    graph::verify_eccentricities(graph, options, result, checks, context);
    found.tell_verified(fmt::format("by sequential searches from {} of its vertices",
                                    with_separators(std::min(graph.vertices(), checks))));
  }
  return found;
}

template <class Vertex>
analysis analyse(const diameter_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                 const graph::run_control& context) {
  const stopwatch time;
  const graph::diameter_result bounds = graph::diameter(graph, o.search, context);
  analysis found;
  found.seconds = time.seconds();
  const bool exact = bounds.lower == bounds.upper;
  found.facts = {{"exact", exact},
                 {"lower", bounds.lower},
                 {"upper", bounds.upper},
                 {"searches", bounds.searches},
                 {"component", bounds.vertices}};
  if (exact) found.facts["diameter"] = bounds.lower;
  found.bare = exact ? fmt::format("{}\n", bounds.lower) : fmt::format("{}\t{}\n", bounds.lower, bounds.upper);
  found.rows = {{"diameter", exact ? with_separators(bounds.lower)
                                   : fmt::format("{} to {} (bounds: --searches ended it)",
                                                 with_separators(bounds.lower), with_separators(bounds.upper))},
                {"of a component of", fmt::format("{} vertices, the largest{}", with_separators(bounds.vertices),
                                                  graph.directed() ? " (weak: arcs in either direction)" : "")},
                {"searches", with_separators(bounds.searches)},
                {"time", time_words(found.seconds)}};
  if (graph.vertices() != 0) {
    found.facts["from"] = label_of(any, bounds.from);
    found.facts["to"] = label_of(any, bounds.to);
    found.rows.insert(found.rows.begin() + 1,
                      {"vertices at its ends", fmt::format("{} and {}", one_line(label_of(any, bounds.from).text()),
                                                           one_line(label_of(any, bounds.to).text()))});
  }
  if (o.common.verify) {
    const std::uint64_t checks = std::clamp(most_arcs / (1 + graph.arcs()), least_checks, most_checks);
    graph::verify_diameter(graph, bounds, checks, context);
    found.tell_verified(fmt::format("by searches with a queue from {} of its vertices",
                                    with_separators(std::min(bounds.vertices, checks))));
  }
  return found;
}

}  // namespace

command add_diameter(const command_parser& app) {
  const command_parser parser = app.add_subcommand("diameter", "Find how far apart two vertices are at most");
  const auto o = std::make_shared<diameter_arguments>();
  add_parsed(
      parser, "--searches", "N",
      [o](const std::string& text) { o->search.searches = parse_count("--searches", text, 1); },
      "Stop with bounds after N searches [as many as it takes]")
      .more("Not with `--along out`, `--along in` or `--weights length`, which find all eccentricities.");
  o->paths.add_to(parser, o->common.input);
  o->common.add_verify_to(parser, "by sequential searches from up to 1,000 vertices");
  o->common.other_lines = [] { return std::string_view("one number"); };
  o->common.add_to(parser, "Write the result to FILE");
  parser.more("With `--quiet` it prints the diameter alone, or both bounds with a tab between them.");
  parser.weights({"--weights length", "lengths", "min", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "44.8 n (80.8 n)"});
  parser.keys({
      {"`exact`", "whether the diameter is known; not if `--searches` ended the search"},
      {"`diameter`", "the largest distance in edges, if it is known"},
      {"`lower`, `upper`", "its bounds"},
      {"`from`, `to`", "two vertices that are `lower` apart"},
      {"`searches`", "breadth-first searches that it took"},
      {"`component`", "vertices of the component that it is the diameter of, the largest"},
      {"`along`, `weights`", "as given: which way paths follow arcs, and whether weights are lengths"},
      {"`verified`", "true with `--verify`: searches from up to 1,000 vertices did not contradict it"},
  });
  parser.footer(
      "The distance of two vertices is the least number of edges between them, whatever their\n"
      "direction and weight; the largest is the diameter. It is that of the largest connected\n"
      "component, found by iFUB (Crescenzi et al. 2013), and exact unless --searches ends it. With\n"
      "--along out or --weights length it is the largest distance between vertices with a path.\n\n"
      "Examples:\n"
      "  callisto diameter web.txt.gz\n"
      "  callisto diameter roads.gr --searches 100 --json | jq '[.lower, .upper]'");
  o->common.input.add_random_weights(parser);
  return kernel_command(
      parser, {o, &o->common},
      [o](const graph::any_graph& any) {
        return o->other_paths(any) ? graph::needs::eccentricities(any) : graph::needs::diameter(any);
      },
      [o](const graph::any_graph& any, const graph::run_control& control) {
        return std::visit(
            [&](const auto& graph) {
              if (o->other_paths(any)) return analyse_other_paths(*o, any, graph, control);
              analysis found = analyse(*o, any, graph, control);
              o->paths.tell(found, any);
              return found;
            },
            any);
      });
}

}  // namespace callisto::app
