// callisto biconnected: finds bridges, articulation points and biconnected components.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/components/biconnected.hpp>
#include <callisto/graph/verify/connectivity.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct biconnected_arguments {
  graph_command common;
  bool bridges = false;  ///< these are the result
  bool edges = false;    ///< edges with their blocks are the result
};

/// Makes the bridges the result.
template <class Vertex>
void tell_bridges(analysis& found, const graph::any_graph& any,
                  std::shared_ptr<const graph::biconnected_result<Vertex>> result, std::uint64_t count) {
  const auto bridges = std::make_shared<std::vector<std::uint64_t>>();
  for (std::uint64_t e = 0; e < result->block.size(); ++e) {
    if (result->size[result->block[e]] == 2) bridges->push_back(e);
  }
  found.top = ranking{{"from", "to"}, {}};
  for (const std::uint64_t e : *bridges) {
    if (found.top->rows.size() >= count) break;
    found.top->rows.push_back({label_of(any, result->from[e]), label_of(any, result->to[e])});
  }
  found.columns = {"from", "to"};
  found.lines = {bridges->size(), [result, bridges, &any](std::string& line, std::uint64_t i) {
                   const std::uint64_t e = (*bridges)[i];
                   fmt::format_to(std::back_inserter(line), "{}\t{}", label_of(any, result->from[e]),
                                  label_of(any, result->to[e]));
                 }};
}

/// Makes the edges with their blocks the result.
template <class Vertex>
void tell_blocks(analysis& found, const graph::any_graph& any,
                 std::shared_ptr<const graph::biconnected_result<Vertex>> result, std::uint64_t count) {
  found.top = ranking{{"block", "vertices"}, {}};
  const auto& size = result->size;
  for (const std::uint64_t b :
       best_of(size.size(), count, [&](std::uint64_t x, std::uint64_t y) { return size[x] > size[y]; })) {
    found.top->rows.push_back({b, std::uint64_t{size[b]}});
  }
  found.columns = {"from", "to", "block"};
  found.lines = {result->block.size(), [result, &any](std::string& line, std::uint64_t e) {
                   fmt::format_to(std::back_inserter(line), "{}\t{}\t{}", label_of(any, result->from[e]),
                                  label_of(any, result->to[e]), result->block[e]);
                 }};
}

template <class Vertex>
analysis analyse_blocks(const biconnected_arguments& o, const graph::any_graph& any,
                        const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  const stopwatch time;
  const auto result = std::make_shared<graph::biconnected_result<Vertex>>(
      graph::biconnected(graph, context));  // shared: lines and append_values read it later
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"blocks", result->size.size()},
                 {"largest_block", result->largest},
                 {"bridges", result->bridges},
                 {"articulation_points", result->articulation_points}};
  found.rows = {{"biconnected components", with_separators(result->size.size())},
                {"the largest", with_separators(result->largest) + " vertices"},
                {"bridges", with_separators(result->bridges)},
                {"articulation points", with_separators(result->articulation_points)},
                {"time", time_words(found.seconds)}};
  if (o.common.verify) {
    graph::verify_biconnected(graph, *result);
    found.tell_verified("against the depth-first search of Hopcroft and Tarjan");
  }
  if (o.bridges) {
    tell_bridges<Vertex>(found, any, result, o.common.top_count());
  } else if (o.edges) {
    tell_blocks<Vertex>(found, any, result, o.common.top_count());
  } else {
    set_vertex_values(found, any, result, &graph::biconnected_result<Vertex>::blocks, o.common.top_count(), "blocks");
  }
  return found;
}

}  // namespace

command add_biconnected(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("biconnected", "Find bridges, articulation points and biconnected components");
  const auto o = std::make_shared<biconnected_arguments>();
  parser.add_flag("--bridges", o->bridges, "List the bridges: edges without which their component falls apart");
  parser.add_flag("--edges", o->edges, "Tell the biconnected component of each edge, rather than of vertices");
  o->common.add_top_to(parser,
                       "Show the K vertices in most biconnected components, the largest of these\nwith --edges, or "
                       "the first bridges");
  o->common.add_verify_to(parser, "by the depth-first search of Hopcroft and Tarjan");
  o->common.other_lines = [b = o.get()] { return std::string_view(b->bridges || b->edges ? "edges" : ""); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>blocks' a line in order of\n"
                   "labels; with --bridges 'label<TAB>label' for each bridge; with --edges\n"
                   "'label<TAB>label<TAB>block' for each edge; with --json the object");
  parser.more(
      "A bridge is a biconnected component of one edge. Components are numbered from 0 in the order of their first "
      "edges. The method is that of Tarjan and Vishkin (1985), by breadth-first trees and without their auxiliary "
      "graph (FAST-BCC: Dong et al., PPoPP'23).");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "44 n + 20 e (80 n + 40 e) and, without that list of edges, what components needs"});
  parser.keys({
      {"`blocks`", "biconnected components, bridges included"},
      {"`largest_block`", "vertices of the largest"},
      {"`bridges`", "edges without which their component falls apart"},
      {"`articulation_points`", "vertices without which their component falls apart"},
      {"`verified`", "true with `--verify`"},
      {"`top`",
       "objects with `vertex` and `blocks`, those that it is in; with `--bridges` with `from` and `to`, in the order "
       "of the graph; with `--edges` the largest with `block` and `vertices`"},
  });
  parser.footer(
      "Two edges are in one biconnected component if a cycle without repeated vertices has both. A\n"
      "vertex in two or more is an articulation point: without it, its component falls apart.\n"
      "Directions, repeated edges and loops play no part.\n\n"
      "Examples:\n"
      "  callisto biconnected grid.txt.gz\n"
      "  callisto biconnected grid.cg --bridges --output bridges.tsv\n"
      "  callisto biconnected grid.cg --json | jq .articulation_points");
  return {parser, [o](const std::stop_token& stop) {
            if (o->bridges && o->edges) throw usage_error("--bridges: --edges has them, too; give one of them");
            o->common.execute(
                stop, graph::needs::biconnected, [o](const graph::any_graph& any, const graph::run_control& control) {
                  return std::visit([&](const auto& graph) { return analyse_blocks(*o, any, graph, control); }, any);
                });
          }};
}

}  // namespace callisto::app
