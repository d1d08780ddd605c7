// callisto pagerank: finds the importance of every vertex.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/seed_options.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/pagerank_among.hpp>
#include <callisto/graph/verify/scores.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace callisto::app {
namespace {

struct pagerank_arguments {
  graph_command common;
  seed_options seeds;
  graph::pagerank_options ranking;
  weight_option weights{graph::weight_use::strength, true};
};

analysis analyse(const pagerank_arguments& o, const std::vector<named_seed>& seeds, const graph::any_graph& graph,
                 const graph::run_control& context) {
  graph::pagerank_options ranking = o.ranking;
  const auto find = [&] { return o.seeds.find(seeds, graph); };
  graph::partners* const among = rank_job::among();
  ranking.seeds = among == nullptr ? find() : among->from_first<graph::pagerank_seed>(find);  // labels are there
  ranking.weights = o.weights.of(graph);
  const stopwatch time;
  // shared: append_values reads it later
  const auto ranked = std::make_shared<graph::pagerank_result>(graph::pagerank_among(graph, ranking, {context, among}));
  analysis found;
  found.seconds = time.seconds();
  if (!rank_job::tells()) return found;
  found.facts = {{"damping", o.ranking.damping},     {"tolerance", o.ranking.tolerance},
                 {"iterations", ranked->iterations}, {"converged", ranked->converged},
                 {"change", ranked->change},         {"inside_order", name_of(ranked->inside_order)}};
  found.rows = {
      {"PageRank", fmt::format("damping {}, {} in {} ({} per iteration, {})", o.ranking.damping,
                               counted(ranked->iterations, "iteration"), human_seconds(found.seconds),
                               human_seconds(found.seconds / ranked->iterations), counted(threads(), "thread"))},
      {"", fmt::format("{}: last change {:.3g}, tolerance {:.3g}", ranked->converged ? "converged" : "not converged",
                       ranked->change, o.ranking.tolerance)}};
  o.weights.tell(found, graph);
  if (!ranked->converged) {
    warn(fmt::format("{}: PageRank has not converged: last change {:.3g}, tolerance {:.3g} (--iterations)",
                     o.common.input.file, ranked->change, o.ranking.tolerance));
  }
  if (!seeds.empty()) {
    found.facts["seeds"] = seeds.size();
    found.rows.emplace_back("restarts", "at " + counted(seeds.size(), "seed"));
  }
  if (o.common.verify) {
    graph::verify_pagerank(graph, ranking, *ranked);
    found.tell_verified("by the sum of the scores and one sequential iteration");
  }
  set_vertex_values(found, graph, ranked, &graph::pagerank_result::scores, o.common.top_count(), "score");
  found.top->share_of = "visits";
  return found;
}

}  // namespace

command add_pagerank(const command_parser& app) {
  const command_parser parser = app.add_subcommand("pagerank", "Rank the vertices of a graph by importance");
  const auto o = std::make_shared<pagerank_arguments>();
  add_parsed(
      parser, "--damping", "D",
      [o](const std::string& text) { o->ranking.damping = parse_real("--damping", text, {.low = 0, .high = 1}); },
      "Probability of following an edge, at least 0 and below 1 [0.85]");
  add_parsed(
      parser, "--tolerance", "T",
      [o](const std::string& text) { o->ranking.tolerance = parse_real("--tolerance", text, {.low = 0}); },
      "Stop when an iteration changes all scores together by no more than this [1e-9]")
      .more(
          "The sum of the absolute changes counts, and T is 0 or more. 0 never stops early unless no score "
          "changes at all.");
  parser
      .add_flag(
          "--power", [o] { o->ranking.accelerated = false; },
          "Plain power iteration from equal scores, which takes more iterations")
      .more(
          "Without it the results of Gauss-Seidel iterations are mixed, which takes fewer iterations to "
          "the same tolerance.");
  add_parsed(
      parser, "--iterations", "N",
      [o](const std::string& text) {
        o->ranking.iterations =
            static_cast<unsigned>(parse_count("--iterations", text, 1, std::numeric_limits<unsigned>::max()));
      },
      "Stop after this many iterations [100]")
      .more("From 1 to 4294967295.");
  o->weights.add_to(parser, o->common.input);
  o->seeds.add_to(parser);
  o->common.add_top_to(parser, "Show the K highest scores");
  o->common.add_verify_to(parser, "by its sum and one sequential iteration");
  o->common.add_to(parser,
                   "Write all scores to FILE ('-': standard output), 'label<TAB>score' a line in\n"
                   "order of labels; with --json the object");
  parser.more(
      "The rank of vertices without out-edges is spread evenly over all vertices, or returns to the "
      "seeds. If edges have weights, an edge is followed with the share that its weight has in the sum over the "
      "vertex's out-edges, as NetworkX does by default; `--weights none` follows all alike.");
  parser.weights({"", "strengths", "sum", "once"});
  parser.memory({"",
                 "88 n; with seeds 96 n (48 n if the tolerance is 1e-5 or more, 24 n if not accelerated); if rows "
                 "repeat (web graphs) 4 m + 24 n (8 m + 24 n) and 6 MiB more; of 2^18 vertices and 2^22 arcs on "
                 "also 5 n + 4 m (9 n + 8 m), if there is room"});
  parser.keys({
      {"`damping`, `tolerance`", "as given"},
      {"`iterations`", "iterations done"},
      {"`converged`", "whether `change` came down to `tolerance`"},
      {"`change`", "sum of the absolute changes of all scores in the last iteration"},
      {"`inside_order`",
       "`degrees` if values were kept in groups of falling degree, which measured times chose, else `given`; scores do "
       "not depend on it"},
      {"`weights`",
       "what the weights of edges were taken for: `strength`, or `none` if the graph has none or they were not used"},
      {"`seeds`", "with `--seeds` or `--seeds-file`: how many there are"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "the best vertices, best first, equal ones by label: objects with `vertex` (the label) and `score`"},
  });
  parser.footer(
      "The walk begins again with the probability that is left, and at vertices without out-edges:\n"
      "anywhere, or at the seeds (personalised PageRank). The scores sum to 1.\n\n"
      "Examples:\n"
      "  callisto pagerank web.txt.gz --top 20\n"
      "  callisto pagerank web.cg --tolerance 1e-12 --iterations 1000 --output scores.tsv\n"
      "  callisto pagerank web.cg --seeds 17,403:2.5 --top 20\n"
      "  callisto pagerank web.cg --json | jq '.top[0].vertex'");
  return {parser, [o](const std::stop_token& stop) {
            const std::vector<named_seed> seeds = o->seeds.read();
            const auto needs = [&](const graph::any_graph& graph) {
              return graph::needs::pagerank(graph, !seeds.empty());
            };
            o->common.execute(stop, needs, [&](const graph::any_graph& graph, const graph::run_control& context) {
              return analyse(*o, seeds, graph, context);
            });
          }};
}

}  // namespace callisto::app
