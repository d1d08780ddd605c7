// Connected components: sampling and finishing, with parallel loops on the forest of disjoint_forest.hpp.
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/disjoint_forest.hpp>
#include <callisto/graph/components/limits.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <utility>

namespace callisto::graph {
namespace {

/// Calls f(first, last) for all vertices, in parallel. Throws cancelled.
template <class Function>
void over_vertices(std::uint64_t vertices, const run_control& control, Function f,
                   std::source_location where = std::source_location::current()) {
  if (!parallel_for(std::uint64_t{0}, vertices, f, {.stop = control.stop}, where)) throw cancelled();
}

/// The vertex of an undirected graph with the most arcs; the smallest, if there are several.
struct hub {
  std::uint64_t vertex = 0;
  std::uint64_t degree = 0;
  std::uint64_t connected = 0;  ///< vertices of the graph that have arcs
};

template <class Vertex>
hub find_hub(const csr_graph<Vertex>& graph, const run_control& control) {
  const auto look = [&](std::uint64_t first, std::uint64_t last, hub best) {
    for (std::uint64_t v = first; v < last; ++v) {
      const std::uint64_t degree = graph.out().degree(v);
      best.connected += degree != 0 ? 1 : 0;
      if (degree > best.degree || (degree == best.degree && v < best.vertex)) {
        best.vertex = v;
        best.degree = degree;
      }
    }
    return best;
  };
  const auto better = [](hub a, const hub& b) {
    const std::uint64_t connected = a.connected + b.connected;
    if (b.degree > a.degree || (b.degree == a.degree && b.vertex < a.vertex)) a = b;
    a.connected = connected;
    return a;
  };
  return parallel_reduce(std::uint64_t{0}, graph.vertices(), hub{}, look, better, loop_options{.stop = control.stop});
}

/// The most frequent root of 1024 vertices drawn at random, and how many of them hang from it.
constexpr std::size_t samples = 1024;
struct sampled_root {
  std::uint64_t vertex = 0;
  std::size_t hanging = 0;
};

template <class Vertex>
sampled_root frequent_root(const component_map<Vertex>& map) {
  const counter_random random(1);
  std::array<std::uint64_t, samples> roots;
  for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = map[below(random(i), map.size())];
  std::sort(roots.begin(), roots.end());
  sampled_root frequent;
  for (std::size_t i = 0; i < roots.size();) {
    const std::size_t begin = i;
    while (i < roots.size() && roots[i] == roots[begin]) ++i;
    if (i - begin > frequent.hanging) frequent = {roots[begin], i - begin};
  }
  return frequent;
}

/// Returns the first parent of v: its smallest neighbour if that is smaller than v, otherwise v.
template <class Vertex>
Vertex first_parent(const csr_graph<Vertex>& graph, std::uint64_t v) noexcept {
  auto parent = static_cast<Vertex>(v);
  if (const auto row = graph.out().row(v); !row.empty()) parent = std::min(parent, row.front());
  if (!graph.directed()) return parent;
  if (const auto row = graph.in().row(v); !row.empty()) parent = std::min(parent, row.front());
  return parent;
}

/// Turns the parents of a search into a forest: reached vertices hang from the smallest reached one, all other vertices
/// from their first parents. Returns the smallest reached vertex.
template <class Vertex>
std::uint64_t plant(const csr_graph<Vertex>& graph, component_map<Vertex>& map, const run_control& control) {
  constexpr Vertex unreached = bfs_result<Vertex>::no_parent;
  std::uint64_t least = 0;
  while (map[least] == unreached) ++least;
  over_vertices(graph.vertices(), control, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      map[v] = map[v] != unreached ? static_cast<Vertex>(least) : first_parent(graph, v);
    }
  });
  return least;
}

}  // namespace

template <class Vertex>
component_map<Vertex> components(const csr_graph<Vertex>& graph, const run_control& control) {
  const std::uint64_t vertices = graph.vertices();
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which components need");
  if (vertices == 0) return {};
  component_map<Vertex> map;
  std::uint64_t known = 0;  // root of a component: its vertices need not look at their arcs
  bool spans = false;
  if (!graph.directed()) {
    if (const hub most = find_hub(graph, control);
        most.degree != 0 && most.degree >= most.connected / component_limits::hub_share) {
      // A search that needs more levels is no cheap sample.
      const auto levels = static_cast<std::uint32_t>(2 * std::bit_width(vertices));
      bfs_result<Vertex> sample =
          bfs(graph, most.vertex, {.distances = false, .depth = levels}, {.report = nullptr, .stop = control.stop});
      spans = sample.eccentricity < levels && sample.arcs >= graph.arcs() / 2;
      map = std::move(sample.parents);
      known = plant(graph, map, control);
    }
  }
  if (control.report != nullptr) control.report->begin("joining components", vertices, "vertices");
  if (map.empty()) {
    map = component_map<Vertex>(vertices, machine::page_kind::used);
    over_vertices(vertices, control, [&](std::uint64_t first, std::uint64_t last) {
      const adjacency<Vertex>& rows = graph.out();
      for (std::uint64_t v = first; v < last; ++v) {
        __builtin_prefetch(rows.targets.data() + rows.offsets[std::min(v + component_limits::soon, vertices)]);
        map[v] = first_parent(graph, v);
      }
    });
  }
  const forest_words<Vertex> forest{map.data()};
  const auto compress_all = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      __builtin_prefetch(map.data() + forest.load(std::min(v + component_limits::soon, vertices - 1)));
      compress(forest, v);
    }
  };
  if (!spans) {
    // First parents make chains as long as a grid is wide, along which each join would walk.
    over_vertices(vertices, control, compress_all);
    sampled_root most = frequent_root(map);
    // Joins largest neighbours, which are far away: on web graphs small ones are often pages of the same site, joined
    // already. Skipped if finishing reads few arcs in any case, as on grids.
    if ((samples - most.hanging) * graph.arcs() >= samples * vertices) {
      over_vertices(vertices, control, [&](std::uint64_t first, std::uint64_t last) {
        const adjacency<Vertex>& rows = graph.out();
        const Vertex* const targets = rows.targets.data();
        for (std::uint64_t v = first; v < last; ++v) {
          // The entry before a row's end is its last one; if the row is empty, another row's, which does no harm.
          if (const std::uint64_t end = rows.offsets[std::min(v + 2 * component_limits::soon, vertices)]; end != 0)
            __builtin_prefetch(targets + end - 1);
          if (const std::uint64_t end = rows.offsets[std::min(v + component_limits::soon, vertices)]; end != 0)
            __builtin_prefetch(map.data() + targets[end - 1]);
          if (const auto row = rows.row(v); !row.empty()) join(forest, v, row.back());
        }
      });
      over_vertices(vertices, control, compress_all);
      most = frequent_root(map);
    }
    known = most.vertex;
  }
  over_vertices(vertices, control, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      if (forest.load(v) == known) continue;
      for (const Vertex w : graph.out().row(v)) join(forest, v, w);
      if (!graph.directed()) continue;
      for (const Vertex w : graph.in().row(v)) join(forest, v, w);
    }
    if (control.report != nullptr) control.report->advance(last - first);
  });
  over_vertices(vertices, control, compress_all);
  return map;
}

template <class Vertex>
std::vector<std::pair<std::uint64_t, std::uint64_t>> component_sizes(const component_map<Vertex>& map,
                                                                     const run_control& control) {
  machine::page_array<std::uint64_t> sizes(map.size());
  over_vertices(map.size(), control, [&](std::uint64_t first, std::uint64_t last) {
    // Neighbouring vertices are often of the same component: count them together.
    for (std::uint64_t v = first; v < last;) {
      const std::uint64_t begin = v;
      while (v < last && map[v] == map[begin]) ++v;
      // relaxed: a sum; the loop's end orders it.
      std::atomic_ref(sizes[map[begin]]).fetch_add(v - begin, std::memory_order_relaxed);
    }
  });
  std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
  for (std::uint64_t v = 0; v < sizes.size(); ++v) {
    if (sizes[v] != 0) result.emplace_back(v, sizes[v]);
  }
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return a.second > b.second || (a.second == b.second && a.first < b.first);
  });
  return result;
}

template CALLISTO_API component_map<std::uint32_t> components(const csr_graph<std::uint32_t>&, const run_control&);
template CALLISTO_API component_map<std::uint64_t> components(const csr_graph<std::uint64_t>&, const run_control&);
template CALLISTO_API std::vector<std::pair<std::uint64_t, std::uint64_t>> component_sizes(
    const component_map<std::uint32_t>&, const run_control&);
template CALLISTO_API std::vector<std::pair<std::uint64_t, std::uint64_t>> component_sizes(
    const component_map<std::uint64_t>&, const run_control&);

std::uint64_t needs::components(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return s.v * s.n + bfs(graph) + 8 * s.n;
}

}  // namespace callisto::graph
