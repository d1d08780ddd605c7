// callisto eccentricity: finds how far away the farthest vertex is, from every vertex.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/path_options.hpp>
#include <callisto/graph/verify/structure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

/// Most arcs that the searches of --verify may look at together, and the fewest searches, which take precedence.
constexpr std::uint64_t most_arcs_checked = 2'000'000'000;
constexpr std::uint64_t least_searches = 10;

struct eccentricity_arguments {
  graph_command common;
  path_options paths;
};

template <class Vertex>
analysis analyse_eccentricities(const eccentricity_arguments& o, const graph::any_graph& any,
                                const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  const graph::eccentricity_options options = o.paths.of(any);
  const stopwatch time;
  // shared: append_values reads it later
  const auto result = std::make_shared<graph::eccentricity_result>(graph::eccentricities(graph, options, context));
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"diameter", result->diameter},
                 {"radius", result->radius},
                 {"periphery", result->periphery},
                 {"center", result->center},
                 {"searches", result->searches}};
  found.rows = {
      {"diameter",
       fmt::format("{}, vertices so far from another: {}", result->diameter, with_separators(result->periphery))},
      {"radius", fmt::format("{}, vertices in the center: {}", result->radius, with_separators(result->center))},
      {"searches", with_separators(result->searches)},
      {"time", time_words(found.seconds)}};
  o.paths.tell(found, any);
  if (o.common.verify) {
    const std::uint64_t searches = std::max(least_searches, most_arcs_checked / (1 + graph.arcs()));
    graph::verify_eccentricities(graph, options, *result, searches, context);
    found.tell_verified(fmt::format("by sequential searches from {} of its vertices",
                                    with_separators(std::min(graph.vertices(), searches))));
  }
  found.top = highest(any, result->eccentricities, o.common.top_count(), "eccentricity");
  found.columns = {"eccentricity", "central"};
  found.append_values = [result](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}\t{}", result->eccentricities[v], result->central[v] != 0 ? 1 : 0);
  };
  return found;
}

}  // namespace

command add_eccentricity(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("eccentricity", "Find how far away the farthest vertex is, from every vertex");
  const auto o = std::make_shared<eccentricity_arguments>();
  o->paths.add_to(parser, o->common.input);
  o->common.add_top_to(parser, "Show the K vertices of highest eccentricity");
  o->common.add_verify_to(parser, "by sequential searches from some vertices");
  o->common.input.add_random_weights(parser);
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>eccentricity<TAB>center' a line in\n"
                   "order of labels, center 1 for vertices of the center; with --json the object");
  parser.more(
      "The diameter is the largest eccentricity, the radius the smallest in the largest component: a weakly connected "
      "one, with `--along out` or `in` a strongly connected one. Its center are the vertices with that eccentricity.");
  parser.weights({"--weights length", "lengths", "min", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "62 n (94 n), what components needs, and 40 n (56 n) a thread"});
  parser.keys({
      {"`diameter`, `radius`", "the largest eccentricity; the smallest in the largest component"},
      {"`periphery`, `center`", "vertices that have it"},
      {"`searches`", "searches done, those of 64 at once counted one by one"},
      {"`along`, `weights`", "as given: which way paths follow arcs, and whether weights are lengths."},
      {"`verified`", "true with `--verify`"},
      {"`top`", "objects with `vertex` and `eccentricity`"},
  });
  parser.footer(
      "Exact for all vertices, by bounds (Takes and Kosters 2013) and 64 searches at once. Only\n"
      "distances to vertices that can be reached count, so that a graph need not be connected.\n\n"
      "Examples:\n"
      "  callisto eccentricity friends.txt.gz\n"
      "  callisto eccentricity roads.gr --weights length --output reach.tsv\n"
      "  callisto eccentricity web.cg --along out");
  return kernel_command(parser, {o, &o->common}, graph::needs::eccentricities,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit(
                              [&](const auto& graph) { return analyse_eccentricities(*o, any, graph, control); }, any);
                        });
}

}  // namespace callisto::app
