// callisto bfs: finds how many arcs away every vertex is from a source.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/source_options.hpp>
#include <callisto/cluster/bfs.hpp>
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct bfs_arguments {
  graph_command common;
  source_options from;
  graph::bfs_options search;
};

/// Appends the parent and the distance of a vertex; dashes in place of `no_parent` and `unreached`, which mean nothing
/// to a reader.
template <class Vertex>
void append_vertex(std::string& line, const graph::bfs_result<Vertex>& tree, const graph::any_graph& graph,
                   std::uint64_t v) {
  if (tree.parents[v] == tree.no_parent) {
    line += "-\t-";
  } else {
    fmt::format_to(std::back_inserter(line), "{}\t", tree.distances[v]);
    append_label(line, graph, tree.parents[v]);
  }
}

/// Returns the numbers of vertices at the `count` smallest distances.
template <class Vertex>
ranking vertices_by_distance(const graph::bfs_result<Vertex>& tree, std::uint64_t count) {
  std::vector<std::uint64_t> at(tree.eccentricity + std::size_t{1});
  for (const std::uint32_t distance : tree.distances) {
    if (distance != tree.unreached) ++at[distance];
  }
  ranking rows{{"distance", "vertices"}, {}};
  for (std::size_t d = 0; d < at.size() && d < count; ++d) rows.rows.push_back({std::uint64_t{d}, at[d]});
  return rows;
}

template <class Vertex>
analysis analyse(const bfs_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                 const graph::run_control& context) {
  graph::partners* const among = rank_job::among();
  const auto pick = [&] { return o.from.pick(any); };
  const std::vector<std::uint64_t> picked =
      among == nullptr ? pick() : among->from_first<std::uint64_t>(pick);  // labels are there
  std::vector<double> seconds;
  std::vector<std::vector<ranking::cell>> trials;
  auto tree = std::make_shared<graph::bfs_result<Vertex>>();  // shared: append_values reads it later
  for (const std::uint64_t source : picked) {
    *tree = {};  // frees the memory for the next search
    const stopwatch time;
    *tree = among == nullptr ? graph::bfs(graph, source, o.search, context)
                             : cluster::bfs(graph, source, o.search, {context, among});
    seconds.push_back(time.seconds());
    trials.push_back({tree->reached, std::uint64_t{tree->eccentricity}, std::uint64_t{tree->bottom_up}});
    if (o.common.verify && rank_job::tells()) graph::verify_bfs(graph, source, *tree, o.search.depth);
  }
  analysis found;
  if (!rank_job::tells()) return found;
  tell_trials(found, any, o.from, picked, seconds, {"reached", "distance", "bottom_up"},
              [&](std::size_t i) { return trials[i]; });
  if (o.common.verify) found.tell_verified("against a sequential search with a queue");
  if (o.from.drawn()) return found;

  found.facts["reached"] = tree->reached;
  found.facts["largest_distance"] = tree->eccentricity;
  found.facts["bottom_up_levels"] = tree->bottom_up;
  found.rows.emplace_back(
      "reached", fmt::format("{} of {} vertices", with_separators(tree->reached), with_separators(graph.vertices())));
  found.rows.emplace_back("largest distance", with_separators(tree->eccentricity));
  found.top = vertices_by_distance(*tree, o.common.top_count());
  found.columns = {"distance", "parent"};
  found.append_values = [tree, &any](std::string& line, std::uint64_t v) { append_vertex(line, *tree, any, v); };
  return found;
}

}  // namespace

command add_bfs(const command_parser& app) {
  const command_parser parser = app.add_subcommand("bfs", "Find how many arcs away every vertex is from a source");
  const auto o = std::make_shared<bfs_arguments>();
  o->from.add_to(parser);
  add_parsed(
      parser, "--depth", "D",
      [o](const std::string& text) {
        o->search.depth =
            static_cast<std::uint32_t>(parse_count("--depth", text, 0, std::numeric_limits<std::uint32_t>::max()));
      },
      "Look no farther than D arcs from the source");
  o->common.add_top_to(parser, "Count the vertices at the K smallest distances");
  o->common.add_verify_to(parser, "by a sequential search with a queue");
  o->common.other_lines = [b = o.get()] { return std::string_view(b->from.drawn() ? "a line for each search" : ""); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>distance<TAB>parent' a line in\n"
                   "order of labels, '-' where a vertex is not reached; with --json the object");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "16.4 n (28.4 n): parents, distances, two lists, three bitmaps"});
  parser.keys({
      {"`source`", "label of the source, with `--source`"},
      {"`reached`", "vertices reached, the source included"},
      {"`largest_distance`", "arcs to the farthest of them"},
      {"`bottom_up_levels`", "levels that were searched bottom-up"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "objects with `distance` and the number of `vertices` at it, nearest first"},
      {"`sources`, `seed`",
       "with `--sources`: as given; `top` then has an object for each search: `source`, `seconds`, `reached`, "
       "`distance` (the largest) and `bottom_up` (levels), and `seconds.compute` is the median"},
  });
  parser.footer(
      "Breadth-first search along the direction of arcs, by the direction-optimizing algorithm\n"
      "(Beamer, Asanovic and Patterson, SC'12).\n\n"
      "Examples:\n"
      "  callisto bfs web.cg --source 17\n"
      "  callisto bfs web.cg --source 17 --output distances.tsv\n"
      "  callisto bfs web.cg --sources 64 --seed 2 --verify");
  return {parser, [o](const std::stop_token& stop) {
            o->from.check();
            o->common.execute(stop, graph::needs::bfs,
                              [&](const graph::any_graph& graph, const graph::run_control& context) {
                                return std::visit([&](const auto& g) { return analyse(*o, graph, g, context); }, graph);
                              });
          }};
}

}  // namespace callisto::app
