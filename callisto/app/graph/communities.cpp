// callisto communities: finds groups of vertices with more edges inside than chance would put there.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/groups.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/verify/communities.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace callisto::app {
namespace {

struct communities_arguments {
  graph_command common;
  graph::communities_options what;
};

graph::community_method parse_method(const std::string& text) {
  for (const auto method : {graph::community_method::louvain, graph::community_method::labels}) {
    if (text == name_of(method)) return method;
  }
  throw usage_error("--method: expected louvain or labels, found '" + text + "'");
}

analysis analyse(const communities_arguments& o, const graph::any_graph& graph, const graph::run_control& context) {
  const stopwatch time;
  // shared: append_values reads it later
  const auto groups = std::make_shared<graph::communities_result>(graph::communities(graph, o.what, context));
  analysis found;
  found.seconds = time.seconds();
  if (o.common.verify) graph::verify_communities(graph, o.what, *groups);
  std::visit([&](const auto& g) { name_by_label(groups->of, g); }, graph);
  const auto sizes = graph::component_sizes(groups->of, context);
  json levels = json::array();
  for (const graph::community_level& level : groups->levels) {
    levels.push_back({{"vertices", level.vertices}, {"rounds", level.rounds}, {"moves", level.moves}});
  }
  found.facts = {{"method", name_of(o.what.method)},   {"resolution", o.what.resolution},
                 {"communities", groups->communities}, {"largest_community", sizes.empty() ? 0 : sizes.front().second},
                 {"modularity", groups->modularity},   {"converged", groups->converged},
                 {"levels", std::move(levels)}};
  found.rows = {{"communities", fmt::format("{} (by {})", with_separators(groups->communities),
                                            o.what.method == graph::community_method::louvain ? "the Louvain method"
                                                                                              : "label propagation")},
                {"modularity", o.what.resolution == 1
                                   ? fmt::format("{:.6f}", groups->modularity)
                                   : fmt::format("{:.6f} at resolution {}", groups->modularity, o.what.resolution)},
                {"levels", fmt::format("{}{}", groups->levels.size(), groups->converged ? "" : ", not converged")},
                {"time", time_words(found.seconds)}};
  if (size_of(graph).directed) found.rows.emplace_back("directions", "ignored");
  if (o.common.verify) {
    found.tell_verified("modularity, and that no move of the last level raises it");
    if (o.what.method == graph::community_method::labels) {
      found.rows.back().second = "modularity, and that each label is the heaviest around it";
    }
  }
  found.top = largest_groups(graph, sizes, o.common.top_count(), "community");
  found.append_values = [groups, &graph](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}", label_of(graph, groups->of[v]));
  };
  return found;
}

}  // namespace

command add_communities(const command_parser& app) {
  const command_parser parser = app.add_subcommand("communities", "Find groups of vertices with many edges inside");
  const auto o = std::make_shared<communities_arguments>();
  add_parsed(
      parser, "--method", "METHOD", [o](const std::string& text) { o->what.method = parse_method(text); },
      "louvain, which maximizes modularity, or labels (label propagation), which is\nquicker [louvain]")
      .words({"louvain", "labels"})
      .more("`labels` promises less: it maximizes no measure.");
  add_parsed(
      parser, "--resolution", "R",
      [o](const std::string& text) { o->what.resolution = parse_real("--resolution", text, {.low = 0}); },
      "Of modularity: above 1 for smaller communities, below for larger ones [1]")
      .more("R is 0 or more.");
  o->common.add_top_to(parser, "Show the K largest communities");
  o->common.add_verify_to(parser, "by sequential sums, and that no single move betters it");
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>community' a line in order of\n"
                   "labels; with --json the object");
  parser.more(
      "The methods are Louvain (Blondel et al. 2008) and label propagation (Raghavan et al. 2007). If "
      "there are arcs in both directions, the edge has the lighter one's weight. Loops count; "
      "`--drop-loops` drops them. The result depends on the graph, the order of its vertices in the "
      "file included.\n\nWith `--top` and `--output` only the largest communities are written: "
      "`community<TAB>vertices` a line.");
  parser.footer(
      "A community is named after its smallest vertex. Of a directed graph directions are ignored:\n"
      "an arc in either direction is an edge. Weights count as strengths of ties. The result is the\n"
      "same whatever the number of threads.\n\n"
      "Examples:\n"
      "  callisto communities friends.txt.gz\n"
      "  callisto communities friends.cg --output communities.tsv --verify\n"
      "  callisto communities friends.cg --resolution 2 --json | jq .modularity");
  const auto needs = [o](const graph::any_graph& graph) { return graph::needs::communities(graph, o->what.method); };
  return kernel_command(
      parser, {o, &o->common}, needs,
      [o](const graph::any_graph& any, const graph::run_control& control) { return analyse(*o, any, control); });
}

}  // namespace callisto::app
