// callisto cliques: counts or lists maximal cliques.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/cliques/cliques.hpp>
#include <callisto/graph/verify/patterns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

/// Members of a list that is kept, 32 MiB; those of a longer one are found again as they are written.
constexpr std::uint64_t most_members = std::uint64_t{1} << 22;
/// Bytes of such a list as it grows, and of what waits for its turn.
constexpr std::uint64_t bytes_of_list = std::uint64_t{144} << 20;

struct clique_arguments {
  graph_command common;
  graph::clique_options options;
};

template <class Vertex>
analysis analyse_cliques(const clique_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                         const graph::run_control& context) {
  const stopwatch time;
  graph::clique_options options = o.options;
  options.most_members = most_members;
  const auto result = std::make_shared<graph::clique_result>(
      graph::maximal_cliques(graph, options, context));  // shared: lines.append reads it later
  analysis found;
  found.seconds = time.seconds();
  if (o.common.verify) graph::verify_maximal_cliques(graph, o.options, *result);
  json by_size = json::object();
  const auto sizes = std::make_shared<std::vector<std::uint64_t>>();
  for (std::uint64_t s = 0; s < result->by_size.size(); ++s) {
    if (result->by_size[s] == 0) continue;
    sizes->push_back(s);
    by_size[std::to_string(s)] = result->by_size[s];
  }
  std::vector<vertex_label> members;
  for (const std::uint64_t v : result->largest) members.push_back(label_of(any, v));
  found.facts = {
      {"cliques", result->cliques}, {"largest", result->largest.size()}, {"by_size", by_size}, {"members", members}};
  found.rows = {{"maximal cliques", with_separators(result->cliques)},
                {"the largest", with_separators(result->largest.size()) + " vertices"},
                {"its members", list_words(members)},
                {"time", time_words(found.seconds)}};
  if (o.common.verify) found.tell_verified("by the plain recursion of Bron and Kerbosch");
  if (o.options.list) {
    found.columns = {"members"};
    if (result->begins.empty()) {
      options.list = false;
      found.lines = value_lines{.all = [options, stop = context.stop, &any, &graph](const auto& write) mutable {
        std::string line;
        options.each = [&](std::span<const std::uint64_t> clique) {
          line.clear();
          for (const std::uint64_t v : clique) {
            if (v != clique.front()) line += '\t';
            append_label(line, any, v);
          }
          write(line);
        };
        graph::maximal_cliques(graph, options, {.report = nullptr, .stop = stop});
      }};
      return found;
    }
    found.lines = value_lines{result->begins.size() - 1, [result, &any](std::string& line, std::uint64_t i) {
                                for (std::uint64_t m = result->begins[i]; m < result->begins[i + 1]; ++m) {
                                  if (m != result->begins[i]) line += '\t';
                                  append_label(line, any, result->members[m]);
                                }
                              }};
    return found;
  }
  found.columns = {"vertices", "cliques"};
  found.lines = {sizes->size(), [result, sizes](std::string& line, std::uint64_t i) {
                   const std::uint64_t s = (*sizes)[i];
                   fmt::format_to(std::back_inserter(line), "{}\t{}", s, result->by_size[s]);
                 }};
  return found;
}

}  // namespace

command add_cliques(const command_parser& app) {
  const command_parser parser = app.add_subcommand("cliques", "Count or list maximal cliques");
  const auto o = std::make_shared<clique_arguments>();
  parser.add_flag("--list", o->options.list, "List the cliques, one a line, rather than their number by size");
  add_parsed(
      parser, "--at-least", "N",
      [o](const std::string& text) { o->options.least = parse_count("--at-least", text, 1); },
      "Leave out cliques of fewer vertices [1]");
  o->common.add_verify_to(parser, "by the plain recursion of Bron and Kerbosch, which takes long");
  o->common.other_lines = [] { return std::string_view("cliques"); };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'vertices<TAB>cliques' a line, by size; with\n"
                   "--list the labels of a clique a line, with tabs between; with --json the object");
  parser.more(
      "The method is that of Eppstein and Strash (2011): the later neighbours of each vertex in an order of degeneracy "
      "are searched by the recursion of Bron and Kerbosch with the pivot of Tomita, Tanaka and Takahashi (2006). "
      "Graphs with many overlapping cliques have very many: `--at-least` helps, and Control-C ends the search.");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "20 n + 32 e, with `--list` 144 MiB more; a thread's bits have no bound of their own"});
  parser.keys({
      {"`cliques`", "maximal cliques, of at least as many vertices as `--at-least` says"},
      {"`by_size`", "object: by number of vertices, how many"},
      {"`largest`", "vertices of the largest"},
      {"`members`", "labels of one of these"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "A clique is a set of vertices that are all neighbours of each other; it is maximal if no vertex can\n"
      "be added. Directions, weights, repeated edges and loops play no part. The list is in the same order\n"
      "whatever the number of threads.\n\n"
      "Examples:\n"
      "  callisto cliques friends.txt.gz\n"
      "  callisto cliques friends.cg --list --at-least 5 --output cliques.tsv\n"
      "  callisto cliques friends.cg --json | jq .members");
  const auto needs = [o](const graph::any_graph& graph) {
    return graph::needs::maximal_cliques(graph) + (o->options.list ? bytes_of_list : 0);
  };
  return kernel_command(parser, std::shared_ptr<const graph_command>(o, &o->common), needs,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit([&](const auto& graph) { return analyse_cliques(*o, any, graph, control); },
                                            any);
                        });
}

}  // namespace callisto::app
