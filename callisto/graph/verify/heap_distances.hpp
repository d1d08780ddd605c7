// Dijkstra's algorithm with a heap, for checks.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Returns the distances from `source` along all of `rows`; infinity where it does not reach. Arcs are as long as their
/// weights if `weighted`, else 1.
template <class Vertex>
std::vector<double> heap_distances(const std::vector<const adjacency<Vertex>*>& rows, std::uint64_t source,
                                   bool weighted) {
  std::vector<double> distances(rows.front()->offsets.size() - 1, std::numeric_limits<double>::infinity());
  using entry = std::pair<double, std::uint64_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
  distances[source] = 0;
  waiting.emplace(0, source);
  while (!waiting.empty()) {
    const auto [distance, v] = waiting.top();
    waiting.pop();
    if (distance != distances[v]) continue;
    for (const adjacency<Vertex>* along : rows) {
      for (std::uint64_t a = along->offsets[v]; a != along->offsets[v + 1]; ++a) {
        const double to = distance + (weighted ? along->weights[a] : 1);
        double& now = distances[along->targets[a]];
        if (!(to < now)) continue;
        now = to;
        waiting.emplace(to, along->targets[a]);
      }
    }
  }
  return distances;
}

}  // namespace callisto::graph
