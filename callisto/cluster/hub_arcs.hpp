// Arcs of hubs to the vertices of a process, which finds them in the rows of these vertices. So processes divide the
// work and the messages of a long row. The row itself stays at one process.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/hub_rows.hpp>
#include <callisto/graph/csr/partners.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace callisto::cluster {

/// A vertex is a hub if one of its rows has more arcs than this, and more than a 16th of a process' even share.
inline constexpr std::uint64_t least_hub = 64;
inline constexpr std::uint64_t hubs_in_share = 16;

/// Returns the most arcs of a vertex that is not a hub, among `processes` processes.
template <class Vertex>
std::uint64_t most_arcs_of_others(const graph::csr_graph<Vertex>& graph, std::size_t processes) noexcept {
  return std::max(least_hub, graph.arcs() / (hubs_in_share * processes));
}

/// Returns the hubs, ascending, at all processes. None for one process, and in a graph without in-edges.
template <class Vertex>
std::vector<Vertex> find_hubs(const graph::csr_graph<Vertex>& graph, graph::partners& among) {
  if (among.count() == 1 || !graph.has_in()) return {};
  const std::uint64_t most = most_arcs_of_others(graph, among.count());
  std::vector<Vertex> own;
  for (std::uint64_t v = among.first(); v != among.last(); ++v) {
    if (std::max(graph.out().degree(v), graph.in().degree(v)) > most) own.push_back(static_cast<Vertex>(v));
  }
  return among.lists_of_all(own);
}

using graph::for_each_hub;
using graph::hub_number;

/// Adds v to the list of each hub in the row of v, once if vertices come in turn; never to the list of v as a hub.
template <class Vertex>
void add_to_hubs(std::span<const Vertex> row, std::uint64_t v, const std::vector<Vertex>& hubs,
                 std::vector<std::vector<Vertex>>& lists) {
  for_each_hub(row, hubs, [&](std::size_t h, std::size_t) {
    std::vector<Vertex>& of = lists[h];
    if (hubs[h] != v && (of.empty() || of.back() != v)) of.push_back(static_cast<Vertex>(v));
  });
}

}  // namespace callisto::cluster
