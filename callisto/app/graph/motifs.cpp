// callisto motifs: counts the connected patterns of 3 and 4 vertices.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/cliques/motifs.hpp>
#include <callisto/graph/verify/patterns.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace callisto::app {
namespace {

analysis analyse_motifs(const graph_command& o, const graph::any_graph& any, const graph::run_control& context) {
  const stopwatch time;
  const graph::motif_counts c = std::visit([&](const auto& graph) { return graph::motifs(graph, context); }, any);
  analysis found;
  found.seconds = time.seconds();
  if (o.verify) std::visit([&](const auto& graph) { graph::verify_motifs(graph, c); }, any);
  const std::array<std::pair<const char*, std::uint64_t>, 8> all{{{"paths_of_3", c.paths_of_3},
                                                                  {"triangles", c.triangles},
                                                                  {"paths_of_4", c.paths_of_4},
                                                                  {"stars", c.stars},
                                                                  {"cycles", c.cycles},
                                                                  {"paws", c.paws},
                                                                  {"diamonds", c.diamonds},
                                                                  {"cliques", c.cliques}}};
  constexpr std::array<const char*, 8> words{
      "paths of 3 vertices",   "triangles", "paths of 4 vertices",  "stars of 4 vertices", "cycles of 4 vertices",
      "triangles with a tail", "diamonds",  "cliques of 4 vertices"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    found.facts[all[i].first] = all[i].second;
    found.rows.emplace_back(words[i], with_separators(all[i].second));
  }
  found.rows.emplace_back("time", time_words(found.seconds));
  if (o.verify) found.tell_verified("by making each set");
  found.columns = {"pattern", "count"};
  found.lines = {all.size(), [all](std::string& line, std::uint64_t i) {
                   fmt::format_to(std::back_inserter(line), "{}\t{}", all[i].first, all[i].second);
                 }};
  return found;
}

}  // namespace

command add_motifs(const command_parser& app) {
  const command_parser parser = app.add_subcommand("motifs", "Count the connected patterns of 3 and 4 vertices");
  const auto o = std::make_shared<graph_command>();
  o->add_verify_to(parser, "by making each set of vertices, which takes long");
  o->other_lines = [] { return std::string_view("patterns"); };
  o->add_to(parser,
            "Write to FILE ('-': standard output) 'pattern<TAB>count' a line; with --json the\n"
            "object");
  parser.more(
      "Triangles at each edge, cycles and cliques are counted; the rest follows from these and the degrees (PGD: Ahmed "
      "et al. 2015; ESCAPE: Pinar, Seshadhri and Vishal 2017).");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "8 n + 8 e, and 6 n and 1 MiB a thread"});
  parser.keys(
      {
          {"`paths_of_3`, `triangles`", "of three vertices"},
          {"`paths_of_4`, `stars`, `cycles`, `paws`, `diamonds`, `cliques`",
           "of four; a paw is a triangle with a further edge, a diamond two triangles with an edge in common"},
          {"`verified`", "true with `--verify`"},
      },
      "Each connected set of 3 or 4 vertices counts once, as the pattern of all edges among them.");
  parser.footer(
      "Each connected set of 3 or 4 vertices counts once, as the pattern of all edges among them: a\n"
      "triangle is no path. Directions, weights, repeated edges and loops play no part.\n\n"
      "Examples:\n"
      "  callisto motifs friends.txt.gz\n"
      "  callisto motifs friends.cg --json | jq .diamonds");
  return kernel_command(
      parser, o, graph::needs::motifs,
      [o](const graph::any_graph& any, const graph::run_control& control) { return analyse_motifs(*o, any, control); });
}

}  // namespace callisto::app
