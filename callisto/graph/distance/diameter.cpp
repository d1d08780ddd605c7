// iFUB: the diameter by few searches.
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/distance/diameter.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

template <class Vertex>
class sweeps {
 public:
  sweeps(const csr_graph<Vertex>& graph, const run_control& control) : graph_(graph), control_(control) {}

  diameter_result result;

  /// Searches from v and updates the lower bound. Returns the vertex farthest from v, of several the smallest.
  std::uint64_t sweep(std::uint64_t v) {
    tree_ = {};  // frees memory for the next tree
    tree_ = undirected_bfs(graph_, v, {}, {.report = nullptr, .stop = control_.stop});
    ++result.searches;
    if (control_.report != nullptr) control_.report->advance(1);
    const auto* const at = std::find(tree_.distances.begin(), tree_.distances.end(), tree_.eccentricity);
    const auto farthest = static_cast<std::uint64_t>(at - tree_.distances.begin());
    if (tree_.eccentricity > result.lower) {
      result.lower = tree_.eccentricity;
      result.from = v;
      result.to = farthest;
    }
    return farthest;
  }

  /// Returns the vertex half-way from `v` to the source of the last sweep(). Walks along smallest neighbours: the
  /// parents of the search depend on the order of threads.
  std::uint64_t midway(std::uint64_t v) const {
    for (std::uint32_t steps = tree_.distances[v] / 2; steps != 0; --steps) v = nearer(v);
    return v;
  }

  const bfs_result<Vertex>& tree() const noexcept { return tree_; }
  bfs_result<Vertex> take_tree() { return std::move(tree_); }

 private:
  std::uint64_t nearer(std::uint64_t v) const {
    for (const auto* rows : {&graph_.out(), &graph_.in()}) {
      for (const Vertex w : rows->row(v)) {
        if (tree_.distances[w] + 1 == tree_.distances[v]) return w;
      }
    }
    return v;
  }

  const csr_graph<Vertex>& graph_;
  const run_control& control_;
  bfs_result<Vertex> tree_;
};

template <class Vertex>
std::uint64_t degree_of(const csr_graph<Vertex>& graph, std::uint64_t v) {
  return graph.out().degree(v) + (graph.directed() ? graph.in().degree(v) : 0);
}

}  // namespace

template <class Vertex>
diameter_result diameter(const csr_graph<Vertex>& graph, const diameter_options& options, const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which the diameter needs");
  if (graph.vertices() == 0) return {};
  sweeps<Vertex> search(graph, control);
  diameter_result& result = search.result;
  std::uint64_t hub = 0;
  {
    const component_map<Vertex> map = components(graph, {.report = nullptr, .stop = control.stop});
    const auto largest = component_sizes(map, control).front();
    result.vertices = largest.second;
    hub = largest.first;
    for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
      if (map[v] == largest.first && degree_of(graph, v) > degree_of(graph, hub)) hub = v;
    }
  }
  result.from = result.to = hub;
  if (result.vertices == 1) return result;

  if (control.report != nullptr) control.report->begin("searches for the diameter", 0, "searches");
  std::uint64_t middle = hub;
  for (int pair = 0; pair < 2; ++pair) {
    const std::uint64_t a = search.sweep(middle);
    const std::uint64_t b = search.sweep(a);
    middle = search.midway(b);
  }
  search.sweep(middle);
  const bfs_result<Vertex> tree = search.take_tree();
  // The vertices of the component except the middle, farthest first.
  std::vector<Vertex> order;
  order.reserve(result.vertices);
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (v != middle && tree.distances[v] != tree.unreached) order.push_back(static_cast<Vertex>(v));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Vertex a, Vertex b) { return tree.distances[a] > tree.distances[b]; });
  // Vertices not yet searched from are no farther from the middle than v; so two of them are at most twice as far
  // apart.
  for (const Vertex v : order) {
    result.upper = std::max(result.lower, 2 * tree.distances[v]);
    if (result.upper == result.lower || result.searches >= options.searches) return result;
    search.sweep(v);
  }
  result.upper = result.lower;
  return result;
}

template CALLISTO_API diameter_result diameter(const csr_graph<std::uint32_t>&, const diameter_options&,
                                               const run_control&);
template CALLISTO_API diameter_result diameter(const csr_graph<std::uint64_t>&, const diameter_options&,
                                               const run_control&);

std::uint64_t needs::diameter(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t map_of_components = s.v * s.n + bfs(graph);
  return map_of_components + bfs(graph) + 2 * s.v * s.n;
}

}  // namespace callisto::graph
