// callisto independent-set: finds vertices of which no two are neighbours.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/greedy/independent_set.hpp>
#include <callisto/graph/verify/structure.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

struct independent_set_arguments {
  graph_command common;
  graph::independent_set_options options;
};

template <class Vertex>
analysis analyse_independent_set(const independent_set_arguments& o, const graph::csr_graph<Vertex>& graph,
                                 const graph::run_control& context) {
  const stopwatch time;
  // shared: append_values reads it later
  const auto set =
      std::make_shared<graph::independent_set_result>(graph::maximal_independent_set(graph, o.options, context));
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"members", set->size}, {"rounds", set->rounds}, {"seed", o.options.seed}};
  found.rows = {{"members", with_separators(set->size)}, {"time", time_words(found.seconds)}};
  if (o.common.verify) {
    graph::verify_independent_set(graph, o.options, *set);
    found.tell_verified("against the sequential loop over the vertices");
  }
  found.columns = {"member"};
  found.append_values = [set](std::string& line, std::uint64_t v) { line += set->members[v] != 0 ? '1' : '0'; };
  return found;
}

}  // namespace

command add_independent_set(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("independent-set", "Find vertices of which no two are neighbours, until none can be added");
  const auto o = std::make_shared<independent_set_arguments>();
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->options.seed = parse_count("--seed", text, 0); },
      "Take vertices in the random order of this seed [1]");
  o->common.add_verify_to(parser, "by the sequential loop over the vertices");
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>1' for members and 'label<TAB>0' for\n"
                   "others, a line each in order of labels; with --json the object");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "5 n (9 n)"});
  parser.keys({
      {"`members`", "vertices in the set"},
      {"`rounds`", "of taking vertices"},
      {"`seed`", "as given"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "A maximal independent set, as a loop over the vertices in a random order finds it: a vertex\n"
      "joins unless a neighbour has. Directions, repeated edges and loops play no part.\n\n"
      "Examples:\n"
      "  callisto independent-set friends.txt.gz\n"
      "  callisto independent-set friends.cg --seed 7 --output members.tsv");
  return kernel_command(parser, {o, &o->common}, graph::needs::maximal_independent_set,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit(
                              [&](const auto& graph) { return analyse_independent_set(*o, graph, control); }, any);
                        });
}

}  // namespace callisto::app
