// Parents of shortest paths, and searches that end at targets.
#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/graph/sssp/paths_among.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Share of the arcs that one thread looks at before all threads search.
constexpr std::uint64_t arcs_before_all_threads = 128;

/// Some of the vertices.
struct vertex_range {
  std::uint64_t first;
  std::uint64_t last;
};

/// Gives each vertex of the range its smallest tight predecessor that is nearer. Returns whether a reached vertex has
/// none.
template <class Vertex, class Weight>
bool take_nearer_parents(const csr_graph<Vertex>& graph, std::span<const Weight> weights, std::uint64_t source,
                         const distance_map& distances, vertex_range of, parent_map<Vertex>& parents,
                         const run_control& control) {
  const adjacency<Vertex>& in = graph.in();
  std::atomic<bool> some_without{false};
  const auto choose = [&](std::uint64_t v) {
    parents[v] = no_parent<Vertex>;
    const double distance = distances[v];
    if (distance == distance_map::unreached) return;
    if (v == source) {
      parents[v] = static_cast<Vertex>(v);
      return;
    }
    for (std::uint64_t a = in.offsets[v]; a != in.offsets[v + 1]; ++a) {
      const Vertex u = in.targets[a];
      const double before = distances[u];
      if (before < distance && before + weights[a] == distance) {
        parents[v] = u;
        return;
      }
    }
    // relaxed: read behind the loop, which orders it.
    some_without.store(true, std::memory_order_relaxed);
  };
  if (!parallel_for(of.first, of.last, choose, {.stop = control.stop})) throw cancelled();
  return some_without.load(std::memory_order_relaxed);
}

/// Gives parents to reached vertices without one, breadth-first over tight arcs from vertices that have one.
template <class Vertex, class Weight>
void follow_tight_arcs(const csr_graph<Vertex>& graph, std::span<const Weight> weights, const distance_map& distances,
                       parent_map<Vertex>& parents, const run_control& control) {
  const adjacency<Vertex>& out = graph.out();
  std::vector<Vertex> queue;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (parents[v] != no_parent<Vertex>) queue.push_back(static_cast<Vertex>(v));
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (i % 65536 == 0) control.check();
    const Vertex u = queue[i];
    for (std::uint64_t a = out.offsets[u]; a != out.offsets[u + std::uint64_t{1}]; ++a) {
      const Vertex v = out.targets[a];
      if (parents[v] != no_parent<Vertex> || distances[u] + weights[a] != distances[v]) continue;
      parents[v] = u;
      queue.push_back(v);
    }
  }
}

template <class Vertex>
bool take_nearer_parents(const csr_graph<Vertex>& graph, std::uint64_t source, const distance_map& distances,
                         vertex_range of, parent_map<Vertex>& parents, const run_control& control) {
  return graph.in().weights.visit(
      [&](auto weights) { return take_nearer_parents(graph, weights, source, distances, of, parents, control); });
}

template <class Vertex>
void follow_tight_arcs(const csr_graph<Vertex>& graph, const distance_map& distances, parent_map<Vertex>& parents,
                       const run_control& control) {
  graph.out().weights.visit([&](auto weights) { follow_tight_arcs(graph, weights, distances, parents, control); });
}

/// An arc that a shortest path may end with.
template <class Vertex>
struct tight_arc {
  Vertex from;
  Vertex to;
};

/// Returns the tight arcs to vertices of the range that are reached and have no parent.
template <class Vertex>
std::vector<tight_arc<Vertex>> tight_arcs_without_parent(const csr_graph<Vertex>& graph, const distance_map& distances,
                                                         vertex_range of, const parent_map<Vertex>& parents) {
  const adjacency<Vertex>& in = graph.in();
  std::vector<tight_arc<Vertex>> found;
  for (std::uint64_t v = of.first; v != of.last; ++v) {
    if (parents[v] != no_parent<Vertex> || distances[v] == distance_map::unreached) continue;
    for (std::uint64_t a = in.offsets[v]; a != in.offsets[v + 1]; ++a) {
      const Vertex u = in.targets[a];
      if (distances[u] + in.weights[a] == distances[v]) found.push_back({u, static_cast<Vertex>(v)});
    }
  }
  return found;
}

/// Does what the other function of this name does, with all arcs that it would follow.
template <class Vertex>
void follow_tight_arcs(std::vector<tight_arc<Vertex>> arcs, parent_map<Vertex>& parents) {
  std::sort(arcs.begin(), arcs.end(),
            [](const auto& a, const auto& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  std::vector<Vertex> queue;
  for (const tight_arc<Vertex>& arc : arcs) {
    if (parents[arc.from] != no_parent<Vertex> && (queue.empty() || queue.back() != arc.from))
      queue.push_back(arc.from);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto first = std::partition_point(arcs.begin(), arcs.end(), [&](const auto& a) { return a.from < queue[i]; });
    for (auto arc = first; arc != arcs.end() && arc->from == queue[i]; ++arc) {
      if (parents[arc->to] != no_parent<Vertex>) continue;
      parents[arc->to] = arc->from;
      queue.push_back(arc->to);
    }
  }
}

template <class Vertex>
void refuse_without_in(const csr_graph<Vertex>& graph) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which parents of paths need");
}

struct place {
  double distance;
  std::uint64_t parent;
  bool settled;
};

/// Dijkstra's algorithm until all targets are settled; nothing if it has looked at more than `few` arcs before.
template <class Vertex, class Weight>
std::optional<target_paths> search_for(const csr_graph<Vertex>& graph, std::span<const Weight> weights,
                                       std::uint64_t source, std::span<const std::uint64_t> targets,
                                       std::uint64_t few) {
  const adjacency<Vertex>& out = graph.out();
  std::unordered_map<std::uint64_t, place> met{{source, {0, source, false}}};
  std::unordered_set<std::uint64_t> missing(targets.begin(), targets.end());
  using waiting_entry = std::pair<double, std::uint64_t>;
  std::priority_queue<waiting_entry, std::vector<waiting_entry>, std::greater<>> waiting;
  waiting.emplace(0, source);
  target_paths result;
  while (!waiting.empty() && !missing.empty()) {
    const auto [distance, v] = waiting.top();
    waiting.pop();
    place& here = met.find(v)->second;
    if (here.settled) continue;
    here.settled = true;
    missing.erase(v);
    result.relaxations += out.degree(v);
    if (result.relaxations > few) return std::nullopt;
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      const double to = distance + weights[a];
      if (to == sssp_result::unreached) return std::nullopt;
      const Vertex w = out.targets[a];
      const auto [at, is_new] = met.try_emplace(w, place{to, v, false});
      if (!is_new && !(to < at->second.distance)) continue;
      at->second.distance = to;
      at->second.parent = v;
      waiting.emplace(to, w);
    }
  }
  result.early = !waiting.empty();
  for (const std::uint64_t target : targets) {
    target_path& path = result.paths.emplace_back();
    auto at = met.find(target);
    if (at == met.end()) continue;
    path.distance = at->second.distance;
    for (std::uint64_t v = target; path.vertices.push_back(v), v != source;) v = met.find(v)->second.parent;
    std::reverse(path.vertices.begin(), path.vertices.end());
  }
  return result;
}

}  // namespace

template <class Vertex>
parent_map<Vertex> shortest_path_parents(const csr_graph<Vertex>& graph, std::uint64_t source,
                                         const distance_map& distances, const run_control& control) {
  refuse_without_in(graph);
  parent_map<Vertex> parents(graph.vertices());
  const bool negative = graph.weighted() && survey_of(graph, control).wrong;
  bool some_without = true;
  if (negative) {
    std::fill(parents.begin(), parents.end(), no_parent<Vertex>);
    if (source < graph.vertices()) parents[source] = static_cast<Vertex>(source);
  } else {
    some_without = take_nearer_parents(graph, source, distances, {0, graph.vertices()}, parents, control);
  }
  if (some_without) follow_tight_arcs(graph, distances, parents, control);
  return parents;
}

template <class Vertex>
parent_map<Vertex> shortest_path_parents_among(const csr_graph<Vertex>& graph, std::uint64_t source,
                                               const distance_map& distances, const shared_control& control) {
  refuse_without_in(graph);
  partners& among = *control.among;
  parent_map<Vertex> parents(graph.vertices());
  const bool mine = take_nearer_parents(graph, source, distances, {among.first(), among.last()}, parents, control);
  const bool some_without = among.sum(std::uint64_t{mine}) != 0;
  among.collect(parents.data(), among.bounds());
  if (!some_without) return parents;
  const auto own = tight_arcs_without_parent(graph, distances, {among.first(), among.last()}, parents);
  std::vector<std::uint64_t> counts(among.count());
  counts.front() = own.size();
  auto all = among.exchange(own, counts);
  if (among.tells()) follow_tight_arcs(std::move(all), parents);
  return parents;
}

template <class Vertex>
std::optional<target_paths> paths_nearby(const csr_graph<Vertex>& graph, std::uint64_t source,
                                         std::span<const std::uint64_t> targets) {
  const std::uint64_t few = graph.arcs() / arcs_before_all_threads + 1024;
  return graph.out().weights.visit([&](auto weights) { return search_for(graph, weights, source, targets, few); });
}

template <class Vertex>
target_paths paths_to(const csr_graph<Vertex>& graph, std::uint64_t source, std::span<const std::uint64_t> targets,
                      const sssp_options& options, const run_control& control) {
  if (!graph.weighted() && graph.arcs() != 0) throw usage_error("the graph has no weights, which distances need");
  for (const std::uint64_t v : targets) {
    if (v >= graph.vertices()) {
      throw usage_error(fmt::format("a target is vertex {} of a graph that has {}", v, graph.vertices()));
    }
  }
  if (source >= graph.vertices()) {
    throw usage_error(fmt::format("the source is vertex {} of a graph that has {}", source, graph.vertices()));
  }
  survey_weights(graph, "shortest paths", control);
  auto found = paths_nearby(graph, source, targets);
  if (found) return std::move(*found);
  const sssp_result all = sssp(graph, source, options, control);
  const parent_map<Vertex> parents = shortest_path_parents(graph, source, all.distances, control);
  target_paths result;
  result.relaxations = all.relaxations;
  for (const std::uint64_t v : targets) result.paths.push_back({all.distances[v], path_along(parents, v)});
  return result;
}

template <class Vertex>
std::vector<std::uint64_t> path_along(const parent_map<Vertex>& parents, std::uint64_t target) {
  std::vector<std::uint64_t> path;
  if (parents[target] == no_parent<Vertex>) return path;
  for (std::uint64_t v = target; path.push_back(v), parents[v] != v;) v = parents[v];
  std::reverse(path.begin(), path.end());
  return path;
}

template <class Vertex>
double length_behind(const csr_graph<Vertex>& graph, double before, std::uint64_t u, std::uint64_t v) {
  double least = sssp_result::unreached;
  const auto [first, last] = arcs_between(graph.out(), u, v);
  for (std::uint64_t a = first; a != last; ++a) least = std::min(least, before + graph.out().weights[a]);
  return least;
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                                   \
  template CALLISTO_API parent_map<Vertex> shortest_path_parents(const csr_graph<Vertex>&, std::uint64_t,              \
                                                                 const distance_map&, const run_control&);             \
  template CALLISTO_API parent_map<Vertex> shortest_path_parents_among(const csr_graph<Vertex>&, std::uint64_t,        \
                                                                       const distance_map&, const shared_control&);    \
  template CALLISTO_API std::optional<target_paths> paths_nearby(const csr_graph<Vertex>&, std::uint64_t,              \
                                                                 std::span<const std::uint64_t>);                      \
  template CALLISTO_API target_paths paths_to(const csr_graph<Vertex>&, std::uint64_t, std::span<const std::uint64_t>, \
                                              const sssp_options&, const run_control&);                                \
  template CALLISTO_API std::vector<std::uint64_t> path_along(const parent_map<Vertex>&, std::uint64_t);               \
  template CALLISTO_API double length_behind(const csr_graph<Vertex>&, double, std::uint64_t, std::uint64_t);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

std::uint64_t needs::shortest_path_parents(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return 3 * s.v * s.n;  // a growing queue takes up to twice its length
}

}  // namespace callisto::graph
