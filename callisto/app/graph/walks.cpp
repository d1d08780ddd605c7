// callisto walks: makes random walks.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/verify/structure.hpp>
#include <callisto/graph/walks/random_walks.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct walks_arguments {
  graph_command common;
  graph::walk_options options;
  weight_option weights{graph::weight_use::strength, true};
  std::uint64_t each = 10;
  std::vector<std::string> starts;  ///< labels; empty: all vertices
};

/// The walks that were asked for: numbered from 0 on, `each` rounds over the starts.
template <class Vertex>
struct walk_list {
  graph::random_walker<Vertex> walker;
  const graph::csr_graph<Vertex>& graph;
  std::vector<std::uint64_t> starts;
  std::uint64_t count;

  void make(std::uint64_t i, std::vector<Vertex>& walk) const {
    const std::uint64_t starting = starts.empty() ? graph.vertices() : starts.size();
    const std::uint64_t at = i % starting;
    walker.walk(starts.empty() ? graph.by_label(at) : starts[at], i, walk);
  }
};

template <class Vertex>
analysis analyse_walks(const walks_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                       const graph::run_control& context) {
  graph::walk_options options = o.options;
  options.weighted = o.weights.of(any) == graph::weight_use::strength;
  std::vector<std::uint64_t> starts;
  for (const std::string& label : o.starts) starts.push_back(vertex_of(any, label, "--start"));
  const std::uint64_t starting = starts.empty() ? graph.vertices() : starts.size();
  const stopwatch time;
  // shared: lines.append reads it later
  const auto list = std::make_shared<walk_list<Vertex>>(
      walk_list<Vertex>{{graph, options, context}, graph, std::move(starts), o.each * starting});
  // A walk is a function of its number: the loop counts vertices here, and the output makes the same walks again.
  const auto make = [&](std::uint64_t first, std::uint64_t last, std::uint64_t visited) {
    std::vector<Vertex> walk;
    for (std::uint64_t i = first; i < last; ++i) {
      list->make(i, walk);
      visited += walk.size();
      if (o.common.verify) graph::verify_walk<Vertex>(graph, options.weighted, walk);
    }
    return visited;
  };
  const std::uint64_t visited =
      parallel_reduce(std::uint64_t{0}, list->count, std::uint64_t{0}, make, std::plus<>{}, {.stop = context.stop});
  context.check();
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"walks", list->count}, {"visited", visited}, {"length", options.length},
                 {"p", options.p},       {"q", options.q},     {"seed", options.seed}};
  found.rows = {{"walks", with_separators(list->count)},
                {"vertices on them", with_separators(visited)},
                {"time", time_words(found.seconds)}};
  o.weights.tell(found, any);
  if (o.common.verify) found.tell_verified("step by step");
  // Blanks between vertices, as other programs read walks; tabs if a name holds what would be taken for its end.
  const auto names = graph.names();
  const bool tabs =
      names != nullptr && std::string_view(names->bytes().data(), names->bytes().size()).find_first_of(" \t\r\n\"") !=
                              std::string_view::npos;
  found.lines = {list->count, [list, &any, tabs](std::string& line, std::uint64_t i) {
                   thread_local std::vector<Vertex> walk;
                   list->make(i, walk);
                   const char* separator = "";
                   for (const Vertex v : walk) {
                     fmt::format_to(std::back_inserter(line), "{}{}", separator, label_of(any, v));
                     separator = tabs ? "\t" : " ";
                   }
                 }};
  return found;
}

}  // namespace

command add_walks(const command_parser& app) {
  const command_parser parser = app.add_subcommand("walks", "Make random walks, also those of node2vec");
  const auto o = std::make_shared<walks_arguments>();
  add_parsed(
      parser, "--length", "N", [o](const std::string& text) { o->options.length = parse_count("--length", text, 1); },
      "Most vertices of a walk [80]");
  add_parsed(
      parser, "--each", "N", [o](const std::string& text) { o->each = parse_count("--each", text, 1, 1 << 30); },
      "Walks from each vertex [10]");
  add_parsed(
      parser, "--start", "V", [o](const std::string& text) { o->starts.push_back(text); },
      "Begin at this vertex [at each]; may be repeated")
      .may_be_repeated();
  add_parsed(
      parser, "--p", "P",
      [o](const std::string& text) { o->options.p = parse_real("--p", text, {.low = 0, .above_low = true}); },
      "node2vec: going back is 1/P as likely [1]");
  add_parsed(
      parser, "--q", "Q",
      [o](const std::string& text) { o->options.q = parse_real("--q", text, {.low = 0, .above_low = true}); },
      "node2vec: going to a vertex that is no neighbour of the last one is 1/Q\nas likely [1]");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->options.seed = parse_count("--seed", text, 0); },
      "Draw by this seed [1]");
  o->weights.add_to(parser, o->common.input);
  o->common.add_verify_to(parser, "step by step");
  o->common.input.add_random_weights(parser);
  o->common.other_lines = [] { return std::string_view("walks"); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) a walk a line, labels with blanks between;\n"
                   "with --json the object");
  parser.more("Each walk is a function of the seed and its number, whatever the number of threads.");
  parser.weights({"", "strengths", "sum", "once"});
  parser.memory({"", "nothing, or 8 n + 8 m if weighted"});
  parser.keys({
      {"`walks`, `visited`", "walks made, and vertices on them, repeats included"},
      {"`length`, `p`, `q`, `seed`", "as given"},
      {"`weights`", "`strength` if arcs were taken by weight, else `none`"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "A walk follows arcs in their direction and ends before its length where none leaves. An arc\n"
      "is taken in proportion to its weight, if the graph has weights. Walks go round by round over\n"
      "the vertices in order of labels.\n\n"
      "Examples:\n"
      "  callisto walks friends.txt.gz --undirected --output walks.txt\n"
      "  callisto walks friends.cg --p 0.25 --q 4 --length 40 --each 5 --output walks.txt");
  return kernel_command(parser, {o, &o->common}, graph::needs::random_walks,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit([&](const auto& graph) { return analyse_walks(*o, any, graph, control); },
                                            any);
                        });
}

}  // namespace callisto::app
