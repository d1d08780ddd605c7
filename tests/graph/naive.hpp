// Small graphs and slow, obvious algorithms on them: the oracle of the tests of graph kernels. This file uses neither
// the library's loops nor its builder.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace callisto::graph::naive {

using pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Sorts arcs by `part`, a vertex of each; equal ones keep their order. Without std::sort(), which takes most of the
/// time of tests where sanitizers look at each of its comparisons.
inline void distribute(std::uint64_t vertices, pairs& arcs,
                       std::uint64_t std::pair<std::uint64_t, std::uint64_t>::* part) {
  std::vector<std::uint64_t> places(vertices + 1);
  pairs sorted(arcs.size());
  std::uint64_t* const place = places.data();
  auto* const to = sorted.data();
  const auto* const end = arcs.data() + arcs.size();
  for (const auto* a = arcs.data(); a != end; ++a) ++place[a->*part + 1];
  for (std::uint64_t v = 0; v < vertices; ++v) place[v + 1] += place[v];
  for (const auto* a = arcs.data(); a != end; ++a) {
    auto& free = to[place[a->*part]++];
    free.first = a->first;
    free.second = a->second;
  }
  arcs = std::move(sorted);
}

template <class Vertex>
adjacency<Vertex> rows_of(std::uint64_t vertices, pairs arcs) {
  distribute(vertices, arcs, &pairs::value_type::second);
  distribute(vertices, arcs, &pairs::value_type::first);
  adjacency<Vertex> rows;
  rows.offsets = machine::page_array<std::uint64_t>(vertices + 1);
  rows.targets = machine::page_array<Vertex>(arcs.size());
  std::uint64_t* const offset = rows.offsets.data();
  Vertex* to = rows.targets.data();
  const auto* const end = arcs.data() + arcs.size();
  for (const auto* a = arcs.data(); a != end; ++a) {
    ++offset[a->first + 1];
    *to++ = static_cast<Vertex>(a->second);
  }
  for (std::uint64_t v = 0; v < vertices; ++v) offset[v + 1] += offset[v];
  return rows;
}

/// Returns the directed graph of these arcs, with repeats and loops.
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

/// Returns the undirected graph of these edges, with repeats; loops are stored once.
template <class Vertex = std::uint32_t>
csr_graph<Vertex> undirected(std::uint64_t vertices, const pairs& edges) {
  pairs both = edges;
  for (const auto& [u, v] : edges) {
    if (u != v) both.emplace_back(v, u);
  }
  return {false, rows_of<Vertex>(vertices, both), {}, {}, 0};
}

/// Returns the same graph with weight(u, v) as the weight of the arc from u to v.
template <class Vertex, class Weight>
csr_graph<Vertex> weighted(csr_graph<Vertex> graph, Weight weight) {
  const auto weights_of = [&](const adjacency<Vertex>& rows, bool reversed) {
    weight_array::wide_form weights(rows.targets.size());
    for (std::uint64_t v = 0; v + 1 < rows.offsets.size(); ++v) {
      for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
        weights[a] = reversed ? weight(rows.targets[a], v) : weight(v, rows.targets[a]);
      }
    }
    return weights;
  };
  auto out = weights_of(graph.out(), false);
  auto in = graph.directed() ? weights_of(graph.in(), true) : weight_array::wide_form();
  return std::move(graph).with_weights(std::move(out), std::move(in));
}

/// Returns the weights, read one by one.
inline std::vector<double> values_of(const weight_array& weights) {
  std::vector<double> values(weights.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = weights[i];
  return values;
}

inline pairs random_pairs(std::uint64_t vertices, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  pairs result;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t to = random() % vertices;  // before the other end: compilers order arguments as they like
    result.emplace_back(random() % vertices, to);
  }
  return result;
}

/// Returns the distinct unordered pairs without loops, smaller end first.
inline std::set<std::pair<std::uint64_t, std::uint64_t>> simple_edges(const pairs& edges) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> result;
  for (const auto& [u, v] : edges) {
    if (u != v) result.emplace(std::min(u, v), std::max(u, v));
  }
  return result;
}

/// Counts triangles by trying all triples of vertices.
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

/// Returns PageRank by `sweeps` multiplications with the dense transition matrix; dangling columns are uniform.
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

/// The distance from each vertex to each, `vertices` where there is no path, and the number of shortest paths; by
/// vertex, then vertex. Repeated arcs count once.
struct all_paths {
  std::vector<std::uint64_t> distance;
  std::vector<double> count;
};

inline all_paths paths(std::uint64_t vertices, const pairs& arcs) {
  const std::set<std::pair<std::uint64_t, std::uint64_t>> distinct(arcs.begin(), arcs.end());
  all_paths result{std::vector<std::uint64_t>(vertices * vertices, vertices), std::vector<double>(vertices * vertices)};
  for (std::uint64_t s = 0; s < vertices; ++s) {
    std::uint64_t* distance = &result.distance[s * vertices];
    double* count = &result.count[s * vertices];
    distance[s] = 0;
    count[s] = 1;
    for (std::uint64_t step = 1; step < vertices; ++step) {
      for (const auto& [u, v] : distinct) {
        if (distance[u] != step - 1 || distance[v] < step) continue;
        distance[v] = step;
        count[v] += count[u];
      }
    }
  }
  return result;
}

/// Returns betweenness by its definition: for each source s, each target t and each v between them, the share of the
/// shortest paths that lead through v; sums over ordered pairs.
inline std::vector<double> betweenness(std::uint64_t vertices, const pairs& arcs,
                                       const std::vector<std::uint64_t>& sources) {
  const all_paths p = paths(vertices, arcs);
  std::vector<double> scores(vertices);
  for (const std::uint64_t s : sources) {
    for (std::uint64_t t = 0; t < vertices; ++t) {
      const std::uint64_t whole = p.distance[s * vertices + t];
      if (t == s || whole == vertices) continue;
      for (std::uint64_t v = 0; v < vertices; ++v) {
        if (v == s || v == t) continue;
        if (p.distance[s * vertices + v] + p.distance[v * vertices + t] != whole) continue;
        scores[v] += p.count[s * vertices + v] * p.count[v * vertices + t] / p.count[s * vertices + t];
      }
    }
  }
  return scores;
}

}  // namespace callisto::graph::naive
