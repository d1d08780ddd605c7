// Communities: the checks of arguments, and the levels for 32-bit vertices.
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/levels.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <variant>

namespace callisto::graph {

extern template communities_result communities_of(const csr_graph<std::uint64_t>&, const communities_options&,
                                                  const run_control&);
extern template double modularity_of(const csr_graph<std::uint64_t>&, const machine::page_array<std::uint64_t>&, double,
                                     const run_control&);

namespace {

void check_resolution(double resolution) {
  if (!(resolution >= 0 && resolution <= std::numeric_limits<double>::max())) {
    throw usage_error(fmt::format("resolution is {}, expected a number of at least 0", resolution));
  }
}

}  // namespace

std::string_view name_of(community_method method) noexcept {
  return method == community_method::louvain ? "louvain" : "labels";
}

communities_result communities(const any_graph& graph, const communities_options& options, const run_control& control) {
  check_resolution(options.resolution);
  return std::visit(
      [&](const auto& g) {
        if (g.directed()) return communities(symmetrized(graph, loops::keep, control), options, control);
        communities_result result = communities_of(g, options, control);
        result.modularity = modularity_of(g, result.of, options.resolution, control);
        return result;
      },
      graph);
}

double modularity(const any_graph& graph, const machine::page_array<std::uint64_t>& of, double resolution,
                  const run_control& control) {
  check_resolution(resolution);
  return std::visit(
      [&](const auto& g) {
        if (g.directed()) throw usage_error("modularity is of undirected graphs; symmetrize this one");
        if (of.size() != g.vertices()) throw usage_error("the division is of another number of vertices");
        return modularity_of(g, of, resolution, control);
      },
      graph);
}

std::uint64_t needs::communities(const any_graph& graph, community_method method) noexcept {
  graph_size s = size_of(graph);
  std::uint64_t undirected = 0;
  if (s.directed) {
    undirected = symmetrize(graph);
    s.m *= 2;
  }
  // One level's vertices; the coarse graph, which has at most the level's arcs; names and members.
  const std::uint64_t level = (25 + 8 + 3 * s.v) * s.n;
  const std::uint64_t coarse = method == community_method::labels ? 0 : 24 * s.n + (s.v + 8) * s.m;
  return undirected + level + coarse + (2 * s.v + 8) * s.n + threads() * bytes_of_thread;
}

}  // namespace callisto::graph
