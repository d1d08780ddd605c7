// Strongly connected components: trimming and forward-backward search with parallel loops, then Tarjan's algorithm.
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/components/scc.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

template <class Vertex>
class strong_search {
 public:
  static constexpr Vertex none = std::numeric_limits<Vertex>::max();

  strong_search(const csr_graph<Vertex>& graph, const run_control& control)
      : graph_(graph), control_(control), map_(graph.vertices()), left_(graph.vertices()) {}

  component_map<Vertex> run() {
    if (control_.report != nullptr)
      control_.report->begin("strongly connected components", graph_.vertices(), "vertices");
    parallel_for(std::uint64_t{0}, graph_.vertices(), [&](std::uint64_t v) { map_[v] = none; });
    // A round looks at all vertices, so it pays only if it trims a good part of them.
    while (trim() > graph_.vertices() / 16) {
    }
    if (left_ != 0) forward_backward();
    if (left_ != 0) tarjan();
    if (control_.report != nullptr) control_.report->advance(graph_.vertices());
    return std::move(map_);
  }

 private:
  // relaxed: marks are only ever set; a thread that misses one keeps a neighbour for a round longer.
  bool gone(std::uint64_t v) const noexcept { return std::atomic_ref(map_[v]).load(std::memory_order_relaxed) != none; }

  bool hangs_on(const adjacency<Vertex>& rows, std::uint64_t v) const noexcept {
    for (const Vertex w : rows.row(v)) {
      if (w != v && !gone(w)) return true;
    }
    return false;
  }

  /// Makes components of the vertices left that no other vertex leads to, or that lead to no other vertex. Returns how
  /// many.
  std::uint64_t trim() {
    const std::uint64_t trimmed = parallel_reduce(
        std::uint64_t{0}, graph_.vertices(), std::uint64_t{0},
        [&](std::uint64_t first, std::uint64_t last, std::uint64_t count) {
          for (std::uint64_t v = first; v < last; ++v) {
            if (gone(v) || (hangs_on(graph_.out(), v) && hangs_on(graph_.in(), v))) continue;
            std::atomic_ref(map_[v]).store(static_cast<Vertex>(v), std::memory_order_relaxed);
            ++count;
          }
          return count;
        },
        std::plus<>{}, loop_options{.stop = control_.stop});
    check();
    left_ -= trimmed;
    return trimmed;
  }

  /// Finds the component of the vertex with the largest product of degrees, most likely a large one.
  void forward_backward() {
    using weight_and_vertex = std::pair<double, std::uint64_t>;
    const std::uint64_t pivot = parallel_reduce(
                                    std::uint64_t{0}, graph_.vertices(), weight_and_vertex{-1, 0},
                                    [&](std::uint64_t first, std::uint64_t last, weight_and_vertex best) {
                                      for (std::uint64_t v = first; v < last; ++v) {
                                        if (map_[v] != none) continue;
                                        const double weight = static_cast<double>(graph_.out().degree(v)) *
                                                              static_cast<double>(graph_.in().degree(v));
                                        if (weight > best.first) best = {weight, v};
                                      }
                                      return best;
                                    },
                                    [](weight_and_vertex a, weight_and_vertex b) { return std::max(a, b); })
                                    .second;
    const bfs_options parents_only{.distances = false};
    const run_control quietly{.report = nullptr, .stop = control_.stop};
    const auto forward = bfs(graph_, pivot, parents_only, quietly).parents;
    const auto backward = backward_bfs(graph_, pivot, parents_only, quietly).parents;
    const auto in_both = [&](std::uint64_t v) { return forward[v] != none && backward[v] != none; };
    std::uint64_t least = 0;
    while (!in_both(least)) ++least;
    left_ -= parallel_reduce(std::uint64_t{0}, graph_.vertices(), std::uint64_t{0}, [&](std::uint64_t v) {
      if (in_both(v)) map_[v] = static_cast<Vertex>(least);
      return std::uint64_t{in_both(v)};
    });
  }

  /// Does the rest by Tarjan's algorithm, with a stack on the heap: a path can be as long as the graph.
  void tarjan() {
    struct visit {
      Vertex vertex;
      std::uint64_t next_arc;
    };
    // By vertex: the lowest number it reaches, in order of discovery from 1; 0: not discovered.
    machine::page_array<Vertex> lowest(graph_.vertices());
    std::vector<visit> path;
    std::vector<Vertex> open;  // discovered, and in no component yet
    const adjacency<Vertex>& out = graph_.out();
    Vertex discovered = 0;
    std::vector<Vertex> numbers;  // of the vertices of `path`
    const auto discover = [&](Vertex v) {
      lowest[v] = ++discovered;
      numbers.push_back(discovered);
      path.push_back({v, out.offsets[v]});
      open.push_back(v);
      if (discovered % 65536 == 0) check();
    };
    for (std::uint64_t root = 0; root < graph_.vertices(); ++root) {
      if (map_[root] != none) continue;
      discover(static_cast<Vertex>(root));
      while (!path.empty()) {
        auto& [v, next] = path.back();
        if (next != out.offsets[v + std::uint64_t{1}]) {
          const Vertex w = out.targets[next++];
          if (map_[w] != none) continue;
          if (lowest[w] == 0) {
            discover(w);
          } else {
            lowest[v] = std::min(lowest[v], lowest[w]);
          }
          continue;
        }
        const Vertex done = v;
        const Vertex number = numbers.back();
        path.pop_back();
        numbers.pop_back();
        if (!path.empty()) lowest[path.back().vertex] = std::min(lowest[path.back().vertex], lowest[done]);
        if (lowest[done] == number) close(open, done);
      }
    }
  }

  /// Makes a component of the open vertices from `first` on.
  void close(std::vector<Vertex>& open, Vertex first) {
    auto begin = open.end();
    Vertex least = first;
    do least = std::min(least, *--begin);
    while (*begin != first);
    for (auto v = begin; v != open.end(); ++v) map_[*v] = least;
    open.erase(begin, open.end());
  }

  void check() const { control_.check(); }

  const csr_graph<Vertex>& graph_;
  const run_control& control_;
  mutable component_map<Vertex> map_;  ///< none: component not yet known
  std::uint64_t left_;                 ///< vertices of unknown component
};

}  // namespace

template <class Vertex>
component_map<Vertex> strong_components(const csr_graph<Vertex>& graph, const run_control& control) {
  if (!graph.directed()) return components(graph, control);
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which components need");
  return strong_search<Vertex>(graph, control).run();
}

template CALLISTO_API component_map<std::uint32_t> strong_components(const csr_graph<std::uint32_t>&,
                                                                     const run_control&);
template CALLISTO_API component_map<std::uint64_t> strong_components(const csr_graph<std::uint64_t>&,
                                                                     const run_control&);

std::uint64_t needs::strong_components(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return (4 * s.v + 17 + 8) * s.n;
}

}  // namespace callisto::graph
