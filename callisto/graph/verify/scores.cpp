// Sequential checks of PageRank, betweenness and triangle counts.
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/csr/wide_count.hpp>
#include <callisto/graph/verify/each_triangle.hpp>
#include <callisto/graph/verify/require.hpp>
#include <callisto/graph/verify/scores.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <utility>
#include <variant>

namespace callisto::graph {
namespace {

template <class Vertex>
void check_pagerank(const csr_graph<Vertex>& graph, const pagerank_options& options, const pagerank_result& result) {
  const std::uint64_t n = graph.vertices();
  require(result.scores.size() == n, "{} scores, expected {}", result.scores.size(), n);
  const double sum = std::accumulate(result.scores.begin(), result.scores.end(), 0.0);
  require(std::fabs(sum - 1) < 1e-9, "scores sum to {}, expected 1", sum);
  const bool weighted = result.weights == weight_use::strength;
  require(weighted == (options.weights == weight_use::strength && graph.weighted()), "weights are taken for {}",
          name_of(result.weights));
  std::vector<double> most(n);  // by vertex: the largest weight of its out-arcs, by which all are divided
  std::vector<double> out(n);   // by vertex: the sum of them, so divided
  const auto weight = [&](const adjacency<Vertex>& rows, std::uint64_t arc) {
    return weighted ? rows.weights[arc] : 1;
  };
  double dangling = 0;
  for (std::uint64_t v = 0; v < n; ++v) {
    const std::uint64_t end = graph.out().offsets[v + 1];
    for (std::uint64_t a = graph.out().offsets[v]; a != end; ++a) most[v] = std::max(most[v], weight(graph.out(), a));
    for (std::uint64_t a = graph.out().offsets[v]; a != end && most[v] > 0; ++a) {
      out[v] += weight(graph.out(), a) / most[v];
    }
    if (out[v] == 0) dangling += result.scores[v];
  }
  std::vector<double> restart(n, options.seeds.empty() ? 1 / static_cast<double>(n) : 0);
  double weights = 0;
  for (const pagerank_seed& seed : options.seeds) weights += seed.weight;
  for (const pagerank_seed& seed : options.seeds) restart[seed.vertex] = seed.weight / weights;
  const double again = 1 - options.damping + options.damping * dangling;
  double change = 0;
  for (std::uint64_t v = 0; v < n; ++v) {
    double pulled = 0;
    for (std::uint64_t a = graph.in().offsets[v]; a != graph.in().offsets[v + 1]; ++a) {
      const Vertex u = graph.in().targets[a];
      if (most[u] > 0) pulled += result.scores[u] * (weight(graph.in(), a) / most[u] / out[u]);
    }
    change += std::fabs(again * restart[v] + options.damping * pulled - result.scores[v]);
  }
  require(change <= result.change + 1e-12, "another sweep changes scores by {}, expected at most {}", change,
          result.change);
}

/// Adds to `sums`, by vertex, the dependencies on it from one source, by Brandes' algorithm (2001).
template <class Vertex>
void add_dependencies(const csr_graph<Vertex>& graph, std::uint64_t source, std::vector<double>& sums) {
  constexpr std::uint32_t unreached = ~std::uint32_t{0};
  const std::uint64_t n = graph.vertices();
  std::vector<std::uint32_t> distance(n, unreached);
  std::vector<wide_count> paths(n);
  std::vector<double> dependency(n);
  std::vector<Vertex> queue{static_cast<Vertex>(source)};
  const auto for_each_target = [&](Vertex u, auto f) {
    const auto row = graph.out().row(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == 0 || row[i] != row[i - 1]) f(row[i]);
    }
  };
  distance[source] = 0;
  paths[source] = {1, 0};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Vertex u = queue[i];
    for_each_target(u, [&](Vertex w) {
      if (distance[w] == unreached) {
        distance[w] = distance[u] + 1;
        queue.push_back(w);
      }
      if (distance[w] == distance[u] + 1) paths[w] += paths[u];
    });
  }
  for (std::size_t i = queue.size(); i-- > 1;) {
    const Vertex u = queue[i];
    for_each_target(u, [&](Vertex w) {
      if (distance[w] == distance[u] + 1) dependency[u] += ratio(paths[u], paths[w]) * (1 + dependency[w]);
    });
    sums[u] += dependency[u];
  }
}

/// Adds to `sums` the same by lengths, and calls edge(u, v, share) for each arc on shortest paths. Lengths are weights,
/// or all 1. Dijkstra's algorithm with a heap. Of repeated arcs the shortest counts.
template <class Vertex, class Edge>
void add_dependencies_by_length(const csr_graph<Vertex>& graph, std::uint64_t source, bool weights,
                                std::vector<double>& sums, const Edge& edge) {
  constexpr double unreached = std::numeric_limits<double>::infinity();
  const std::uint64_t n = graph.vertices();
  std::vector<double> distance(n, unreached);
  std::vector<wide_count> paths(n);
  std::vector<double> dependency(n);
  std::vector<Vertex> order;
  const auto is_on_path = [&](Vertex u, double length, Vertex w) {
    return distance[u] < distance[w] && distance[u] + length <= distance[w] * (1 + tie_tolerance);
  };
  const auto for_each_target = [&](Vertex u, auto f) {
    const adjacency<Vertex>& out = graph.out();
    for (std::uint64_t a = out.offsets[u]; a != out.offsets[u + 1];) {
      const Vertex w = out.targets[a];
      double length = weights ? out.weights[a] : 1;
      for (; a != out.offsets[u + 1] && out.targets[a] == w; ++a) {
        if (weights) length = std::min(length, out.weights[a]);
      }
      if (w != u) f(w, length);
    }
  };
  using entry = std::pair<double, Vertex>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
  waiting.emplace(0, static_cast<Vertex>(source));
  distance[source] = 0;
  paths[source] = {1, 0};
  std::vector<bool> done(n);
  while (!waiting.empty()) {
    const auto [near, u] = waiting.top();
    waiting.pop();
    if (done[u]) continue;
    done[u] = true;
    order.push_back(u);
    for_each_target(u, [&](Vertex w, double length) {
      const double to = near + length;
      if (to < distance[w]) {
        distance[w] = to;
        waiting.emplace(to, w);
      }
    });
  }
  for (const Vertex u : order) {
    for_each_target(u, [&](Vertex w, double length) {
      if (is_on_path(u, length, w)) paths[w] += paths[u];
    });
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    const Vertex u = order[i];
    for_each_target(u, [&](Vertex w, double length) {
      if (!is_on_path(u, length, w)) return;
      const double share = ratio(paths[u], paths[w]) * (1 + dependency[w]);
      dependency[u] += share;
      edge(u, w, share);
    });
    if (u != source) sums[u] += dependency[u];
  }
}

/// Returns the sources of scores. An error makes a sample grow, to `count` of the sources that it asks for.
std::vector<std::uint64_t> sources_of(const any_graph& graph, betweenness_options options, std::uint64_t count) {
  if (options.error != 0) {
    options.error = 0;
    options.samples = count;
  }
  return betweenness_sources(graph, options);
}

template <class Vertex>
void check_edges(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources,
                 const betweenness_options& options, const edge_betweenness_result& result,
                 const run_control& control) {
  const std::uint64_t n = graph.vertices();
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> expected;
  for (std::uint64_t v = 0; v < n; ++v) {
    for (const Vertex w : graph.out().row(v)) {
      if (w != v && (graph.directed() || v < w)) expected[{v, w}] = 0;
    }
  }
  const bool weights = options.weights == weight_use::length && graph.weighted();
  std::vector<double> sums(n);
  sequential_stage checking(control, "checking", sources.size(), "searches");
  for (const std::uint64_t source : sources) {
    checking.step();
    add_dependencies_by_length(graph, source, weights, sums, [&](Vertex u, Vertex w, double share) {
      expected[graph.directed() || u < w ? std::pair<std::uint64_t, std::uint64_t>{u, w}
                                         : std::pair<std::uint64_t, std::uint64_t>{w, u}] += share;
    });
  }
  const auto others = static_cast<double>(n) - 1;
  const double pairs = options.normalized ? others * static_cast<double>(n) : graph.directed() ? 1 : 2;
  const double scale = static_cast<double>(n) / static_cast<double>(sources.size()) / pairs;
  require(result.edges.size() == expected.size(), "{} edges, expected {}", result.edges.size(), expected.size());
  double most = 0;
  for (const auto& [edge, sum] : expected) most = std::max(most, sum * scale);
  auto next = expected.begin();
  for (const scored_edge& e : result.edges) {
    const auto& [edge, sum] = *next++;
    require(e.from == edge.first && e.to == edge.second, "edge {} to {}, expected {} to {}", e.from, e.to, edge.first,
            edge.second);
    require(std::fabs(e.score - sum * scale) <= 1e-6 * sum * scale + 1e-9 * most,
            "score {} of the edge from {} to {}, expected {}", e.score, called(graph, e.from), called(graph, e.to),
            sum * scale);
  }
}

template <class Vertex>
void check_betweenness(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources,
                       const betweenness_options& options, const betweenness_result& result,
                       const run_control& control) {
  const bool normalized = options.normalized;
  const bool weights = options.weights == weight_use::length && graph.weighted();
  require((result.weights == weight_use::length) == weights, "weights are taken for {}", name_of(result.weights));
  const std::uint64_t n = graph.vertices();
  require(result.scores.size() == n, "{} scores, expected {}", result.scores.size(), n);
  std::vector<double> sums(n);
  std::vector<bool> in_sample(n);
  sequential_stage checking(control, "checking", sources.size(), "searches");
  for (const std::uint64_t source : sources) {
    checking.step();
    if (weights) {
      add_dependencies_by_length(graph, source, true, sums, [](Vertex, Vertex, double) {});
    } else {
      add_dependencies(graph, source, sums);
    }
    in_sample[source] = true;
  }
  const auto others = static_cast<double>(n) - 1;
  const double pairs = normalized ? others * (others - 1) : graph.directed() ? 1 : 2;
  const auto k = static_cast<double>(sources.size());
  // No pair around a vertex of the sample begins at the vertex itself.
  const double outside = n < 3 ? 0 : others / k / pairs;
  const double inside = n < 3 || k == 1 ? 0 : others / (k - 1) / pairs;
  const bool every = sources.size() == n;
  for (std::uint64_t v = 0; v < n; ++v) sums[v] *= every ? 1 / pairs : in_sample[v] ? inside : outside;
  const double least = 1e-9 * (n == 0 ? 0 : *std::max_element(sums.begin(), sums.end()));
  for (std::uint64_t v = 0; v < n; ++v) {
    require(std::fabs(result.scores[v] - sums[v]) <= 1e-6 * sums[v] + least, "score {} of vertex {}, expected {}",
            result.scores[v], called(graph, v), sums[v]);
  }
}

template <class Vertex>
void check_triangles(const csr_graph<Vertex>& graph, const triangles_result& result, const run_control& control) {
  std::uint64_t triangles = 0;
  const std::uint64_t edges = for_each_triangle(graph, control, [&triangles](auto...) { ++triangles; });
  require(result.edges == edges, "{} edges, expected {}", result.edges, edges);
  require(result.triangles == triangles, "{} triangles, expected {}", result.triangles, triangles);
}

}  // namespace

void verify_pagerank(const any_graph& graph, const pagerank_options& options, const pagerank_result& result) {
  std::visit([&](const auto& g) { check_pagerank(g, options, result); }, graph);
}

void verify_betweenness(const any_graph& graph, const betweenness_options& options, const betweenness_result& result,
                        const run_control& control) {
  const std::vector<std::uint64_t> sources = sources_of(graph, options, result.sources);
  std::visit([&](const auto& g) { check_betweenness(g, sources, options, result, control); }, graph);
}

void verify_edge_betweenness(const any_graph& graph, const betweenness_options& options,
                             const edge_betweenness_result& result, const run_control& control) {
  const std::vector<std::uint64_t> sources = sources_of(graph, options, result.sources);
  std::visit([&](const auto& g) { check_edges(g, sources, options, result, control); }, graph);
}

void verify_triangles(const any_graph& graph, const triangles_result& result, const run_control& control) {
  std::visit([&](const auto& g) { check_triangles(g, result, control); }, graph);
}

}  // namespace callisto::graph
