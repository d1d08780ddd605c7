// Betweenness: arguments, the choice between searches in lanes, high-diameter searches and single ones, and the scores.
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/betweenness/core.hpp>
#include <callisto/graph/betweenness/forms.hpp>
#include <callisto/graph/betweenness/high_diameter.hpp>
#include <callisto/graph/betweenness/memory.hpp>
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/graph/betweenness/searches.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Factors of the sums over the sources, for vertices outside of the sample and in it.
struct factors {
  double outside;
  double inside;
};

factors factors_for(std::uint64_t vertices, std::uint64_t sources, bool directed, bool normalized) {
  if (vertices < 3) return {0, 0};  // no vertex lies between two others
  const auto others = static_cast<double>(vertices - 1);
  const auto k = static_cast<double>(sources);
  const double pairs = normalized ? others * (others - 1) : (directed ? 1 : 2);
  if (sources == vertices) return {1 / pairs, 1 / pairs};
  return {others / k / pairs, sources == 1 ? 0 : others / (k - 1) / pairs};
}

void add_up(const betweenness_core& core, const std::vector<const double*>& parts, factors scale,
            machine::page_array<double>& scores) {
  parallel_for(std::uint64_t{0}, core.vertices(), [&](std::uint64_t c) {
    double sum = 0;
    for (const double* part : parts) sum += part[c];
    const std::uint64_t v = core.vertex_of(c);
    scores[v] = sum * (!core.chosen.empty() && core.chosen[v] != 0 ? scale.inside : scale.outside);
  });
}

template <class Vertex>
betweenness_result betweenness_of(const csr_graph<Vertex>& graph, const std::vector<loop_form>& forms,
                                  const betweenness_options& options, const run_control& control) {
  betweenness_result result;
  result.scores = machine::page_array<double>(graph.vertices(), machine::page_kind::used);
  result.sources = source_count(graph.vertices(), options);
  const betweenness_core core = make_betweenness_core(graph, options, control);
  result.searches = core.sources.size();
  if (core.vertices() != graph.vertices()) {  // otherwise add_up() stores all scores
    parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { result.scores[v] = 0; });
  }
  if (control.report != nullptr) control.report->begin("betweenness", result.searches, "sources");
  betweenness_searches all(core, control);
  const bool may_have_high_diameter =
      options.form != betweenness_form::nested && !core.sources.empty() && high_diameter_search::suits(core);
  const std::uint64_t apart = may_have_high_diameter ? sources_apart(graph, core.sources.size(), options) : 0;
  if (may_have_high_diameter && all.run_high_diameter(apart)) {
    result.form = apart != 0 ? betweenness_form::flat : betweenness_form::inner;
  } else if (forms.size() > 1 && graph.directed() && core.sources.size() <= search_lanes &&
             core.sources.size() >= threads()) {
    // In a directed graph some sources reach little, and the others most of it by few arcs at a time: a thread each is
    // faster than all threads together.
    all.leave_to_single();
    result.form = betweenness_form::flat;
  } else {
    search_in_fastest_form(all, forms, result);
  }
  const std::uint64_t alone = bytes_needed(graph, threads(), search_state::bytes_alone(lanes_for(core.sources.size())));
  all.run_single(result.form == betweenness_form::flat || alone <= memory_for(options));
  const factors scale = factors_for(graph.vertices(), result.sources, graph.directed(), options.normalized);
  add_up(core, all.scores(), scale, result.scores);
  return result;
}

}  // namespace

const char* name_of(betweenness_form form) noexcept {
  switch (form) {
    case betweenness_form::flat:
      return "flat";
    case betweenness_form::nested:
      return "nested";
    case betweenness_form::inner:
      return "inner";
    case betweenness_form::automatic:
      break;
  }
  return "automatic";
}

void check_betweenness_arguments(const any_graph& graph, const betweenness_options& options) {
  if (options.level == 0) throw usage_error("level is 0, expected at least 1");
  std::visit(
      [&](const auto& g) {
        if (options.samples > g.vertices()) {
          throw usage_error(
              fmt::format("samples is {}, expected at most the graph's {} vertices", options.samples, g.vertices()));
        }
        if (!options.from.empty() && options.samples != 0) {
          throw usage_error("both samples and from are given, expected one of them");
        }
        std::vector<std::uint64_t> from = options.from;
        std::sort(from.begin(), from.end());
        if (!from.empty() && from.back() >= g.vertices()) {
          throw usage_error(fmt::format("from names vertex {} of a graph that has {}", from.back(), g.vertices()));
        }
        if (const auto twice = std::adjacent_find(from.begin(), from.end()); twice != from.end()) {
          throw usage_error(fmt::format("from names vertex {} more than once", *twice));
        }
        if (g.vertices() > 0xfffffffeu) {
          throw usage_error(fmt::format("the graph has {} vertices, betweenness takes up to 4294967294", g.vertices()));
        }
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, along which betweenness searches");
      },
      graph);
  const loop_form least = offered_forms(graph, options).back();
  const std::string what = fmt::format("betweenness of this graph ({}, {} threads)", name_of(least.form), threads());
  require_memory(what, bytes_for(graph, options, least), options.memory);
}

std::uint64_t betweenness_memory(const any_graph& graph, const betweenness_options& options) {
  return bytes_for(graph, options, offered_forms(graph, options).back());
}

betweenness_result betweenness(const any_graph& graph, const betweenness_options& options, const run_control& control) {
  check_betweenness_arguments(graph, options);
  const std::vector<loop_form> forms = offered_forms(graph, options);
  return std::visit([&](const auto& g) { return betweenness_of(g, forms, options, control); }, graph);
}

}  // namespace callisto::graph
