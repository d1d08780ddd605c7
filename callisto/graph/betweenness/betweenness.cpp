// Betweenness: arguments, the choice between searches in lanes, high-diameter searches and single ones, and the scores.
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/betweenness/by_length.hpp>
#include <callisto/graph/betweenness/core.hpp>
#include <callisto/graph/betweenness/edges.hpp>
#include <callisto/graph/betweenness/forms.hpp>
#include <callisto/graph/betweenness/high_diameter.hpp>
#include <callisto/graph/betweenness/memory.hpp>
#include <callisto/graph/betweenness/scale.hpp>
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/graph/betweenness/searches.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/multisource/sample.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Adds up parts by vertex of the core, to values by vertex of the graph. Vertices outside of the core have 0.
machine::page_array<double> add_up(const betweenness_core& core, std::uint64_t vertices,
                                   const std::vector<const double*>& parts) {
  machine::page_array<double> sums(vertices, machine::page_kind::used);
  if (core.vertices() != vertices) parallel_for(std::uint64_t{0}, vertices, [&](std::uint64_t v) { sums[v] = 0; });
  parallel_for(std::uint64_t{0}, core.vertices(), [&](std::uint64_t c) {
    double sum = 0;
    for (const double* part : parts) sum += part[c];
    sums[core.vertex_of(c)] = sum;
  });
  return sums;
}

/// Searches by steps; sets `searches`, the form and the trials of `result`.
template <class Vertex>
source_sums search_by_steps(const csr_graph<Vertex>& graph, const std::vector<loop_form>& forms,
                            const betweenness_options& options, bool squares, betweenness_result& result,
                            const run_control& control) {
  betweenness_core core = make_betweenness_core(graph, options, control);
  core.squares = squares;
  result.searches += core.sources.size();
  if (control.report != nullptr) control.report->begin("betweenness", core.sources.size(), "sources");
  betweenness_searches all(core, control);
  const bool may_have_high_diameter =
      options.form != betweenness_form::nested && !core.sources.empty() && high_diameter_search::suits(core);
  const std::uint64_t apart = may_have_high_diameter ? sources_apart(graph, core.sources.size(), options) : 0;
  if (may_have_high_diameter && all.run_high_diameter(apart)) {
    result.form = apart != 0 ? betweenness_form::flat : betweenness_form::inner;
  } else if (forms.size() > 1 && graph.directed() && core.sources.size() <= search_lanes &&
             core.sources.size() >= threads()) {
    // In a directed graph some sources reach little, and all other sources reach most of it by few arcs at a time: a
    // thread each is faster than all threads together.
    all.leave_to_single();
    result.form = betweenness_form::flat;
  } else {
    search_in_fastest_form(all, forms, result);
  }
  const std::uint64_t alone = bytes_needed(graph, threads(), search_state::bytes_alone(lanes_for(core.sources.size())));
  all.run_single(result.form == betweenness_form::flat || has_memory(alone, options.memory));
  source_sums sums;
  sums.vertex = add_up(core, graph.vertices(), all.scores());
  if (squares) sums.squares = add_up(core, graph.vertices(), all.squares());
  return sums;
}

bool uses_lengths(const any_graph& graph, const betweenness_options& options) {
  return options.weights == weight_use::length && std::visit([](const auto& g) { return g.weighted(); }, graph);
}

/// Makes scores of the sums over `sources`, and standard errors if there are squares.
template <class Vertex>
void set_scores_of(const csr_graph<Vertex>& graph, const source_sums& sums, const std::vector<std::uint64_t>& sources,
                   bool normalized, betweenness_result& result) {
  const std::uint64_t n = graph.vertices();
  std::vector<char> chosen(n);
  for (const std::uint64_t v : sources) chosen[v] = 1;
  const factors scale = factors_for(n, sources.size(), graph.directed(), normalized);
  const bool errors = !sums.squares.empty();
  result.sources = sources.size();
  result.scores = machine::page_array<double>(n, machine::page_kind::used);
  if (errors) result.standard_errors = machine::page_array<double>(n, machine::page_kind::used);
  const auto others = static_cast<double>(n) - 1;
  double usual = 0;
  if (errors) {
    usual = usual_term(std::accumulate(sums.vertex.begin(), sums.vertex.end(), 0.0),
                       std::accumulate(sums.squares.begin(), sums.squares.end(), 0.0), others - 1);
  }
  parallel_for(std::uint64_t{0}, n, [&](std::uint64_t v) {
    const double factor = chosen[v] != 0 ? scale.inside : scale.outside;
    result.scores[v] = sums.vertex[v] * factor;
    if (!errors) return;
    const double k = static_cast<double>(sources.size()) - chosen[v];
    const bool on_no_path =
        graph.out().degree(v) == 0 || graph.in().degree(v) == 0 || (!graph.directed() && graph.out().degree(v) == 1);
    const double error = on_no_path ? 0 : error_of_mean(sums.vertex[v], sums.squares[v], k, others, usual);
    result.standard_errors[v] = std::isfinite(error) ? factor * k * error : error;
  });
}

/// Searches from `options.from`, or from all vertices if it is empty.
template <class Vertex>
source_sums search_sources(const csr_graph<Vertex>& graph, const std::vector<loop_form>& forms,
                           const betweenness_options& options, bool squares, betweenness_result& result,
                           const run_control& control) {
  if (result.weights != weight_use::length) return search_by_steps(graph, forms, options, squares, result, control);
  const std::vector<std::uint64_t> sources = sources_of(graph.vertices(), options);
  result.searches += sources.size();
  if (control.report != nullptr) control.report->begin("betweenness", sources.size(), "sources");
  return search_by_length(graph, sources, {.squares = squares, .arcs = false}, control);
}

/// Adds the sums over further sources.
void add_sums(machine::page_array<double>& sums, machine::page_array<double> more) {
  if (sums.empty()) {
    sums = std::move(more);
    return;
  }
  parallel_for(std::uint64_t{0}, std::uint64_t{sums.size()}, [&](std::uint64_t i) { sums[i] += more[i]; });
}

/// Draws random sources, more and more, until enough(sample, drawn) is true; `drawn`: by vertex, whether it is in the
/// sample. add(sources) searches from the new ones. Returns the sample; none if half of the vertices would not do.
template <class Add, class Enough>
std::optional<std::vector<std::uint64_t>> grow_sample(std::uint64_t vertices, const growing_sample& bound,
                                                      const betweenness_options& wanted, Add add, Enough enough) {
  betweenness_options options = wanted;
  options.error = 0;
  options.from.clear();
  std::vector<char> drawn(vertices);
  for (double size = bound.first(); size <= static_cast<double>(vertices) / 2; size *= 2) {
    options.samples = static_cast<std::uint64_t>(size);
    std::vector<std::uint64_t> sample = sources_of(vertices, options);
    std::vector<std::uint64_t> further;
    for (const std::uint64_t v : sample) {
      if (drawn[v] == 0) further.push_back(v);
      drawn[v] = 1;
    }
    add(std::move(further));
    if (enough(sample, drawn)) return sample;
  }
  return std::nullopt;
}

/// Searches from random sources until the error is small enough. Returns these sources; all if half of the vertices
/// would not do.
template <class Vertex>
std::vector<std::uint64_t> search_to_error(const csr_graph<Vertex>& graph, const std::vector<loop_form>& forms,
                                           const betweenness_options& wanted, source_sums& sums,
                                           betweenness_result& result, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  const growing_sample bound(n, n - 1, wanted.error, wanted.confidence);
  betweenness_options options = wanted;
  options.error = 0;
  const auto add = [&](std::vector<std::uint64_t> further) {
    options.from = std::move(further);
    source_sums more = search_sources(graph, forms, options, true, result, control);
    add_sums(sums.vertex, std::move(more.vertex));
    add_sums(sums.squares, std::move(more.squares));
  };
  const auto enough = [&](const std::vector<std::uint64_t>& sample, const std::vector<char>& drawn) {
    const double range = static_cast<double>(n) - 2;
    for (std::uint64_t v = 0; v < n; ++v) {
      const double k = static_cast<double>(sample.size()) - drawn[v];
      if (!bound.suffices(sums.vertex[v] / range, sums.squares[v] / range / range, k)) return false;
    }
    return true;
  };
  if (auto sample = grow_sample(n, bound, wanted, add, enough)) return *std::move(sample);
  options.from.clear();
  sums = search_sources(graph, forms, options, false, result, control);
  return sources_of(n, options);
}

template <class Vertex>
betweenness_result betweenness_of(const csr_graph<Vertex>& graph, const std::vector<loop_form>& forms,
                                  const betweenness_options& options, bool lengths, const run_control& control) {
  betweenness_result result;
  if (lengths) result.weights = weight_use::length;
  if (graph.vertices() == 0) return result;
  source_sums sums;
  std::vector<std::uint64_t> sources;
  if (options.error != 0) {
    sources = search_to_error(graph, forms, options, sums, result, control);
  } else {
    sources = sources_of(graph.vertices(), options);
    sums = search_sources(graph, forms, options, options.samples != 0 && sources.size() < graph.vertices(), result,
                          control);
  }
  set_scores_of(graph, sums, sources, options.normalized, result);
  return result;
}

template <class Vertex>
source_sums search_arcs(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources, bool lengths,
                        bool squares, const run_control& control) {
  if (!lengths) return search_edges(graph, sources, squares, control);
  return search_by_length(graph, sources, {.squares = squares, .arcs = true}, control);
}

/// Does for arcs what search_to_error() does for vertices.
template <class Vertex>
std::vector<std::uint64_t> search_arcs_to_error(const csr_graph<Vertex>& graph, bool lengths,
                                                const betweenness_options& wanted, source_sums& sums,
                                                const run_control& control) {
  const std::uint64_t n = graph.vertices();
  // An edge has two arcs if it has no direction: half of the error for each.
  const double error = wanted.error / (graph.directed() ? 1 : 2);
  const growing_sample bound(std::max<std::uint64_t>(1, graph.arcs()), n, error, wanted.confidence);
  const auto add = [&](const std::vector<std::uint64_t>& further) {
    source_sums more = search_arcs(graph, further, lengths, true, control);
    add_sums(sums.arc, std::move(more.arc));
    add_sums(sums.arc_squares, std::move(more.arc_squares));
  };
  const auto enough = [&](const std::vector<std::uint64_t>& sample, const std::vector<char>&) {
    const auto range = static_cast<double>(n) - 1;
    const auto k = static_cast<double>(sample.size());
    for (std::uint64_t a = 0; a < sums.arc.size(); ++a) {
      if (!bound.suffices(sums.arc[a] / range, sums.arc_squares[a] / range / range, k)) return false;
    }
    return true;
  };
  if (auto sample = grow_sample(n, bound, wanted, add, enough)) return *std::move(sample);
  std::vector<std::uint64_t> all = sources_of(n, wanted);
  sums = search_arcs(graph, all, lengths, false, control);
  return all;
}

/// Returns the edges by `from`, then `to`, with sums of scores and, as their errors, of squares. Repeated and, of an
/// undirected graph, opposite arcs add up; loops are left out.
template <class Vertex>
std::vector<scored_edge> edges_in_order(const csr_graph<Vertex>& graph, const source_sums& sums) {
  const std::uint64_t n = graph.vertices();
  const adjacency<Vertex>& in = graph.in();
  const auto each = [&](auto f) {  // f(from, to, first, last): the arcs of one pair; rows are sorted
    for (std::uint64_t to = 0; to < n; ++to) {
      for (std::uint64_t first = in.offsets[to], last = first, end = in.offsets[to + 1]; first != end; first = last) {
        while (last != end && in.targets[last] == in.targets[first]) ++last;
        if (in.targets[first] != to) f(std::uint64_t{in.targets[first]}, to, first, last);
      }
    }
  };
  std::vector<std::uint64_t> places(n);  // by vertex: of its first edge; later, behind its last one from a row above
  each([&](std::uint64_t from, std::uint64_t to, std::uint64_t, std::uint64_t) {
    if (graph.directed() || from < to) ++places[from];
  });
  std::uint64_t count = 0;
  for (std::uint64_t& place : places) count += std::exchange(place, count);
  std::vector<scored_edge> edges(count);
  std::uint64_t row = n;
  std::uint64_t own = 0;
  each([&](std::uint64_t from, std::uint64_t to, std::uint64_t first, std::uint64_t last) {
    if (std::exchange(row, to) != to) own = places[to];
    // An undirected edge comes from the row of its smaller end, then from that of the larger one, in the same order.
    const bool forward = graph.directed() || from < to;
    scored_edge& edge = edges[forward ? places[from]++ : own++];
    edge.from = forward ? from : to;
    edge.to = forward ? to : from;
    for (std::uint64_t a = first; a != last; ++a) {  // a search uses one of them, so that squares add up
      edge.score += sums.arc[a];
      if (!sums.arc_squares.empty()) edge.standard_error += sums.arc_squares[a];
    }
  });
  return edges;
}

template <class Vertex>
edge_betweenness_result edge_betweenness_of(const csr_graph<Vertex>& graph, const betweenness_options& options,
                                            bool lengths, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  edge_betweenness_result result;
  if (lengths) result.weights = weight_use::length;
  if (n == 0) return result;
  std::vector<std::uint64_t> sources = sources_of(n, options);
  if (control.report != nullptr) control.report->begin("betweenness of edges", sources.size(), "sources");
  source_sums sums;
  if (options.error != 0) {
    sources = search_arcs_to_error(graph, lengths, options, sums, control);
  } else {
    const bool squares = options.samples != 0 && options.samples < n;
    sums = search_arcs(graph, sources, lengths, squares, control);
  }
  result.sources = sources.size();
  const double factor = edge_factor(n, sources.size(), graph.directed(), options.normalized);
  result.edges = edges_in_order(graph, sums);
  const auto k = static_cast<double>(sources.size());
  const auto population = static_cast<double>(n);
  double sum = 0;
  double squares = 0;
  for (const scored_edge& e : result.edges) {  // so far they have sums and sums of squares
    sum += e.score;
    squares += e.standard_error;
  }
  const double usual = usual_term(sum, squares, population - 1);
  for (scored_edge& e : result.edges) {
    e.standard_error =
        sums.arc_squares.empty() ? 0 : factor * k * error_of_mean(e.score, e.standard_error, k, population, usual);
    e.score *= factor;
  }
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
        if (options.error != 0 && (options.samples != 0 || !options.from.empty())) {
          throw usage_error("an error is given beside sources, expected one of them");
        }
        if (!(options.error >= 0 && options.error < 1)) {
          throw usage_error(fmt::format("error is {}, expected a number above 0 and below 1", options.error));
        }
        if (!(options.confidence > 0 && options.confidence < 1)) {
          throw usage_error(fmt::format("confidence is {}, expected a number above 0 and below 1", options.confidence));
        }
        std::vector<std::uint64_t> from = options.from;
        std::sort(from.begin(), from.end());
        if (!from.empty() && from.back() >= g.vertices()) {
          throw usage_error(fmt::format("from names vertex {} of a graph that has {}", from.back(), g.vertices()));
        }
        if (const auto twice = std::adjacent_find(from.begin(), from.end()); twice != from.end()) {
          throw usage_error(fmt::format("from names vertex {} more than once", *twice));
        }
        if (options.weights == weight_use::strength) {
          throw usage_error("betweenness takes weights as lengths, not as strengths");
        }
        if (g.vertices() > 0xfffffffeu) {
          throw usage_error(fmt::format("the graph has {} vertices, betweenness takes up to 4294967294", g.vertices()));
        }
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, along which betweenness searches");
      },
      graph);
  if (uses_lengths(graph, options)) {
    require_memory("betweenness by lengths", bytes_by_length(graph, false, true), options.memory);
    return;
  }
  const loop_form least = offered_forms(graph, options).back();
  const std::string what = fmt::format("betweenness of this graph ({}, {} threads)", name_of(least.form), threads());
  require_memory(what, bytes_for(graph, options, least), options.memory);
}

std::uint64_t betweenness_memory(const any_graph& graph, const betweenness_options& options) {
  if (uses_lengths(graph, options)) return bytes_by_length(graph, false, true);
  return bytes_for(graph, options, offered_forms(graph, options).back());
}

betweenness_result betweenness(const any_graph& graph, const betweenness_options& options, const run_control& control) {
  check_betweenness_arguments(graph, options);
  const bool lengths = uses_lengths(graph, options);
  const std::vector<loop_form> forms = lengths ? std::vector<loop_form>() : offered_forms(graph, options);
  return std::visit([&](const auto& g) { return betweenness_of(g, forms, options, lengths, control); }, graph);
}

betweenness_result scores_of_sums(const any_graph& graph, machine::page_array<double> sums,
                                  machine::page_array<double> squares, const betweenness_options& options) {
  return std::visit(
      [&](const auto& g) {
        betweenness_result result;
        if (g.vertices() == 0) return result;
        set_scores_of(g, {.vertex = std::move(sums), .squares = std::move(squares), .arc = {}, .arc_squares = {}},
                      sources_of(g.vertices(), options), options.normalized, result);
        return result;
      },
      graph);
}

edge_betweenness_result edge_betweenness(const any_graph& graph, const betweenness_options& options,
                                         const run_control& control) {
  check_betweenness_arguments(graph, options);
  require_memory("betweenness of edges", edge_betweenness_memory(graph, options), options.memory);
  return std::visit(
      [&](const auto& g) { return edge_betweenness_of(g, options, uses_lengths(graph, options), control); }, graph);
}

std::uint64_t edge_betweenness_memory(const any_graph& graph, const betweenness_options& options) noexcept {
  const bool squares = options.samples != 0 || options.error != 0;
  const std::uint64_t searches =
      uses_lengths(graph, options) ? bytes_by_length(graph, true, squares) : bytes_for_edges(graph, squares);
  return searches + sizeof(scored_edge) * needs::size_of(graph).m;
}

}  // namespace callisto::graph
