// callisto partition: divides a graph into parts of about equal size with few edges between them.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/partition/partition.hpp>
#include <callisto/graph/verify/patterns.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace callisto::app {
namespace {

struct partition_arguments {
  graph_command common;
  weight_option weights{graph::weight_use::strength, true};
  graph::partition_options options;
};

analysis analyse_parts(const partition_arguments& o, const graph::any_graph& any, const graph::run_control& context) {
  graph::partition_options options = o.options;
  options.weighted = o.weights.of(any) == graph::weight_use::strength;
  const stopwatch time;
  const auto result = std::make_shared<graph::partition_result>(
      std::visit([&](const auto& graph) { return graph::partition(graph, options, context); },
                 any));  // shared: append_values reads it later
  analysis found;
  found.seconds = time.seconds();
  if (o.common.verify) std::visit([&](const auto& graph) { graph::verify_partition(graph, options, *result); }, any);
  found.facts = {{"parts", options.parts},         {"cut", result->cut},
                 {"smallest", result->smallest},   {"largest", result->largest},
                 {"imbalance", options.imbalance}, {"seed", options.seed}};
  const bool weighted = options.weighted && size_of(any).weighted;
  found.rows = {{"parts", fmt::format("{} of {} to {} vertices", with_separators(options.parts),
                                      with_separators(result->smallest), with_separators(result->largest))},
                {"cut", fmt::format("{} between parts",
                                    weighted ? fmt::format("weight {:.10g}", result->cut)
                                             : with_separators(static_cast<std::uint64_t>(result->cut)) + " edges")},
                {"time", time_words(found.seconds)}};
  o.weights.tell(found, any);
  if (o.common.verify) found.tell_verified("the sizes, and the cut counted again");
  found.columns = {"part"};
  found.append_values = [result](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}", result->part[v]);
  };
  return found;
}

}  // namespace

command add_partition(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("partition", "Divide a graph into parts of equal size with few edges between");
  const auto o = std::make_shared<partition_arguments>();
  add_parsed(
      parser, "--parts", "K",
      [o](const std::string& text) {
        o->options.parts = static_cast<std::uint32_t>(parse_count("--parts", text, 1, 1'000'000));
      },
      "Number of parts [2]");
  add_parsed(
      parser, "--imbalance", "X",
      [o](const std::string& text) {
        o->options.imbalance = parse_real("--imbalance", text, {.low = 0, .high = 1000});
      },
      "A part has at most this share of vertices more than the mean [0.03]");
  add_parsed(
      parser, "--seed", "S",
      [o](const std::string& text) {
        o->options.seed = parse_count("--seed", text, 0, std::numeric_limits<std::uint64_t>::max());
      },
      "Seed of random choices [1]");
  o->common.add_verify_to(parser, "by the sizes of parts and the edges between them");
  o->weights.add_to(parser, o->common.input);
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>part' a line in order of labels;\n"
                   "with --json the object");
  parser.more(
      "The method is multilevel (Karypis and Kumar 1998): vertices are matched along heavy edges until few are left, "
      "these are divided, and on the way back vertices at borders move (Fiduccia and Mattheyses 1982). Threads share "
      "the first divisions. The parts are good, not the best: to find these is NP-hard.");
  parser.weights({"", "strengths", "sum", "once"});
  parser.memory({"", "128 n + 144 e"});
  parser.keys({
      {"`parts`, `imbalance`, `seed`", "as given"},
      {"`cut`", "edges between parts, or the sum of their weights"},
      {"`smallest`, `largest`", "vertices of parts"},
      {"`weights`", "`strength`, or `none` if the graph has none or they were not used"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "Parts are numbered from 0. Directions play no part; repeated edges add up as weights, and count\n"
      "once without. `callisto communities` finds parts of any sizes.\n\n"
      "Examples:\n"
      "  callisto partition mesh.graph --parts 16 --output parts.tsv\n"
      "  callisto partition web.cg --parts 4 --imbalance 0.1 --json | jq .cut");
  return kernel_command(
      parser, std::shared_ptr<const graph_command>(o, &o->common), graph::needs::partition,
      [o](const graph::any_graph& any, const graph::run_control& control) { return analyse_parts(*o, any, control); });
}

}  // namespace callisto::app
