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
#include <callisto/graph/embedding/node2vec.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct embedding_arguments {
  graph_command common;
  weight_option weights{graph::weight_use::strength, false};
  graph::embedding_options options;
  graph::node2vec_options learning;
  bool learns = false;  ///< node2vec, else FastRP
  std::string npy;

  graph::node2vec_options node2vec(graph::weight_use use) const {
    graph::node2vec_options made = learning;
    made.dimensions = options.dimensions;
    made.walks.seed = options.seed;
    made.walks.weighted = use == graph::weight_use::strength;
    return made;
  }
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
  const graph::node2vec_options learning = o.node2vec(options.weights);
  const auto values = std::make_shared<machine::page_array<float>>(  // shared: append_values reads it later
      std::visit(
          [&](const auto& graph) {
            return o.learns ? graph::node2vec(graph, learning, context)
                            : graph::fast_random_projection(graph, options, context);
          },
          any));
  analysis found;
  found.seconds = time.seconds();
  const std::uint64_t d = options.dimensions;
  if (!o.npy.empty()) write_npy(o.npy, any, *values, d);
  found.facts = {{"method", o.learns ? "node2vec" : "fastrp"}, {"dimensions", d}, {"seed", options.seed}};
  if (o.learns) {
    found.facts.update({{"length", learning.walks.length},
                        {"p", learning.walks.p},
                        {"q", learning.walks.q},
                        {"each", learning.each},
                        {"window", learning.window},
                        {"negative", learning.negative},
                        {"rate", learning.rate}});
  } else {
    found.facts.update({{"steps", options.steps}, {"degree_power", options.degree_power}});
  }
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
      parser, "--method", "METHOD",
      [o](const std::string& text) {
        if (text != "fastrp" && text != "node2vec") {
          throw usage_error("--method: expected fastrp or node2vec, found '" + text + "'");
        }
        o->learns = text == "node2vec";
      },
      "fastrp, which is quick, or node2vec, which learns from walks [fastrp]")
      .words({"fastrp", "node2vec"})
      .more("The options from `--length` to `--rate` are of node2vec, `--steps` and `--degree-power` of FastRP.");
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
  graph::node2vec_options& learning = o->learning;
  const auto count_option = [&](const char* flag, auto& to, std::uint64_t most, const char* help) {
    add_parsed(
        parser, flag, "N",
        [flag, &to, most](const std::string& text) {
          to = static_cast<std::remove_cvref_t<decltype(to)>>(parse_count(flag, text, 1, most));
        },
        help);
  };
  count_option("--length", learning.walks.length, 100'000, "Most vertices of a walk [80]");
  count_option("--each", learning.each, 1'000'000, "Walks from each vertex [10]");
  count_option("--window", learning.window, 1000, "Vertices up to N steps apart on a walk are near each other [10]");
  count_option("--negative", learning.negative, 1000, "Vertices drawn for each pair, which are not near [5]");
  const auto real_option = [&](const char* flag, double& to, double most, const char* help) {
    add_parsed(
        parser, flag, "X",
        [flag, &to, most](const std::string& text) {
          to = parse_real(flag, text, {.low = 0, .high = most, .above_low = true});
        },
        help);
  };
  real_option("--p", learning.walks.p, 1e9, "Going back on a walk is 1/X as likely [1]");
  real_option("--q", learning.walks.q, 1e9,
              "Going to a vertex that is no neighbour of the last one is 1/X as likely [1]");
  real_option("--rate", learning.rate, 1, "Length of the first steps of learning, at most 1 [0.025]");
  parser
      .add_option("--npy", o->npy, "Write the vectors to FILE as an array of NumPy, a row a vertex in order of labels")
      .type_name("FILE");
  o->weights.add_to(parser, o->common.input);
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) a label and the numbers of its vector a line,\n"
                   "with tabs between, in order of labels; with --json the object");
  parser.more(
      "The method is FastRP (Chen et al., CIKM'19): sparse random vectors are averaged over neighbours, step by step; "
      "the results are scaled to length 1, multiplied by `--steps` and added, and the sum is scaled to length 1. "
      "node2vec "
      "(Grover and Leskovec, KDD'16) makes walks and learns, by the skip-gram model with negative samples (Mikolov et "
      "al. "
      "2013), which vertices are near each other on them; walks follow directions.");
  parser.weights({"--weights strength", "strengths", "sum", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.memory(
      {"", "12 n a dimension; with node2vec 8 n a dimension, 64 n (128 n), what walks needs, and 97 MiB (193 MiB)"});
  parser.keys({
      {"`method`, `dimensions`, `seed`", "as given"},
      {"`steps`, `degree_power`", "as given, of FastRP"},
      {"`length`, `each`, `window`, `negative`, `p`, `q`, `rate`", "as given, of node2vec"},
      {"`npy`", "with `--npy`: the file"},
      {"`weights`", "`strength`, or `none` if the graph has none or they were not used"},
  });
  parser.footer(
      "Vertices with alike neighbourhoods have alike vectors: compare them by their dot product.\n"
      "Directions play no part in FastRP. The vectors are the same whatever the number of threads.\n\n"
      "Examples:\n"
      "  callisto embedding friends.txt.gz --dimensions 64 --output vectors.tsv\n"
      "  callisto embedding web.cg --npy vectors.npy\n"
      "  callisto embedding friends.cg --method node2vec --q 0.5 --npy vectors.npy");
  return kernel_command(
      parser, std::shared_ptr<const graph_command>(o, &o->common),
      [o](const graph::any_graph& any) {
        return o->learns ? graph::needs::node2vec(any, o->node2vec(graph::weight_use::strength))
                         : graph::needs::fast_random_projection(any, o->options.dimensions);
      },
      [o](const graph::any_graph& any, const graph::run_control& control) {
        return analyse_vectors(*o, any, control);
      });
}

}  // namespace callisto::app
