// callisto clustering: finds how many of each vertex's neighbours are neighbours of one another.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

template <class Vertex>
analysis analyse_clustering(const graph_command& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                            const graph::run_control& context) {
  const stopwatch time;
  // shared: append_values reads it later
  const auto clusters = std::make_shared<graph::clustering_result>(graph::clustering(graph, context));
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"triangles", clusters->total},
                 {"average_clustering", clusters->average},
                 {"transitivity", clusters->transitivity}};
  found.rows = {{"triangles", with_separators(clusters->total)},
                {"average clustering", fmt::format("{:.6f}", clusters->average)},
                {"transitivity", fmt::format("{:.6f}", clusters->transitivity)},
                {"time", time_words(found.seconds)}};
  if (o.verify) {
    graph::verify_clustering(graph, *clusters, context);
    found.tell_verified("by merging the neighbours of every edge's ends");
  }
  found.top = highest(any, clusters->triangles, o.top_count(), "triangles");
  found.top->keys.emplace_back("coefficient");
  for (auto& row : found.top->rows) {
    row.push_back(clusters->coefficients[vertex_of(any, std::get<std::uint64_t>(row.front()), "--top")]);
  }
  found.append_values = [clusters](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}\t{}", clusters->coefficients[v], clusters->triangles[v]);
  };
  return found;
}

}  // namespace

command add_clustering(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("clustering", "Find how many neighbours of a vertex are neighbours themselves");
  const auto o = std::make_shared<graph_command>();
  o->add_top_to(parser, "Show the K vertices of most triangles");
  o->add_verify_to(parser, "by merging the neighbours of every edge's ends");
  o->add_to(parser,
            "Write to FILE ('-': standard output) 'label<TAB>coefficient<TAB>triangles' a line\n"
            "in order of labels; with --json the object");
  parser.footer(
      "The local clustering coefficient of a vertex is the share of the pairs of its neighbours\n"
      "that are neighbours themselves, 0 with fewer than two; transitivity is that share over the\n"
      "pairs of all vertices. Directions, repeated edges and loops play no part.\n\n"
      "Examples:\n"
      "  callisto clustering friends.txt.gz\n"
      "  callisto clustering friends.cg --output coefficients.tsv");
  return kernel_command(
      parser, o, graph::needs::clustering, [o](const graph::any_graph& any, const graph::run_control& control) {
        return std::visit([&](const auto& graph) { return analyse_clustering(*o, any, graph, control); }, any);
      });
}

}  // namespace callisto::app
