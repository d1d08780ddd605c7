// callisto eigenvector, katz, hits: centralities that are eigenvectors, or solutions of linear equations.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/spectral/spectral.hpp>
#include <callisto/graph/verify/spectral.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_set>
#include <variant>

namespace callisto::app {
namespace {

constexpr const char* verified_how = "by the definition, with sequential products";

/// The arguments of all three.
struct spectral_arguments {
  explicit spectral_arguments(bool weighted) : weights{graph::weight_use::strength, weighted} {}

  graph_command common;
  graph::katz_options scoring;
  weight_option weights;
  bool hubs = false;

  graph::katz_options on(const graph::any_graph& graph) const {
    graph::katz_options made = scoring;
    made.weights = weights.of(graph);
    return made;
  }
};

void add_options(const std::shared_ptr<spectral_arguments>& o, const command_parser& parser) {
  add_parsed(
      parser, "--tolerance", "T",
      [o](const std::string& text) {
        o->scoring.tolerance = parse_real("--tolerance", text, {.low = 0, .above_low = true});
      },
      "Stop when the residual, as a share, is no more than this [1e-9]");
  add_parsed(
      parser, "--iterations", "N",
      [o](const std::string& text) {
        o->scoring.iterations =
            static_cast<unsigned>(parse_count("--iterations", text, 1, std::numeric_limits<unsigned>::max()));
      },
      "Stop after this many products with the matrix [1000]");
  o->weights.add_to(parser, o->common.input);
  o->common.add_top_to(parser, "Show the K highest scores");
  o->common.add_verify_to(parser, verified_how);
  parser.memory(
      {"",
       "161 n + 3 v n and 16 MiB; eigenvector and hits of 2^18 vertices and 2^22 arcs on also 12 n + 4 m (16 n + "
       "8 m), hits of a directed graph twice, if there is room"});
  parser.keys({
      {"`tolerance`", "as given"},
      {"`iterations`", "products with the matrix done"},
      {"`converged`", "whether `residual` came down to `tolerance`"},
  });
}

/// Adds what all three have in common.
template <class Result>
analysis tell(const spectral_arguments& o, const graph::any_graph& graph, const std::string& name, const Result& result,
              double seconds) {
  analysis found;
  found.seconds = seconds;
  found.facts = {{"tolerance", o.scoring.tolerance},
                 {"iterations", result.iterations},
                 {"converged", result.converged},
                 {"residual", result.residual}};
  found.rows = {
      {name, fmt::format("{} in {}", counted(result.iterations, "product"), time_words(seconds))},
      {"", fmt::format("{}: residual {:.3g}, tolerance {:.3g}", result.converged ? "converged" : "not converged",
                       result.residual, o.scoring.tolerance)}};
  o.weights.tell(found, graph);
  if (!result.converged) {
    warn(fmt::format("{}: {} has not converged: residual {:.3g}, tolerance {:.3g} (--iterations)", o.common.input.file,
                     name, result.residual, o.scoring.tolerance));
  }
  return found;
}

/// Returns the number of components with a score that counts beside the highest. If it is above 1, these components
/// have the same largest eigenvalue, and any mixture of their eigenvectors is one of the graph.
std::uint64_t components_with_scores(const graph::any_graph& graph, const machine::page_array<double>& scores,
                                     const graph::run_control& context) {
  constexpr double counts = 1e-3;
  return std::visit(
      [&](const auto& g) -> std::uint64_t {
        const auto map = graph::components(g, context);
        std::unordered_set<std::uint64_t> found;
        double highest = 0;
        for (const double score : scores) highest = std::max(highest, score);
        for (std::uint64_t v = 0; v < g.vertices() && highest > 0; ++v) {
          if (scores[v] > counts * highest) found.insert(map[v]);
        }
        return found.size();
      },
      graph);
}

analysis analyse_eigenvector(const spectral_arguments& o, const graph::any_graph& graph,
                             const graph::run_control& context) {
  const graph::spectral_options options = o.on(graph);
  const stopwatch time;
  const auto scored = std::make_shared<graph::eigenvector_result>(graph::eigenvector(graph, options, context));
  analysis found = tell(o, graph, "eigenvector", *scored, time.seconds());
  found.facts["eigenvalue"] = scored->eigenvalue;
  found.facts["inside_order"] = name_of(scored->inside_order);
  found.rows.emplace_back("largest eigenvalue", fmt::format("{:.9g}", scored->eigenvalue));
  const std::uint64_t parts = components_with_scores(graph, scored->scores, context);
  found.facts["components"] = parts;
  if (parts > 1) {
    found.rows.emplace_back("not unique", fmt::format("{} components share the largest eigenvalue: only scores within "
                                                      "one can be compared",
                                                      parts));
    warn(fmt::format("{}: the eigenvector is not unique: {} components share the largest eigenvalue",
                     o.common.input.file, parts));
  }
  if (o.common.verify) {
    graph::verify_eigenvector(graph, options, *scored);
    found.tell_verified(verified_how);
  }
  set_vertex_values(found, graph, scored, &graph::eigenvector_result::scores, o.common.top_count(), "score");
  return found;
}

analysis analyse_katz(const spectral_arguments& o, const graph::any_graph& graph, const graph::run_control& context) {
  const graph::katz_options options = o.on(graph);
  const stopwatch time;
  const auto scored = std::make_shared<graph::katz_result>(graph::katz(graph, options, context));
  analysis found = tell(o, graph, "Katz", *scored, time.seconds());
  found.facts["alpha"] = scored->alpha;
  found.facts["beta"] = options.beta;
  found.rows.emplace_back("alpha", fmt::format("{:.6g}", scored->alpha));
  if (o.common.verify) {
    graph::verify_katz(graph, options, *scored);
    found.tell_verified(verified_how);
  }
  set_vertex_values(found, graph, scored, &graph::katz_result::scores, o.common.top_count(), "score");
  return found;
}

analysis analyse_hits(const spectral_arguments& o, const graph::any_graph& graph, const graph::run_control& context) {
  const graph::spectral_options options = o.on(graph);
  const stopwatch time;
  const auto scored = std::make_shared<graph::hits_result>(graph::hits(graph, options, context));
  analysis found = tell(o, graph, "HITS", *scored, time.seconds());
  found.facts["ranked_by"] = o.hubs ? "hub" : "authority";
  found.facts["inside_order"] = name_of(scored->inside_order);
  if (o.common.verify) {
    graph::verify_hits(graph, options, *scored);
    found.tell_verified(verified_how);
  }
  ranking best = o.hubs ? highest(graph, scored->hubs, o.common.top_count(), "hub")
                        : highest(graph, scored->authorities, o.common.top_count(), "authority");
  best.keys = {"vertex", "authority", "hub"};
  for (auto& row : best.rows) {
    const std::uint64_t v = vertex_of(graph, row.front());
    row = {row.front(), scored->authorities[v], scored->hubs[v]};
  }
  found.top = std::move(best);
  found.columns = {"authority", "hub"};
  found.append_values = [scored](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}\t{}", scored->authorities[v], scored->hubs[v]);
  };
  return found;
}

command finish(const command_parser& parser, const std::shared_ptr<spectral_arguments>& o,
               analysis (*analyse)(const spectral_arguments&, const graph::any_graph&, const graph::run_control&)) {
  return {parser, [o, analyse](const std::stop_token& stop) {
            const auto needs = [o](const graph::any_graph& graph) {
              graph::check_spectral_arguments(graph, o->on(graph));
              return graph::needs::spectral(graph);
            };
            o->common.execute(stop, needs, [&](const graph::any_graph& graph, const graph::run_control& context) {
              return analyse(*o, graph, context);
            });
          }};
}

}  // namespace

command add_eigenvector(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("eigenvector", "Rank the vertices by the scores of those that point to them");
  const auto o = std::make_shared<spectral_arguments>(false);
  add_options(o, parser);
  o->common.add_to(parser,
                   "Write all scores to FILE ('-': standard output), 'label<TAB>score' a line in\n"
                   "order of labels; with --json the object");
  parser.weights({"--weights strength", "strengths", "sum", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.keys({
      {"`residual`", "what the definition leaves over, as a share of the eigenvalue"},
      {"`eigenvalue`", "the largest one"},
      {"`components`",
       "components with scores; if they are several, these share the largest eigenvalue, and the eigenvector is not "
       "unique"},
      {"`inside_order`",
       "`degrees` if values were kept in groups of falling degree, which measured times chose, else `given`; scores do "
       "not depend on it"},
      {"`weights`", "`strength`, or `none` if the graph has none or they were not used"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "as of pagerank"},
  });
  parser.footer(
      "A score is proportional to the sum of the scores of the in-neighbours: the eigenvector of the\n"
      "largest eigenvalue. The sum of squares is 1. A directed graph needs a cycle.\n\n"
      "Examples:\n"
      "  callisto eigenvector friends.txt.gz --undirected --top 20\n"
      "  callisto eigenvector trade.txt --weights strength --output scores.tsv");
  return finish(parser, o, analyse_eigenvector);
}

command add_katz(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("katz", "Rank the vertices by the walks that lead to them, longer ones counting less");
  const auto o = std::make_shared<spectral_arguments>(false);
  add_parsed(
      parser, "--alpha", "A",
      [o](const std::string& text) { o->scoring.alpha = parse_real("--alpha", text, {.low = 0, .above_low = true}); },
      "Weight of each step of a walk, below 1 / the largest eigenvalue\n"
      "[0.1, or 0.85 / the largest eigenvalue if 0.1 is too near to 1 / it]");
  add_parsed(
      parser, "--beta", "B",
      [o](const std::string& text) { o->scoring.beta = parse_real("--beta", text, {.low = 0, .above_low = true}); },
      "What each vertex gets besides [1]");
  parser.add_flag(
      "--unscaled", [o] { o->scoring.normalized = false; }, "Leave scores as they are; else the sum of squares is 1");
  add_options(o, parser);
  o->common.add_to(parser,
                   "Write all scores to FILE ('-': standard output), 'label<TAB>score' a line in\n"
                   "order of labels; with --json the object");
  parser.weights({"--weights strength", "strengths", "sum", ""});
  parser.weights({"", "not used", "once", "once"});
  parser.keys({
      {"`residual`", "what the definition leaves over, as a share of the right side"},
      {"`alpha`, `beta`", "as used"},
      {"`weights`", "`strength`, or `none` if the graph has none or they were not used"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "as of pagerank"},
  });
  parser.footer(
      "A score is alpha * the sum of the in-neighbours' scores + beta.\n\n"
      "Examples:\n"
      "  callisto katz web.txt.gz --top 20\n"
      "  callisto katz web.cg --alpha 0.001 --unscaled --output scores.tsv");
  return finish(parser, o, analyse_katz);
}

command add_hits(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("hits", "Rank the vertices as authorities, and as hubs that point to them");
  const auto o = std::make_shared<spectral_arguments>(true);
  parser.add_flag("--hubs", o->hubs, "Rank by hubs, not by authorities");
  add_options(o, parser);
  o->common.add_to(parser,
                   "Write all scores to FILE ('-': standard output), 'label<TAB>authority<TAB>hub'\n"
                   "a line in order of labels; with --json the object");
  parser.weights({"", "strengths", "sum", "once"});
  parser.keys({
      {"`residual`", "what the definition leaves over, as a share of the eigenvalue"},
      {"`ranked_by`", "`authority` or `hub`"},
      {"`inside_order`",
       "`degrees` if values were kept in groups of falling degree, which measured times chose, else `given`; scores do "
       "not depend on it"},
      {"`weights`", "`strength`, or `none` if the graph has none or they were not used"},
      {"`verified`", "true with `--verify`"},
      {"`top`", "as of pagerank, with `authority` and `hub` instead of `score`"},
  });
  parser.footer(
      "An authority is proportional to the sum of the hubs that point to it, a hub to the sum of the\n"
      "authorities that it points to (Kleinberg 1999). Both sum up to 1.\n\n"
      "Examples:\n"
      "  callisto hits web.txt.gz --top 20\n"
      "  callisto hits web.cg --hubs --output scores.tsv");
  return finish(parser, o, analyse_hits);
}

}  // namespace callisto::app
