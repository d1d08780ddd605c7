// Small graphs and slow, obvious algorithms on them: the oracle that graph kernels are tested against. Nothing here
// uses the library's loops or its builder.
#pragma once

#include <callisto/graph/graph.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace callisto::graph::naive {

using pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

template <class Vertex>
adjacency<Vertex> rows_of(std::uint64_t vertices, pairs arcs) {
  std::sort(arcs.begin(), arcs.end());
  adjacency<Vertex> rows;
  rows.offsets = machine::page_array<std::uint64_t>(vertices + 1);
  rows.targets = machine::page_array<Vertex>(arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    ++rows.offsets[arcs[i].first + 1];
    rows.targets[i] = static_cast<Vertex>(arcs[i].second);
  }
  for (std::uint64_t v = 0; v < vertices; ++v) rows.offsets[v + 1] += rows.offsets[v];
  return rows;
}

/// The directed graph of these arcs, repeats and loops kept.
template <class Vertex = std::uint32_t>
csr_graph<Vertex> directed(std::uint64_t vertices, const pairs& arcs, bool in_edges = true) {
  pairs reversed;
  for (const auto& [from, to] : arcs) reversed.emplace_back(to, from);
  return {true,
          rows_of<Vertex>(vertices, arcs),
          in_edges ? rows_of<Vertex>(vertices, reversed) : adjacency<Vertex>{},
          {},
          0};
}

/// The undirected graph of these edges, repeats kept and loops stored once.
template <class Vertex = std::uint32_t>
csr_graph<Vertex> undirected(std::uint64_t vertices, const pairs& edges) {
  pairs both = edges;
  for (const auto& [u, v] : edges) {
    if (u != v) both.emplace_back(v, u);
  }
  return {false, rows_of<Vertex>(vertices, both), {}, {}, 0};
}

inline pairs random_pairs(std::uint64_t vertices, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  pairs result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(random() % vertices, random() % vertices);
  return result;
}

/// Distinct unordered pairs without loops, the smaller end first.
inline std::set<std::pair<std::uint64_t, std::uint64_t>> simple_edges(const pairs& edges) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> result;
  for (const auto& [u, v] : edges) {
    if (u != v) result.emplace(std::min(u, v), std::max(u, v));
  }
  return result;
}

/// Tries all triples of vertices.
inline std::uint64_t triangles(std::uint64_t vertices, const pairs& edges) {
  std::vector<char> joined(vertices * vertices);
  for (const auto& [u, v] : simple_edges(edges)) joined[u * vertices + v] = 1;
  std::uint64_t count = 0;
  for (std::uint64_t a = 0; a < vertices; ++a) {
    for (std::uint64_t b = a + 1; b < vertices; ++b) {
      if (joined[a * vertices + b] == 0) continue;
      for (std::uint64_t c = b + 1; c < vertices; ++c) {
        if (joined[a * vertices + c] != 0 && joined[b * vertices + c] != 0) ++count;
      }
    }
  }
  return count;
}

/// PageRank by `sweeps` multiplications with the dense transition matrix, dangling columns uniform.
inline std::vector<double> pagerank(std::uint64_t vertices, const pairs& arcs, double damping, unsigned sweeps) {
  const auto n = static_cast<double>(vertices);
  std::vector<double> out_degree(vertices);
  for (const auto& arc : arcs) ++out_degree[arc.first];
  std::vector<double> matrix(vertices * vertices);  // matrix[to * vertices + from]
  for (const auto& [from, to] : arcs) matrix[to * vertices + from] += 1 / out_degree[from];
  for (std::uint64_t from = 0; from < vertices; ++from) {
    if (out_degree[from] != 0) continue;
    for (std::uint64_t to = 0; to < vertices; ++to) matrix[to * vertices + from] = 1 / n;
  }
  std::vector<double> rank(vertices, 1 / n);
  for (unsigned sweep = 0; sweep < sweeps; ++sweep) {
    std::vector<double> next(vertices);
    for (std::uint64_t to = 0; to < vertices; ++to) {
      double pulled = 0;
      for (std::uint64_t from = 0; from < vertices; ++from) pulled += matrix[to * vertices + from] * rank[from];
      next[to] = (1 - damping) / n + damping * pulled;
    }
    rank = std::move(next);
  }
  return rank;
}

}  // namespace callisto::graph::naive
