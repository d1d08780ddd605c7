// Communities: the checks of arguments, and the levels for 32-bit vertices.
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/communities_among.hpp>
#include <callisto/graph/communities/levels.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <variant>

namespace callisto::graph {

extern template communities_result communities_of(const csr_graph<std::uint64_t>&, const communities_options&,
                                                  const shared_control&);
extern template double quality_of(const csr_graph<std::uint64_t>&, const machine::page_array<std::uint64_t>&,
                                  const communities_options&, const shared_control&);

namespace {

void check_resolution(double resolution) {
  if (!(resolution >= 0 && resolution <= std::numeric_limits<double>::max())) {
    throw usage_error(fmt::format("resolution is {}, expected a number of at least 0", resolution));
  }
}

}  // namespace

std::string_view name_of(community_method method) noexcept {
  switch (method) {
    case community_method::louvain:
      return "louvain";
    case community_method::labels:
      return "labels";
    default:
      return "leiden";
  }
}

std::string_view name_of(community_quality quality) noexcept {
  return quality == community_quality::cpm ? "cpm" : "modularity";
}

double usual_resolution(const any_graph& graph, community_quality quality, const run_control& control) {
  return usual_resolution_among(graph, quality, {control});
}

double usual_resolution_among(const any_graph& graph, community_quality quality, const shared_control& control) {
  if (quality == community_quality::modularity) return 1;
  return std::visit(
      [&](const auto& g) {
        const auto n = static_cast<double>(g.vertices());
        if (n < 2) return 1.0;
        // Each undirected edge stands in two rows. Loops join no pair.
        const auto& out = g.out();
        partners* const among = control.among;
        double all = parallel_reduce(
            among == nullptr ? 0 : among->first(), among == nullptr ? g.vertices() : among->last(), 0.0,
            [&](std::uint64_t begin, std::uint64_t end, double sum) {
              for (std::uint64_t v = begin; v < end; ++v) {
                for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
                  if (out.targets[a] != v) sum += g.weighted() ? out.weights[a] : 1;
                }
              }
              return sum;
            },
            std::plus<>(), loop_options{.stop = control.stop});
        control.check();
        if (among != nullptr) all = among->sum(all);
        return std::max(0.0, all * (g.directed() ? 2 : 1) / (n * (n - 1)));
      },
      graph);
}

communities_result communities(const any_graph& graph, const communities_options& options, const run_control& control) {
  return communities_among(graph, options, {control});
}

communities_result communities_among(const any_graph& graph, const communities_options& options,
                                     const shared_control& control) {
  check_resolution(options.resolution);
  if (options.iterations == 0) throw usage_error("iterations is 0, expected at least 1");
  if (options.hierarchy && options.method != community_method::louvain) {
    throw usage_error("a hierarchy is of the Louvain method");
  }
  if (options.hierarchy && control.among != nullptr) throw usage_error("a hierarchy needs one process, not ranks");
  return std::visit([&](const auto& g) { return communities_of(g, options, control); }, graph);
}

double quality(const any_graph& graph, const machine::page_array<std::uint64_t>& of, const communities_options& options,
               const run_control& control) {
  check_resolution(options.resolution);
  return std::visit(
      [&](const auto& g) {
        if (of.size() != g.vertices()) throw usage_error("the division is of another number of vertices");
        return quality_of(g, of, options, {control});
      },
      graph);
}

namespace {

/// `keeps`: pages of dead arrays stay for later ones.
std::uint64_t needed(const needs::graph_size& s, const communities_options& options, bool keeps) noexcept {
  const bool labels = options.method == community_method::labels;
  const std::uint64_t mass = s.directed && options.directions == community_directions::follow ? 16 : 8;
  const std::uint64_t both = s.directed ? 2 * s.m * (s.v + (s.w != 0 ? 8 : 0)) + 16 * s.n : 0;
  const std::uint64_t arcs = s.directed ? 2 * s.m : s.m;
  // Of a level: order, communities and moves; then the parts; then the graph of these.
  const std::uint64_t moves = (4 * s.v + 1 + 2 * mass) * s.n;
  const std::uint64_t coarse = labels ? 0 : (4 * s.v + 24 + mass) * s.n;
  // Vertices shrink by half or more from level to level in all graphs tried; arcs do so where there are communities,
  // and by a quarter in random graphs.
  const std::uint64_t coarse_arcs = labels ? 0 : 3 * (s.v + 8) * arcs;
  const std::uint64_t tables = threads() * (8 + s.v) * s.n;
  // Arrays by vertex of an earlier level stay as pages for a later one.
  const std::uint64_t kept = labels || !keeps ? 0 : moves + (4 * s.v + 24 + mass) * s.n + tables;
  // Weights that may be negative are made whole first.
  const std::uint64_t whole = options.quality == community_quality::cpm && s.w != 0 ? 8 * s.m : 0;
  // Of a hierarchy the divisions, of which graphs tried had up to ten.
  const std::uint64_t divisions = options.hierarchy ? 10 * 8 * s.n + 2 * s.v * s.n : 0;
  return both + whole + divisions + 8 * s.n + (labels ? moves : 2 * (moves + coarse) + coarse_arcs) + tables + kept +
         threads() * needs::bytes_of_thread;
}

}  // namespace

std::uint64_t needs::communities(const any_graph& graph, const communities_options& options) noexcept {
  return needed(size_of(graph), options, true);
}

std::uint64_t needs::communities_among(const any_graph& graph, const communities_options& options,
                                       const partners& among) noexcept {
  graph_size s = size_of(graph);
  s.m = std::visit(
      [&](const auto& g) { return s.n == 0 ? 0 : g.out().offsets[among.last()] - g.out().offsets[among.first()]; },
      graph);
  // The bounds of own rows, and an array that is summed.
  return needed(s, options, among.count() == 1) + 16 * (among.last() - among.first()) + 8 * s.n;
}

}  // namespace callisto::graph
