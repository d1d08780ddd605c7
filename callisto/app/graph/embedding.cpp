// callisto embedding: vectors of vertices, for programs that learn.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/embedding/embedding.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct embedding_arguments {
  graph_command common;
  weight_option weights{graph::weight_use::strength, false};
  graph::embedding_options options;
  std::string npy;
};

/// Writes the rows, in the order of labels, as a file of NumPy.
void write_npy(const std::string& path, const graph::any_graph& any, const machine::page_array<float>& values,
               std::uint64_t dimensions) {
  const std::uint64_t n = size_of(any).vertices;
  std::string head = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", n, dimensions);
  // The values begin at a multiple of 64 bytes; ten bytes stand before the text, and it ends a line.
  head.resize((10 + head.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  head += '\n';
  machine::output_file file(path);
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(head.size() & 0xff);
  bytes += static_cast<char>(head.size() >> 8);
  file.append(bytes + head);
  for (std::uint64_t i = 0; i < n; ++i) {
    const float* const row = values.data() + by_label(any, i) * dimensions;
    file.append({reinterpret_cast<const char*>(row), static_cast<std::size_t>(dimensions * sizeof(float))});
  }
  file.commit();
}

analysis analyse_vectors(const embedding_arguments& o, const graph::any_graph& any, const graph::run_control& context) {
  graph::embedding_options options = o.options;
  options.weights = o.weights.of(any);
  const stopwatch time;
  const auto values = std::make_shared<machine::page_array<float>>(
      std::visit([&](const auto& graph) { return graph::fast_random_projection(graph, options, context); },
                 any));  // shared: append_values reads it later
  analysis found;
  found.seconds = time.seconds();
  const std::uint64_t d = options.dimensions;
  if (!o.npy.empty()) write_npy(o.npy, any, *values, d);
  found.facts = {
      {"dimensions", d}, {"steps", options.steps}, {"degree_power", options.degree_power}, {"seed", options.seed}};
  found.rows = {{"vectors", fmt::format("{} of {} numbers", with_separators(size_of(any).vertices), d)},
                {"time", time_words(found.seconds)}};
  if (!o.npy.empty()) {
    found.facts["npy"] = o.npy;
    found.rows.emplace_back("written", one_line(o.npy) + ", in the order of labels");
  }
  o.weights.tell(found, any);
  for (std::uint64_t i = 0; i < d; ++i) found.columns.push_back(fmt::format("v{}", i));
  found.append_values = [values, d](std::string& line, std::uint64_t v) {
    for (std::uint64_t i = 0; i < d; ++i) {
      fmt::format_to(std::back_inserter(line), "{}{}", i == 0 ? "" : "\t", (*values)[v * d + i]);
    }
  };
  return found;
}

std::vector<double> parse_steps(const std::string& text) {
  std::vector<double> steps;
  for (const std::string& word : words_of(text)) steps.push_back(parse_real("--steps", word, {.low = 0}));
  double sum = 0;
  for (const double s : steps) sum += s;
  if (sum == 0) throw usage_error("--steps: expected a number above 0 among them");
  return steps;
}

}  // namespace

command add_embedding(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("embedding", "Make a vector of each vertex, for programs that learn");
  const auto o = std::make_shared<embedding_arguments>();
  add_parsed(
      parser, "--dimensions", "N",
      [o](const std::string& text) {
        o->options.dimensions = static_cast<std::uint32_t>(parse_count("--dimensions", text, 1, 65'536));
      },
      "Numbers of a vector [128]");
  add_parsed(
      parser, "--steps", "W,W,...", [o](const std::string& text) { o->options.steps = parse_steps(text); },
      "What the own random vector counts, the mean over neighbours, the mean over theirs,\nand so on [0,0,1,1]");
  add_parsed(
      parser, "--degree-power", "X",
      [o](const std::string& text) {
        o->options.degree_power = parse_real("--degree-power", text, {.low = -10, .high = 10});
      },
      "Multiply random vectors by this power of the degree; below 0 hubs count less [0]");
  add_parsed(
      parser, "--seed", "S",
      [o](const std::string& text) {
        o->options.seed = parse_count("--seed", text, 0, std::numeric_limits<std::uint64_t>::max());
      },
      "Seed of the random vectors [1]");
  parser
      .add_option("--npy", o->npy, "Write the vectors to FILE as an array of NumPy, a row a vertex in order of labels")
      .type_name("FILE");
  o->weights.add_to(parser, o->common.input);
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) a label and the numbers of its vector a line,\n"
                   "with tabs between, in order of labels; with --json the object");
  parser.more(
      "The method is FastRP (Chen et al., CIKM'19): sparse random vectors are averaged over neighbours, step by step; "
      "the results are scaled to length 1, multiplied by `--steps` and added, and the sum is scaled to length 1.");
  parser.weights({"--weights strength", "strengths", "sum", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "12 n a dimension"});
  parser.keys({
      {"`dimensions`, `steps`, `degree_power`, `seed`", "as given"},
      {"`npy`", "with `--npy`: the file"},
      {"`weights`", "`strength`, or `none` if the graph has none or they were not used"},
  });
  parser.footer(
      "Vertices with alike neighbourhoods have alike vectors: compare them by their dot product.\n"
      "Directions play no part. The vectors are the same whatever the number of threads.\n\n"
      "Examples:\n"
      "  callisto embedding friends.txt.gz --dimensions 64 --output vectors.tsv\n"
      "  callisto embedding web.cg --npy vectors.npy");
  return kernel_command(
      parser, std::shared_ptr<const graph_command>(o, &o->common),
      [o](const graph::any_graph& any) { return graph::needs::fast_random_projection(any, o->options.dimensions); },
      [o](const graph::any_graph& any, const graph::run_control& control) {
        return analyse_vectors(*o, any, control);
      });
}

}  // namespace callisto::app
