// Small weighted graphs, and a slow algorithm for distances on them.
#pragma once

#include "naive.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace callisto::graph::naive {

/// Weights by edge; the keys are the edges.
using weight_map = std::map<std::pair<std::uint64_t, std::uint64_t>, double>;

template <class Vertex = std::uint32_t>
csr_graph<Vertex> weighted_graph(std::uint64_t vertices, const weight_map& weights, bool directed_graph) {
  const auto weight = [&](std::uint64_t u, std::uint64_t v) {
    const auto found = weights.find({u, v});
    return found != weights.end() ? found->second : weights.at({v, u});
  };
  pairs edges;
  for (const auto& [edge, of] : weights) edges.push_back(edge);
  return weighted(directed_graph ? directed<Vertex>(vertices, edges) : undirected<Vertex>(vertices, edges), weight);
}

/// Returns the arcs: the edges, and the opposite ones of an undirected graph.
inline weight_map arcs_of(const weight_map& edges, bool directed_graph) {
  weight_map arcs = edges;
  for (const auto& [edge, weight] : edges) {
    if (!directed_graph) arcs[{edge.second, edge.first}] = weight;
  }
  return arcs;
}

/// Returns random edges, loops among them, no two with the same ends in any direction if undirected.
template <class Weight>
weight_map random_weights(std::uint64_t vertices, std::size_t count, unsigned seed, bool directed_graph,
                          Weight weight) {
  weight_map edges;
  std::mt19937_64 random(seed);
  for (const auto& [u, v] : random_pairs(vertices, count, seed)) {
    if (edges.contains({u, v}) || (!directed_graph && edges.contains({v, u}))) continue;
    edges[{u, v}] = weight(random);
  }
  return edges;
}

/// Returns the distances from each vertex to each, by source: Bellman-Ford's algorithm.
inline std::vector<std::vector<double>> all_distances(std::uint64_t vertices, const weight_map& arcs) {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> found(vertices, std::vector<double>(vertices, none));
  for (std::uint64_t s = 0; s < vertices; ++s) {
    found[s][s] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [arc, weight] : arcs) {
        const double to = found[s][arc.first] + weight;
        if (!(to < found[s][arc.second])) continue;
        found[s][arc.second] = to;
        changed = true;
      }
    }
  }
  return found;
}

}  // namespace callisto::graph::naive
