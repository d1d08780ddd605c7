// callisto clustering: finds how many of each vertex's neighbours are neighbours of each other.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/cluster/triangles.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/triangles/valued_clustering.hpp>
#include <callisto/graph/verify/structure.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

struct clustering_arguments {
  graph_command common;
  bool directions = false;
  weight_option weights{graph::weight_use::strength, false};
};

/// Coefficients with directions, weights or both.
template <class Vertex>
analysis analyse_valued(const clustering_arguments& o, const graph::any_graph& any,
                        const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  const graph::valued_clustering_options options{o.directions, o.weights.of(any) == graph::weight_use::strength};
  const stopwatch time;
  // shared: append_values reads it later
  const auto clusters =
      std::make_shared<graph::valued_clustering_result>(graph::valued_clustering(graph, options, context));
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"average_clustering", clusters->average}, {"directions", options.directed}};
  found.rows = {{"average clustering", fmt::format("{:.6f}", clusters->average)}, {"time", time_words(found.seconds)}};
  if (graph.directed()) found.rows.emplace_back("directions", options.directed ? "used" : "not used");
  o.weights.tell(found, any);
  if (o.common.verify) {
    graph::verify_valued_clustering(graph, options, *clusters, context);
    found.tell_verified("by merging the neighbours of every edge's ends");
  }
  set_vertex_values(found, any, clusters, &graph::valued_clustering_result::coefficients, o.common.top_count(),
                    "coefficient");
  return found;
}

template <class Vertex>
analysis analyse_clustering(const graph_command& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                            const graph::run_control& context) {
  const stopwatch time;
  // shared: append_values reads it later
  graph::partners* const among = rank_job::among();
  const auto clusters = std::make_shared<graph::clustering_result>(
      among == nullptr ? graph::clustering(graph, context) : cluster::clustering(graph, {context, among}));
  analysis found;
  found.seconds = time.seconds();
  if (!rank_job::tells()) return found;
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
  for (auto& row : found.top->rows) row.push_back(clusters->coefficients[vertex_of(any, row.front())]);
  found.columns = {"coefficient", "triangles"};
  found.append_values = [clusters](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}\t{}", clusters->coefficients[v], clusters->triangles[v]);
  };
  return found;
}

}  // namespace

command add_clustering(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("clustering", "Find how many neighbours of a vertex are neighbours themselves");
  const auto o = std::make_shared<clustering_arguments>();
  parser.add_flag("--directions", o->directions, "Count directed triangles (Fagiolo 2007)");
  o->weights.add_to(parser, o->common.input);
  o->common.add_top_to(parser, "Show the K vertices of most triangles");
  o->common.add_verify_to(parser, "by merging the neighbours of every edge's ends");
  o->common.input.add_random_weights(parser);
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>coefficient<TAB>triangles' a line\n"
                   "in order of labels; with --json the object");
  parser.more(
      "With `--directions`, the coefficient is the number of directed triangles through the vertex by those that its "
      "arcs "
      "could be part of. With `--weights strength`, a triangle counts with the cube root of the product of its "
      "weights, "
      "each divided by the largest of the graph (Onnela et al. 2005). Both are NetworkX's `clustering()`; `--output` "
      "then "
      "has no triangles, and `--top` ranks by coefficient.");
  parser.weights({"--weights strength", "strengths", "sum", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "24 n more than triangles; with directions or weights 32 n + 28 e, and 8 n a thread"});
  parser.keys({
      {"`triangles`", "of the graph"},
      {"`average_clustering`",
       "average of the local clustering coefficients of all vertices, 0 for those with fewer than two neighbours"},
      {"`transitivity`", "three times the triangles by the pairs of neighbours of all vertices"},
      {"`weights`", "`strength` with `--weights strength`, else `none`"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "the vertices of most triangles: objects with `vertex`, `triangles` and `coefficient`"},
  });
  parser.footer(
      "The local clustering coefficient of a vertex is the share of the pairs of its neighbours\n"
      "that are neighbours themselves, 0 with fewer than two; transitivity is that share over the\n"
      "pairs of all vertices. Repeated edges and loops play no part; directions and weights only if\n"
      "asked for.\n\n"
      "Examples:\n"
      "  callisto clustering friends.txt.gz\n"
      "  callisto clustering friends.cg --output coefficients.tsv");
  const auto valued = [o](const graph::any_graph& any) {
    return o->weights.of(any) != graph::weight_use::none || (o->directions && size_of(any).directed);
  };
  return kernel_command(
      parser, {o, &o->common},
      [valued](const graph::any_graph& any) {
        return valued(any) ? graph::needs::valued_clustering(any) : graph::needs::clustering(any);
      },
      [o, valued](const graph::any_graph& any, const graph::run_control& control) {
        return std::visit(
            [&](const auto& graph) {
              if (valued(any) && rank_job::among() != nullptr) {
                throw usage_error(
                    "--directions and --weights strength have no form for several ranks; expected none of them, or "
                    "1 process");
              }
              if (valued(any)) return analyse_valued(*o, any, graph, control);
              analysis found = analyse_clustering(o->common, any, graph, control);
              o->weights.tell(found, any);
              return found;
            },
            any);
      });
}

}  // namespace callisto::app
