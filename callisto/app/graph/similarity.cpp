// callisto similarity: finds how alike vertices are by the neighbours that they share.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/table_file.hpp>
#include <callisto/graph/similarity/similarity.hpp>
#include <callisto/graph/verify/structure.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

/// Vertices with pairs that --verify checks.
constexpr std::uint64_t checked_vertices = 200;

struct similarity_arguments {
  graph_command common;
  graph::similarity_options options;
  std::string measure = "jaccard";
  std::string pairs;  ///< file of pairs
  std::optional<double> threshold;
  std::optional<std::uint64_t> best;
  std::optional<std::uint64_t> predict;

  void check() const {
    if ((pairs.empty() ? 0 : 1) + (threshold ? 1 : 0) + (best ? 1 : 0) + (predict ? 1 : 0) != 1) {
      throw usage_error("expected one of --threshold T, --best K, --predict K and --pairs FILE");
    }
    if (threshold && *threshold > 1 && is_share(options.measure)) {
      throw usage_error(fmt::format("--threshold: {} is above 1, the most that {} can be", *threshold, measure));
    }
  }
};

/// Returns the pairs of the file --pairs, with their similarities.
template <class Vertex>
std::vector<graph::similar_pair> given_pairs(const similarity_arguments& o, const graph::any_graph& any,
                                             const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;
  for_each_line(o.pairs, any, [&](std::uint64_t, const std::vector<std::string_view>& fields) {
    if (fields.size() < 2) throw usage_error("expected two vertices");
    const auto vertex = [&](std::string_view text) { return vertex_of(any, text, "a vertex"); };
    ends.emplace_back(vertex(fields[0]), vertex(fields[1]));
  });
  const std::vector<double> values = graph::similarities(graph, ends, o.options.measure, context);
  std::vector<graph::similar_pair> pairs;
  for (std::size_t i = 0; i < ends.size(); ++i) pairs.push_back({ends[i].first, ends[i].second, values[i]});
  return pairs;
}

template <class Vertex>
void verify(const similarity_arguments& o, const graph::csr_graph<Vertex>& graph,
            const std::vector<graph::similar_pair>& pairs, analysis& found, const graph::run_control& context) {
  if (o.predict) {
    graph::verify_predicted_links(graph, *o.predict, o.options, pairs, checked_vertices, context);
    found.tell_verified(
        fmt::format("by all pairs with {} vertices", with_separators(std::min(graph.vertices(), checked_vertices))));
    return;
  }
  if (o.pairs.empty()) {
    graph::verify_similarity(graph, o.threshold.value_or(0), o.best.value_or(0), o.options, pairs, checked_vertices,
                             context);
    found.tell_verified(fmt::format("by all common neighbours of {} vertices",
                                    with_separators(std::min(graph.vertices(), checked_vertices))));
    return;
  }
  graph::verify_similarity_of_pairs(graph, o.options.measure, pairs);
  found.tell_verified("by all common neighbours of each pair");
}

template <class Vertex>
analysis analyse_similarity(const similarity_arguments& o, const graph::any_graph& any,
                            const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  const stopwatch time;
  // shared: lines.append reads it later
  const auto pairs = std::make_shared<std::vector<graph::similar_pair>>(
      o.threshold ? graph::similar_pairs(graph, *o.threshold, o.options, context)
      : o.best    ? graph::most_similar(graph, *o.best, o.options, context)
      : o.predict ? graph::predicted_links(graph, *o.predict, o.options, context)
                  : given_pairs(o, any, graph, context));
  analysis found;
  found.seconds = time.seconds();
  found.facts = {{"measure", o.measure}, {"pairs", pairs->size()}};
  if (o.threshold) found.facts["threshold"] = *o.threshold;
  if (o.best) found.facts["best"] = *o.best;
  if (o.predict) found.facts["predict"] = *o.predict;
  if (o.pairs.empty()) found.facts["least_common"] = o.options.least_common;
  found.rows = {{"measure", o.measure}, {"pairs", with_separators(pairs->size())}, {"time", time_words(found.seconds)}};
  if (o.common.verify) verify(o, graph, *pairs, found, context);
  found.top = ranking{{"vertex", "other", "similarity"}, {}};
  const auto higher = [&](std::uint64_t a, std::uint64_t b) { return (*pairs)[a].value > (*pairs)[b].value; };
  for (const std::uint64_t i : best_of(pairs->size(), o.common.top_count(), higher)) {
    const graph::similar_pair& pair = (*pairs)[i];
    found.top->rows.push_back({label_of(any, pair.from), label_of(any, pair.to), pair.value});
  }
  found.columns = {"vertex", "other", "similarity"};
  found.lines = {pairs->size(), [pairs, &any](std::string& line, std::uint64_t i) {
                   const graph::similar_pair& pair = (*pairs)[i];
                   fmt::format_to(std::back_inserter(line), "{}\t{}\t{}", label_of(any, pair.from),
                                  label_of(any, pair.to), pair.value);
                 }};
  return found;
}

}  // namespace

command add_similarity(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("similarity", "Find vertices that are alike by the neighbours that they share");
  const auto o = std::make_shared<similarity_arguments>();
  add_parsed(
      parser, "--threshold", "T",
      [o](const std::string& text) { o->threshold = parse_real("--threshold", text, {.low = 0, .above_low = true}); },
      "Find all pairs that are at least so alike: T > 0, at most 1 but for sums");
  add_parsed(
      parser, "--best", "K", [o](const std::string& text) { o->best = parse_count("--best", text, 1); },
      "Find the K vertices most alike to each vertex");
  add_parsed(
      parser, "--predict", "K", [o](const std::string& text) { o->predict = parse_count("--predict", text, 1); },
      "Find the K pairs most alike of all that have no edge: links to come")
      .more("`--measure adamic-adar`, `resource-allocation` and `preferential-attachment` are made for that.");
  parser.add_option("--pairs", o->pairs, "Compare the pairs in FILE, two vertices a line").type_name("FILE");
  add_parsed(
      parser, "--measure", "NAME",
      [o](const std::string& text) {
        try {
          o->options.measure = graph::similarity_measure_of(text);
        } catch (const usage_error& e) {
          throw usage_error(std::string("--measure: ") + e.what());
        }
        o->measure = name_of(o->options.measure);
      },
      "Divide the common neighbours by those that one of the two has (jaccard), by\nthose of the one that has fewer "
      "(overlap), or by the root of both degrees'\nproduct (cosine); or count them (common), each by the logarithm of "
      "its "
      "degree\n(adamic-adar), or by its degree (resource-allocation); or multiply both\ndegrees "
      "(preferential-attachment, of --predict and --pairs) [jaccard]")
      .words(
          {"jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation", "preferential-attachment"})
      .more("The last four have no upper bound, and predict links: Liben-Nowell and Kleinberg (2003) compare them.");
  add_parsed(
      parser, "--least-common", "N",
      [o](const std::string& text) { o->options.least_common = parse_count("--least-common", text, 1); },
      "Leave out pairs with fewer than N common neighbours [1]");
  o->common.add_top_to(parser, "Show the K pairs most alike");
  o->common.add_verify_to(parser, "by all common neighbours of some vertices");
  o->common.other_lines = [] { return std::string_view("pairs"); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>label<TAB>similarity' a line for\n"
                   "each pair; with --json the object");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "32 n + 16 e, 20 n a thread, and 24 a pair"});
  parser.keys({
      {"`measure`, `threshold`, `best`, `predict`, `least_common`", "as given"},
      {"`pairs`", "how many there are"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "the pairs most alike: objects with `vertex`, `other` and `similarity`"},
  });
  parser.footer(
      "Neighbours are those of the simple undirected graph: directions, repeated edges and loops\n"
      "play no part. Pairs need not be neighbours themselves. Vertices with one neighbour are all\n"
      "alike if they share it: --least-common 2 leaves them out.\n\n"
      "Examples:\n"
      "  callisto similarity friends.txt.gz --threshold 0.5 --least-common 3\n"
      "  callisto similarity films.cg --best 10 --output alike.tsv\n"
      "  callisto similarity films.cg --best 5 --measure adamic-adar\n"
      "  callisto similarity friends.cg --predict 100 --measure resource-allocation\n"
      "  callisto similarity films.cg --pairs candidates.txt --measure overlap");
  return {parser, [o](const std::stop_token& stop) {
            o->check();
            o->common.execute(
                stop, graph::needs::similarity, [o](const graph::any_graph& any, const graph::run_control& control) {
                  return std::visit([&](const auto& graph) { return analyse_similarity(*o, any, graph, control); },
                                    any);
                });
          }};
}

}  // namespace callisto::app
