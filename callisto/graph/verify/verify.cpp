// Sequential checks of results.
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/verify/each_triangle.hpp>
#include <callisto/graph/verify/heap_distances.hpp>
#include <callisto/graph/verify/require.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace callisto::graph {
template <class Vertex>
void verify_bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_result<Vertex>& result,
                std::uint32_t depth) {
  constexpr std::uint32_t unreached = bfs_result<Vertex>::unreached;
  std::vector<std::uint32_t> distances(graph.vertices(), unreached);
  std::vector<Vertex> queue{static_cast<Vertex>(source)};
  distances[source] = 0;
  for (std::size_t i = 0; i < queue.size() && distances[queue[i]] != depth; ++i) {
    for (const Vertex w : graph.out().row(queue[i])) {
      if (distances[w] != unreached) continue;
      distances[w] = distances[queue[i]] + 1;
      queue.push_back(w);
    }
  }
  require(result.reached == queue.size(), "{} vertices reached, expected {}", result.reached, queue.size());
  require(result.eccentricity == distances[queue.back()], "largest distance {}, expected {}", result.eccentricity,
          distances[queue.back()]);
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (!result.distances.empty()) {
      require(result.distances[v] == distances[v], "distance {} of vertex {}, expected {}", result.distances[v],
              called(graph, v), distances[v]);
    }
    const Vertex parent = result.parents[v];
    if (distances[v] == unreached || v == source) {
      const std::uint64_t expected = v == source ? source : std::uint64_t{bfs_result<Vertex>::no_parent};
      require(parent == expected, "parent {} of vertex {}, expected {}", parent, called(graph, v), expected);
      continue;
    }
    require(parent < graph.vertices(), "vertex {} has no parent", called(graph, v));
    const auto row = graph.out().row(parent);
    require(std::binary_search(row.begin(), row.end(), static_cast<Vertex>(v)) && distances[parent] + 1 == distances[v],
            "vertex {} is no parent of vertex {}", called(graph, parent), called(graph, v));
  }
}

template <class Vertex>
void verify_sssp(const csr_graph<Vertex>& graph, std::uint64_t source, const sssp_result& result) {
  require(result.distances.size() == graph.vertices(), "distances of {} vertices, expected {}", result.distances.size(),
          graph.vertices());
  const std::vector<double> distances = heap_distances<Vertex>({&graph.out()}, source, true);
  std::uint64_t reached = 0;
  double largest = 0;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (distances[v] != sssp_result::unreached) {
      ++reached;
      largest = std::max(largest, distances[v]);
    }
    require(result.distances[v] == distances[v], "distance {} of vertex {}, expected {}", result.distances[v],
            called(graph, v), distances[v]);
  }
  require(result.reached == reached, "{} vertices reached, expected {}", result.reached, reached);
  require(result.eccentricity == largest, "largest distance {}, expected {}", result.eccentricity, largest);
}

template <class Vertex>
void verify_components(const csr_graph<Vertex>& graph, const component_map<Vertex>& map) {
  require(map.size() == graph.vertices(), "components of {} vertices, expected {}", map.size(), graph.vertices());
  std::vector<bool> seen(graph.vertices());
  std::vector<Vertex> queue;
  for (std::uint64_t first = 0; first < graph.vertices(); ++first) {
    if (seen[first]) continue;
    seen[first] = true;
    queue.assign(1, static_cast<Vertex>(first));
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Vertex v = queue[i];
      require(map[v] < graph.vertices(), "vertex {} is in no component", called(graph, v));
      require(map[v] == first, "vertex {} is in the component of {}, expected {}", called(graph, v),
              called(graph, map[v]), called(graph, first));
      for (const auto* rows : {&graph.out(), &graph.in()}) {
        for (const Vertex w : rows->row(v)) {
          if (!seen[w]) queue.push_back(w);
          seen[w] = true;
        }
      }
    }
  }
}

template <class Vertex>
void verify_strong_components(const csr_graph<Vertex>& graph, const component_map<Vertex>& map) {
  const std::uint64_t vertices = graph.vertices();
  require(map.size() == vertices, "components of {} vertices, expected {}", map.size(), vertices);
  struct visit {
    Vertex vertex;
    std::uint64_t next_arc;
  };
  // First search: lists vertices in the order in which they are left for good.
  std::vector<bool> seen(vertices);
  std::vector<Vertex> left;
  std::vector<visit> path;
  const auto enter = [&](std::uint64_t v) {
    seen[v] = true;
    path.push_back({static_cast<Vertex>(v), graph.out().offsets[v]});
  };
  for (std::uint64_t root = 0; root < vertices; ++root) {
    if (!seen[root]) enter(root);
    while (!path.empty()) {
      visit& top = path.back();
      if (top.next_arc == graph.out().offsets[top.vertex + std::uint64_t{1}]) {
        left.push_back(top.vertex);
        path.pop_back();
      } else if (const Vertex w = graph.out().targets[top.next_arc++]; !seen[w]) {
        enter(w);
      }
    }
  }
  // Second search: against the arcs, from the vertices that were left last.
  std::vector<Vertex> members;
  seen.assign(vertices, false);
  for (auto root = left.rbegin(); root != left.rend(); ++root) {
    if (seen[*root]) continue;
    seen[*root] = true;
    members.assign(1, *root);
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const Vertex w : graph.in().row(members[i])) {
        if (!seen[w]) members.push_back(w);
        seen[w] = true;
      }
    }
    const Vertex least = *std::min_element(members.begin(), members.end());
    for (const Vertex v : members) {
      require(map[v] < vertices, "vertex {} is in no component", called(graph, v));
      require(map[v] == least, "vertex {} is in the component of {}, expected {}", called(graph, v),
              called(graph, map[v]), called(graph, least));
    }
  }
}

template <class Vertex>
void verify_kcore(const csr_graph<Vertex>& graph, const kcore_result& result) {
  const std::uint64_t vertices = graph.vertices();
  require(result.coreness.size() == vertices, "coreness of {} vertices, expected {}", result.coreness.size(), vertices);
  // Vertices sorted by their neighbours left; the begin of each such number in this order; the place of each vertex.
  std::vector<std::uint64_t> left(vertices);
  for (std::uint64_t v = 0; v < vertices; ++v) {
    for_each_simple_neighbour(graph, v, [&](Vertex) { ++left[v]; });
  }
  std::vector<std::uint64_t> begin(vertices == 0 ? 1 : *std::max_element(left.begin(), left.end()) + 2);
  for (const std::uint64_t count : left) ++begin[count + 1];
  for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
  std::vector<Vertex> sorted(vertices);
  std::vector<Vertex> place(vertices);
  {
    auto next = begin;
    for (std::uint64_t v = 0; v < vertices; ++v) {
      place[v] = static_cast<Vertex>(next[left[v]]++);
      sorted[place[v]] = static_cast<Vertex>(v);
    }
  }
  std::uint64_t degeneracy = 0;
  std::uint64_t innermost = 0;
  for (const Vertex& v : sorted) {
    const std::uint64_t k = left[v];
    require(result.coreness[v] == k, "coreness {} of vertex {}, expected {}", result.coreness[v], called(graph, v), k);
    innermost = k == degeneracy ? innermost + 1 : 1;
    degeneracy = k;
    for_each_simple_neighbour(graph, v, [&](Vertex w) {
      if (left[w] <= k) return;
      // Swaps w with the first vertex of as many left, and moves the begin of these behind it.
      const Vertex first = sorted[begin[left[w]]];
      std::swap(sorted[place[w]], sorted[place[first]]);
      std::swap(place[w], place[first]);
      ++begin[left[w]--];
    });
  }
  require(result.degeneracy == degeneracy, "degeneracy {}, expected {}", result.degeneracy, degeneracy);
  require(result.innermost == innermost, "{} vertices in the innermost core, expected {}", result.innermost, innermost);
}

template <class Vertex>
void verify_clustering(const csr_graph<Vertex>& graph, const clustering_result& result, const run_control& control) {
  const std::uint64_t vertices = graph.vertices();
  require(result.triangles.size() == vertices && result.coefficients.size() == vertices,
          "coefficients of {} vertices, expected {}", result.coefficients.size(), vertices);
  std::vector<std::uint64_t> triangles(vertices);
  for_each_triangle(graph, control, [&triangles](auto... corner) { (..., ++triangles[corner]); });
  std::uint64_t corners = 0;
  double average = 0;
  double pairs = 0;
  for (std::uint64_t v = 0; v < vertices; ++v) {
    double degree = 0;
    for_each_simple_neighbour(graph, v, [&degree](Vertex) { ++degree; });
    require(result.triangles[v] == triangles[v], "{} triangles at vertex {}, expected {}", result.triangles[v],
            called(graph, v), triangles[v]);
    const double coefficient = degree < 2 ? 0 : 2 * static_cast<double>(triangles[v]) / (degree * (degree - 1));
    require(std::abs(result.coefficients[v] - coefficient) <= 1e-12,
            "clustering coefficient {} of vertex {}, expected {}", result.coefficients[v], called(graph, v),
            coefficient);
    corners += triangles[v];
    average += coefficient;
    pairs += degree * (degree - 1) / 2;
  }
  average = vertices == 0 ? 0 : average / static_cast<double>(vertices);
  const double transitivity = pairs == 0 ? 0 : static_cast<double>(corners) / pairs;
  require(result.total == corners / 3, "{} triangles, expected {}", result.total, corners / 3);
  require(std::abs(result.average - average) <= 1e-9, "average {}, expected {}", result.average, average);
  require(std::abs(result.transitivity - transitivity) <= 1e-12, "transitivity {}, expected {}", result.transitivity,
          transitivity);
}

template <class Vertex>
void verify_diameter(const csr_graph<Vertex>& graph, const diameter_result& result, std::uint64_t searches,
                     const run_control& control) {
  if (graph.vertices() == 0) return;
  constexpr std::uint64_t unreached = std::numeric_limits<std::uint64_t>::max();
  require(result.lower <= result.upper, "lower bound {} above the upper {}", result.lower, result.upper);
  std::vector<std::uint64_t> distances(graph.vertices());
  std::vector<Vertex> queue;
  const auto search = [&](std::uint64_t source) {
    std::fill(distances.begin(), distances.end(), unreached);
    distances[source] = 0;
    queue.assign(1, static_cast<Vertex>(source));
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const auto* rows : {&graph.out(), &graph.in()}) {
        for (const Vertex w : rows->row(queue[i])) {
          if (distances[w] != unreached) continue;
          distances[w] = distances[queue[i]] + 1;
          queue.push_back(w);
        }
      }
    }
    return distances[queue.back()];
  };
  search(result.from);
  require(distances[result.to] == result.lower, "the two vertices farthest apart, {} and {}, are {} apart, expected {}",
          called(graph, result.from), called(graph, result.to), distances[result.to], result.lower);
  require(queue.size() == result.vertices, "{} vertices, expected {}", result.vertices, queue.size());
  const std::vector<Vertex> members = queue;
  std::uint64_t largest = 0;
  const std::uint64_t checks = std::min<std::uint64_t>(members.size(), searches);
  sequential_stage checking(control, "checking", checks, "searches");
  for (std::uint64_t i = 0; i < checks; ++i) {
    checking.step();
    largest = std::max(largest, search(members[i]));
  }
  require(largest <= result.upper, "upper bound {}, expected at least {}", result.upper, largest);
  if (searches >= members.size()) {
    require(result.lower <= largest, "lower bound {}, expected at most {}", result.lower, largest);
    require(result.lower != result.upper || result.lower == largest, "diameter {}, expected {}", result.lower, largest);
  }
}

template CALLISTO_API void verify_bfs(const csr_graph<std::uint32_t>&, std::uint64_t, const bfs_result<std::uint32_t>&,
                                      std::uint32_t);
template CALLISTO_API void verify_bfs(const csr_graph<std::uint64_t>&, std::uint64_t, const bfs_result<std::uint64_t>&,
                                      std::uint32_t);

template CALLISTO_API void verify_sssp(const csr_graph<std::uint32_t>&, std::uint64_t, const sssp_result&);
template CALLISTO_API void verify_sssp(const csr_graph<std::uint64_t>&, std::uint64_t, const sssp_result&);

template CALLISTO_API void verify_components(const csr_graph<std::uint32_t>&, const component_map<std::uint32_t>&);
template CALLISTO_API void verify_components(const csr_graph<std::uint64_t>&, const component_map<std::uint64_t>&);

template CALLISTO_API void verify_strong_components(const csr_graph<std::uint32_t>&,
                                                    const component_map<std::uint32_t>&);
template CALLISTO_API void verify_strong_components(const csr_graph<std::uint64_t>&,
                                                    const component_map<std::uint64_t>&);

template CALLISTO_API void verify_kcore(const csr_graph<std::uint32_t>&, const kcore_result&);
template CALLISTO_API void verify_kcore(const csr_graph<std::uint64_t>&, const kcore_result&);

template CALLISTO_API void verify_clustering(const csr_graph<std::uint32_t>&, const clustering_result&,
                                             const run_control&);
template CALLISTO_API void verify_clustering(const csr_graph<std::uint64_t>&, const clustering_result&,
                                             const run_control&);

template CALLISTO_API void verify_diameter(const csr_graph<std::uint32_t>&, const diameter_result&, std::uint64_t,
                                           const run_control&);
template CALLISTO_API void verify_diameter(const csr_graph<std::uint64_t>&, const diameter_result&, std::uint64_t,
                                           const run_control&);

}  // namespace callisto::graph
