// callisto matching: finds edges of which no two share a vertex.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/greedy/matching.hpp>
#include <callisto/graph/verify/structure.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

struct matching_arguments {
  graph_command common;
  graph::matching_options options;
  weight_option weights{graph::weight_use::strength, false};
};

template <class Vertex>
analysis analyse_matching(const matching_arguments& o, const graph::any_graph& any,
                          const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  graph::matching_options options = o.options;
  options.heaviest_first = o.weights.of(any) == graph::weight_use::strength;
  const stopwatch time;
  // shared: append_values reads it later
  const auto matched = std::make_shared<graph::matching_result<Vertex>>(maximal_matching(graph, options, context));
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"matched_edges", matched->edges},
                 {"weight", matched->weight},
                 {"rounds", matched->rounds},
                 {"seed", options.seed}};
  found.rows = {{"matched edges", with_separators(matched->edges)},
                {"vertices without partner", with_separators(graph.vertices() - 2 * matched->edges)},
                {"time", time_words(found.seconds)}};
  if (graph.weighted()) found.rows.emplace_back("their weight", fmt::format("{}", matched->weight));
  o.weights.tell(found, any);
  if (o.common.verify) {
    graph::verify_matching(graph, options, *matched);
    found.tell_verified("by its definition, edge by edge");
  }
  found.columns = {"partner"};
  found.append_values = [matched, &any](std::string& line, std::uint64_t v) {
    if (matched->partners[v] == matched->single) {
      line += '-';
    } else {
      fmt::format_to(std::back_inserter(line), "{}", label_of(any, matched->partners[v]));
    }
  };
  return found;
}

}  // namespace

command add_matching(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("matching", "Match neighbours in pairs, until none is left to match");
  const auto o = std::make_shared<matching_arguments>();
  o->weights.add_to(parser, o->common.input);
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->options.seed = parse_count("--seed", text, 0); },
      "Take edges in the random order of this seed [1]");
  o->common.add_verify_to(parser, "by its definition");
  o->common.input.add_random_weights(parser);
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>partner' a line in order of labels,\n"
                   "'-' without partner; with --json the object");
  parser.weights({"--weights strength", "strengths", "sum", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "20 n (40 n)"});
  parser.keys({
      {"`matched_edges`, `weight`", "edges taken, and the sum of their weights, 1 each without weights"},
      {"`weights`", "`strength` if heavy edges were taken first, else `none`"},
      {"`rounds`", "of taking edges"},
      {"`seed`", "as given"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "A maximal matching, as a loop over the edges in a random order finds it: an edge is taken\n"
      "unless one of its ends is matched. With --weights strength the loop takes heavy edges\n"
      "first, and the weight is at least half of the largest possible one.\n\n"
      "Examples:\n"
      "  callisto matching friends.txt.gz --output partners.tsv\n"
      "  callisto matching ties.wel --weights strength");
  return kernel_command(parser, {o, &o->common}, graph::needs::maximal_matching,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit(
                              [&](const auto& graph) { return analyse_matching(*o, any, graph, control); }, any);
                        });
}

}  // namespace callisto::app
