// Checks of paths between two vertices, by plain searches.
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/verify/heap_distances.hpp>
#include <callisto/graph/verify/pair.hpp>
#include <callisto/graph/verify/require.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// True if two sums of the same lengths may be these, in another order.
bool same(double a, double b) { return a == b || std::abs(a - b) <= tie_tolerance * std::max(a, b); }

template <class Vertex>
double length_at(const adjacency<Vertex>& rows, std::uint64_t arc, const pair_options& options) {
  return options.weighted ? rows.weights[arc] : 1;
}

/// Returns the length of a path by the shortest arcs; requires that there are arcs, and that no vertex repeats.
template <class Vertex>
double length_of(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& vertices,
                 const pair_options& options) {
  double length = 0;
  std::set<std::uint64_t> met{vertices.front()};
  for (std::size_t i = 1; i < vertices.size(); ++i) {
    require(met.insert(vertices[i]).second, "a path meets vertex {} twice", called(graph, vertices[i]));
    const auto [first, last] = arcs_between(graph.out(), vertices[i - 1], vertices[i]);
    require(first != last, "no edge leads from {} to {}", called(graph, vertices[i - 1]), called(graph, vertices[i]));
    double least = infinity;
    for (std::uint64_t a = first; a != last; ++a) least = std::min(least, length + length_at(graph.out(), a, options));
    length = least;
  }
  return length;
}

template <class Vertex>
void require_path(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                  const pair_options& options, const pair_path& path) {
  require(!path.vertices.empty() && path.vertices.front() == source && path.vertices.back() == target,
          "a path to {} ends elsewhere", called(graph, target));
  const double length = length_of(graph, path.vertices, options);
  require(length == path.length, "a path is {} long, expected {}", path.length, length);
}

template <class Vertex>
bool before_by_label(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& a,
                     const std::vector<std::uint64_t>& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [&](std::uint64_t u, std::uint64_t v) {
    return graph.label(u) < graph.label(v);
  });
}

/// Counts shortest paths by vertices in the order of their distances; `on`: those on such paths.
template <class Vertex>
double count_paths(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                   const pair_options& options, const std::vector<double>& from, const std::vector<double>& to) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (from[v] + to[v] <= from[target] * (1 + 10 * tie_tolerance)) order.push_back(v);
  }
  std::sort(order.begin(), order.end(),
            [&](std::uint64_t u, std::uint64_t v) { return from[u] != from[v] ? from[u] < from[v] : to[u] > to[v]; });
  std::vector<double> count(graph.vertices());
  count[source] = 1;
  for (const std::uint64_t u : order) {
    std::uint64_t done = graph.vertices();
    for (std::uint64_t a = graph.out().offsets[u]; a != graph.out().offsets[u + 1]; ++a) {
      const std::uint64_t v = graph.out().targets[a];
      const double length = length_at(graph.out(), a, options);
      if (v == done || v == u || from[v] < from[u] || (from[v] == from[u] && length != 0)) continue;
      if (from[u] + length > from[v] * (1 + tie_tolerance)) continue;
      done = v;
      count[v] += count[u];
    }
  }
  return count[target];
}

/// The length of the shortest path from `begin` on, after a length of `before`, that avoids vertices and first steps;
/// infinity if it is longer than `most`.
template <class Vertex>
double plain_search(const csr_graph<Vertex>& graph, std::uint64_t begin, std::uint64_t target, double before,
                    const std::set<std::uint64_t>& removed, const std::set<std::uint64_t>& banned, double most,
                    const pair_options& options) {
  std::vector<double> distances(graph.vertices(), infinity);
  using entry = std::pair<double, std::uint64_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
  distances[begin] = before;
  waiting.emplace(before, begin);
  while (!waiting.empty()) {
    const auto [distance, v] = waiting.top();
    waiting.pop();
    if (distance > most) break;
    if (v == target) return distance;
    if (distance != distances[v]) continue;
    for (std::uint64_t a = graph.out().offsets[v]; a != graph.out().offsets[v + 1]; ++a) {
      const std::uint64_t w = graph.out().targets[a];
      if (removed.contains(w) || (v == begin && banned.contains(w))) continue;
      const double to = distance + length_at(graph.out(), a, options);
      if (!(to < distances[w])) continue;
      distances[w] = to;
      waiting.emplace(to, w);
    }
  }
  return infinity;
}

}  // namespace

template <class Vertex>
void verify_path_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                         const pair_options& options, const pair_path& path) {
  const double distance = heap_distances<Vertex>({&graph.out()}, source, options.weighted && graph.weighted())[target];
  require(path.vertices.empty() == (distance == infinity), "vertex {} is {} away, and there is {} path",
          called(graph, target), distance, path.vertices.empty() ? "no" : "a");
  if (path.vertices.empty()) return;
  require_path(graph, source, target, options, path);
  require(same(path.length, distance), "the path to {} is {} long, expected {}", called(graph, target), path.length,
          distance);
}

template <class Vertex>
void verify_all_paths_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                              std::uint64_t limit, const pair_options& options, const all_pair_paths& result) {
  const bool weighted = options.weighted && graph.weighted();
  const std::vector<double> from = heap_distances<Vertex>({&graph.out()}, source, weighted);
  const std::vector<double> to = heap_distances<Vertex>({&graph.in()}, target, weighted);
  require(same(result.length, from[target]), "vertex {} is {} away, expected {}", called(graph, target), result.length,
          from[target]);
  if (from[target] == infinity) {
    require(result.count == 0 && result.paths.empty(), "there are paths to a vertex that is not reached");
    return;
  }
  const double count = count_paths(graph, source, target, options, from, to);
  require(count == result.count || std::abs(count - result.count) <= 1e-9 * count,
          "there are {} shortest paths, expected {}", result.count, count);
  const double listed = std::min(count, static_cast<double>(limit));
  require(static_cast<double>(result.paths.size()) == listed, "{} paths are listed, expected {}", result.paths.size(),
          listed);
  for (std::size_t i = 0; i < result.paths.size(); ++i) {
    const std::vector<std::uint64_t>& path = result.paths[i];
    require(path.front() == source && path.back() == target, "a path to {} ends elsewhere", called(graph, target));
    const double length = length_of(graph, path, options);
    require(length <= from[target] * (1 + 10 * tie_tolerance * static_cast<double>(path.size())),
            "a path is {} long, and the distance is {}", length, from[target]);
    require(i == 0 || before_by_label(graph, result.paths[i - 1], path), "path {} is not in order", i + 1);
  }
}

template <class Vertex>
void verify_k_paths_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target, std::uint64_t k,
                            const pair_options& options, const std::vector<pair_path>& paths) {
  require(paths.size() <= k, "there are {} paths, expected {} at most", paths.size(), k);
  std::set<std::vector<std::uint64_t>> distinct;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    require_path(graph, source, target, options, paths[i]);
    require(distinct.insert(paths[i].vertices).second, "path {} came before", i + 1);
    require(i == 0 || paths[i - 1].length <= paths[i].length || same(paths[i - 1].length, paths[i].length),
            "path {} is shorter than the one before", i + 1);
  }
  if (paths.empty()) {
    return require(k == 0 || heap_distances<Vertex>({&graph.out()}, source,
                                                    options.weighted && graph.weighted())[target] == infinity,
                   "no path was found to vertex {}, which is reached", called(graph, target));
  }
  verify_path_between(graph, source, target, options, paths.front());
  if (source == target) return;
  // A path that is missing parts from the found ones somewhere: it shares the first vertices of one, and then goes on
  // to a vertex to which no found path with these first vertices goes on.
  const double most = paths.size() < k ? std::numeric_limits<double>::max() : paths.back().length * (1 - tie_tolerance);
  std::set<std::vector<std::uint64_t>> searched;
  for (const pair_path& path : paths) {
    std::vector<std::uint64_t> begin;
    std::set<std::uint64_t> removed;
    for (std::size_t spur = 0; spur + 1 < path.vertices.size(); ++spur) {
      begin.push_back(path.vertices[spur]);
      removed.insert(path.vertices[spur]);
      if (!searched.insert(begin).second) continue;
      std::set<std::uint64_t> banned;
      for (const pair_path& other : paths) {
        if (other.vertices.size() > spur + 1 && std::equal(begin.begin(), begin.end(), other.vertices.begin())) {
          banned.insert(other.vertices[spur + 1]);
        }
      }
      const double length =
          plain_search(graph, begin.back(), target, length_of(graph, begin, options), removed, banned, most, options);
      require(length >= most, "a path of {} is missing, which parts from the others behind vertex {}", length,
              called(graph, begin.back()));
    }
  }
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                              \
  template CALLISTO_API void verify_path_between(const csr_graph<Vertex>&, std::uint64_t, std::uint64_t,          \
                                                 const pair_options&, const pair_path&);                          \
  template CALLISTO_API void verify_all_paths_between(const csr_graph<Vertex>&, std::uint64_t, std::uint64_t,     \
                                                      std::uint64_t, const pair_options&, const all_pair_paths&); \
  template CALLISTO_API void verify_k_paths_between(const csr_graph<Vertex>&, std::uint64_t, std::uint64_t,       \
                                                    std::uint64_t, const pair_options&,                           \
                                                    const std::vector<pair_path>&);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

}  // namespace callisto::graph
