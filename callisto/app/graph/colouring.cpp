// callisto colouring: gives neighbours different colours.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/greedy/colouring.hpp>
#include <callisto/graph/verify/structure.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct colouring_arguments {
  graph_command common;
  graph::colouring_options options;
  std::string order = "smallest-last";
};

template <class Vertex>
analysis analyse_colouring(const colouring_arguments& o, const graph::csr_graph<Vertex>& graph,
                           const graph::run_control& context) {
  const stopwatch time;
  // shared: append_values reads it later
  const auto coloured = std::make_shared<graph::colouring_result>(graph::colouring(graph, o.options, context));
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"colours", coloured->count}, {"order", o.order}, {"seed", o.options.seed}};
  found.rows = {{"colours", with_separators(coloured->count)}, {"time", time_words(found.seconds)}};
  if (o.common.verify) {
    graph::verify_colouring(graph, *coloured);
    found.tell_verified("vertex by vertex");
  }
  std::vector<std::uint64_t> vertices(coloured->count);
  for (const std::uint32_t colour : coloured->colours) ++vertices[colour];
  found.top = ranking{{"colour", "vertices"}, {}};
  for (std::uint64_t c = 0; c < std::min<std::uint64_t>(vertices.size(), o.common.top_count()); ++c) {
    found.top->rows.push_back({c, vertices[c]});
  }
  found.columns = {"colour"};
  found.append_values = [coloured](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}", coloured->colours[v]);
  };
  return found;
}

}  // namespace

command add_colouring(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("colouring", "Give every vertex a colour that none of its neighbours has");
  const auto o = std::make_shared<colouring_arguments>();
  add_parsed(
      parser, "--by", "ORDER",
      [o](const std::string& text) {
        if (text == "smallest-last") {
          o->options.order = graph::colouring_order::smallest_log_last;
        } else if (text == "largest-first") {
          o->options.order = graph::colouring_order::largest_log_first;
        } else if (text == "random") {
          o->options.order = graph::colouring_order::random;
        } else {
          throw usage_error("--by: expected smallest-last, largest-first or random, found '" + text + "'");
        }
        o->order = text;
      },
      "Order in which vertices take the smallest free colour: smallest-last\n"
      "(fewest colours), largest-first (by degree) or random [smallest-last]")
      .words({"smallest-last", "largest-first", "random"})
      .more("Degrees count by their logarithms, so that many vertices choose at once (Hasenplaugh et al. 2014).");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->options.seed = parse_count("--seed", text, 0); },
      "Put vertices of equal rank in the random order of this seed [1]");
  o->common.add_top_to(parser, "Count the vertices of the first K colours");
  o->common.add_verify_to(parser, "vertex by vertex");
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>colour' a line in order of labels,\n"
                   "colours from 0 on; with --json the object");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "37 n + 8 e, and 1 MiB a thread"});
  parser.keys({
      {"`colours`, `order`", "colours used, and the order as given"},
      {"`seed`", "as given"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "objects with `colour` and `vertices`"},
  });
  parser.footer(
      "Greedy colouring by the algorithm of Jones and Plassmann. Directions, repeated edges and\n"
      "loops play no part.\n\n"
      "Examples:\n"
      "  callisto colouring conflicts.col --output slots.tsv\n"
      "  callisto colouring web.cg --by largest-first --verify");
  return kernel_command(parser, {o, &o->common}, graph::needs::colouring,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit([&](const auto& graph) { return analyse_colouring(*o, graph, control); },
                                            any);
                        });
}

}  // namespace callisto::app
