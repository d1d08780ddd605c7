// Dijkstra's algorithm for a source that reaches little: one thread, time and memory for the vertices it meets only.
#pragma once

#include <callisto/graph/csr/distance_map.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/sssp/sssp.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Returns the distances from `source`. Returns nothing if the search looks at more than `few` arcs, or if a distance
/// is larger than any double: delta-stepping then does the search.
template <class Vertex, class Weight>
std::optional<sssp_result> search_nearby(const csr_graph<Vertex>& graph, std::span<const Weight> weights,
                                         std::uint64_t source, std::uint64_t few) {
  const adjacency<Vertex>& out = graph.out();
  // A sparse set (Briggs and Torczon 1993): places[v] means something only if met[places[v]] names v, so that no array
  // of the graph's size is filled.
  machine::page_array<std::uint32_t> places(graph.vertices(), machine::page_kind::used);
  std::vector<distance_map::entry> met{{source, 0}};
  places[source] = 0;
  const auto place_of = [&](Vertex v) {
    if (places[v] >= met.size() || met[places[v]].vertex != v) {
      places[v] = static_cast<std::uint32_t>(met.size());
      met.push_back({v, sssp_result::unreached});
    }
    return places[v];
  };
  using waiting_entry = std::pair<double, std::uint32_t>;
  std::priority_queue<waiting_entry, std::vector<waiting_entry>, std::greater<>> waiting;
  waiting.emplace(0, 0);
  sssp_result result;
  while (!waiting.empty()) {
    const auto [distance, place] = waiting.top();
    waiting.pop();
    if (met[place].distance != distance) continue;  // shortened later; another entry has the new distance
    const std::uint64_t v = met[place].vertex;
    ++result.reached;
    result.eccentricity = distance;
    result.relaxations += out.degree(v);
    if (result.relaxations > few) return std::nullopt;
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      const double to = distance + weights[a];
      if (to == sssp_result::unreached) return std::nullopt;
      const std::uint32_t target = place_of(out.targets[a]);
      if (!(to < met[target].distance)) continue;
      met[target].distance = to;
      waiting.emplace(to, target);
      ++result.shortened;
    }
  }
  result.distances = distance_map(std::move(places), std::move(met));
  return result;
}

}  // namespace callisto::graph
