// callisto kcore: finds how deep in the graph every vertex lies.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/cluster/kcore.hpp>
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

template <class Vertex>
analysis analyse_cores(const graph_command& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                       const graph::run_control& context) {
  const stopwatch time;
  graph::partners* const among = rank_job::among();
  const auto cores = std::make_shared<graph::kcore_result>(  // shared: append_values reads it later
      among == nullptr ? graph::kcore(graph, context) : cluster::kcore(graph, {context, among}));
  analysis found;
  found.seconds = time.seconds();
  if (!rank_job::tells()) return found;
  found.facts = {{"degeneracy", cores->degeneracy}, {"innermost_core", cores->innermost}};
  found.rows = {{"degeneracy", with_separators(cores->degeneracy)},
                {"vertices of that coreness", with_separators(cores->innermost)},
                {"time", time_words(found.seconds)}};
  if (o.verify) {
    graph::verify_kcore(graph, *cores);
    found.tell_verified("against the sequential algorithm of Batagelj and Zaversnik");
  }
  set_vertex_values(found, any, cores, &graph::kcore_result::coreness, o.top_count(), "coreness");
  return found;
}

}  // namespace

command add_kcore(const command_parser& app) {
  const command_parser parser = app.add_subcommand("kcore", "Find how deep in the graph every vertex lies");
  const auto o = std::make_shared<graph_command>();
  o->add_top_to(parser, "Show the K vertices of highest coreness");
  o->add_verify_to(parser, "by the sequential algorithm of Batagelj and Zaversnik");
  o->add_to(parser,
            "Write to FILE ('-': standard output) 'label<TAB>coreness' a line in order of\n"
            "labels; with --json the object");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "about 24 n (44 n)"});
  parser.keys({
      {"`degeneracy`", "the largest coreness"},
      {"`innermost_core`", "vertices that have it"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "objects with `vertex` and `coreness`"},
  });
  parser.footer(
      "The k-core is the largest subgraph in which every vertex has at least k neighbours; the\n"
      "coreness of a vertex is the largest k with a core that has it. Directions, repeated edges and\n"
      "loops play no part.\n\n"
      "Examples:\n"
      "  callisto kcore friends.txt.gz\n"
      "  callisto kcore friends.cg --output coreness.tsv --verify");
  return kernel_command(
      parser, o, graph::needs::kcore, [o](const graph::any_graph& any, const graph::run_control& control) {
        return std::visit([&](const auto& graph) { return analyse_cores(*o, any, graph, control); }, any);
      });
}

}  // namespace callisto::app
