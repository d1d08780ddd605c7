// callisto triangles: counts the triangles of a graph.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/cluster/triangles.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/graph/verify/scores.hpp>

#include <memory>
#include <string>

namespace callisto::app {
namespace {

analysis analyse(const graph_command& o, const graph::any_graph& graph, const graph::run_control& context) {
  const stopwatch time;
  graph::partners* const among = rank_job::among();
  const graph::triangles_result counted_ones =
      among == nullptr ? graph::count_triangles(graph, {}, context) : cluster::count_triangles(graph, {context, among});
  analysis found;
  found.seconds = time.seconds();
  if (!rank_job::tells()) return found;
  found.facts = {{"undirected_edges", counted_ones.edges}, {"triangles", counted_ones.triangles}};
  found.rows = {{"undirected edges", with_separators(counted_ones.edges)},
                {"triangles", with_separators(counted_ones.triangles)},
                {"time", time_words(found.seconds)}};
  if (o.verify) {
    graph::verify_triangles(graph, counted_ones, context);
    found.tell_verified("by merging the neighbours of every edge's ends");
  }
  found.bare = std::to_string(counted_ones.triangles) + '\n';
  return found;
}

}  // namespace

command add_triangles(const command_parser& app) {
  const command_parser parser = app.add_subcommand("triangles", "Count the triangles of a graph");
  const auto o = std::make_shared<graph_command>();
  o->add_verify_to(parser, "by merging the neighbours of every edge's ends");
  o->other_lines = [] { return std::string_view("one number"); };
  o->add_to(parser, "Write the result to FILE");
  parser.more("With `--quiet` it prints the number alone.");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "16 n + 20 e (24 n + 24 e), and n / 8 bytes and 1 MiB a thread"});
  parser.keys({
      {"`triangles`", "triangles of the simple undirected graph"},
      {"`undirected_edges`", "its edges"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "Directions, repeated edges and loops play no part: triangles are counted in the\nunderlying simple graph.\n\n"
      "Examples:\n"
      "  callisto triangles friends.txt.gz\n"
      "  callisto triangles friends.cg --json | jq .triangles");
  return kernel_command(
      parser, o, graph::needs::triangles,
      [o](const graph::any_graph& any, const graph::run_control& control) { return analyse(*o, any, control); });
}

}  // namespace callisto::app
