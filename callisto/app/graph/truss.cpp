// callisto truss: finds how deep in triangles every edge lies.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/truss/truss.hpp>
#include <callisto/graph/verify/structure.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct truss_arguments {
  graph_command common;
  std::uint32_t least = 2;  ///< trussness of the edges that are written
};

template <class Vertex>
analysis analyse_truss(const truss_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                       const graph::run_control& context) {
  const stopwatch time;
  // shared: lines.append reads it later
  const auto found_truss = std::make_shared<graph::truss_result<Vertex>>(graph::truss(graph, context));
  const graph::truss_result<Vertex>& truss = *found_truss;
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"highest_trussness", truss.highest},
                 {"innermost_truss", truss.innermost},
                 {"undirected_edges", truss.trussness.size()}};
  found.rows = {{"highest trussness", with_separators(truss.highest)},
                {"edges that deep", with_separators(truss.innermost)},
                {"of undirected edges", with_separators(truss.trussness.size())},
                {"time", time_words(found.seconds)}};
  if (o.common.verify) {
    graph::verify_truss(graph, truss, context);
    found.tell_verified("by peeling edge by edge");
  }
  std::map<std::uint32_t, std::uint64_t> edges_of;
  const auto kept = std::make_shared<std::vector<std::uint64_t>>();  // edges that are written
  for (std::uint64_t e = 0; e < truss.trussness.size(); ++e) {
    ++edges_of[truss.trussness[e]];
    if (truss.trussness[e] >= o.least) kept->push_back(e);
  }
  found.top = ranking{{"trussness", "edges"}, {}};
  for (auto at = edges_of.rbegin(); at != edges_of.rend() && found.top->rows.size() < o.common.top_count(); ++at) {
    found.top->rows.push_back({std::uint64_t{at->first}, at->second});
  }
  found.columns = {"from", "to", "trussness"};
  found.lines = {kept->size(), [found_truss, kept, &any](std::string& line, std::uint64_t i) {
                   const std::uint64_t e = (*kept)[i];
                   fmt::format_to(std::back_inserter(line), "{}\t{}\t{}", label_of(any, found_truss->from[e]),
                                  label_of(any, found_truss->to[e]), found_truss->trussness[e]);
                 }};
  return found;
}

}  // namespace

command add_truss(const command_parser& app) {
  const command_parser parser = app.add_subcommand("truss", "Find how deep in triangles every edge lies");
  const auto o = std::make_shared<truss_arguments>();
  add_parsed(
      parser, "--least", "K",
      [o](const std::string& text) {
        o->least =
            static_cast<std::uint32_t>(parse_count("--least", text, 2, std::numeric_limits<std::uint32_t>::max()));
      },
      "Write only the edges of the K-truss [2: all]");
  o->common.add_top_to(parser, "Count the edges of the K highest values");
  o->common.add_verify_to(parser, "by peeling edge by edge");
  o->common.other_lines = [] { return std::string_view("edges"); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>label<TAB>trussness' a line for\n"
                   "each edge; with --json the object");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "about 40 n + 88 e, and 4 n a thread"});
  parser.keys({
      {"`highest_trussness`, `innermost_truss`", "the largest trussness, and the edges that have it"},
      {"`undirected_edges`", "edges of the simple undirected graph"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "objects with `trussness` and `edges`, highest first"},
  });
  parser.footer(
      "The k-truss is the largest subgraph in which every edge is in at least k - 2 triangles; the\n"
      "trussness of an edge is the largest k with a truss that has it, and 2 without triangles.\n"
      "Directions, repeated edges and loops play no part.\n\n"
      "Examples:\n"
      "  callisto truss friends.txt.gz\n"
      "  callisto truss friends.cg --least 5 --output dense.txt");
  return kernel_command(parser, {o, &o->common}, graph::needs::truss,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit([&](const auto& graph) { return analyse_truss(*o, any, graph, control); },
                                            any);
                        });
}

}  // namespace callisto::app
