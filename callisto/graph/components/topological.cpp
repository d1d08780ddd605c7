// Topological order, a layer at a time.
#include <callisto/graph/components/level_queue.hpp>
#include <callisto/graph/components/topological.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns a cycle among the vertices that have arcs from vertices left: from the smallest, against the arcs, by the
/// smallest vertex left each time.
template <class Vertex>
std::vector<std::uint64_t> cycle_among(const csr_graph<Vertex>& graph, const machine::page_array<Vertex>& left) {
  std::uint64_t at = 0;
  while (left[at] == 0) ++at;
  machine::page_array<Vertex> step(graph.vertices());  // 0: not yet met
  std::vector<std::uint64_t> path;
  while (step[at] == 0) {
    path.push_back(at);
    step[at] = static_cast<Vertex>(path.size());
    const auto row = graph.in().row(at);
    at = *std::find_if(row.begin(), row.end(), [&](Vertex w) { return left[w] != 0; });
  }
  std::vector<std::uint64_t> cycle(path.rbegin(), path.rend() - static_cast<std::ptrdiff_t>(step[at] - 1));
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

}  // namespace

template <class Vertex>
topological_result<Vertex> topological_order(const csr_graph<Vertex>& graph, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  if (!graph.directed() && graph.arcs() != 0) {
    throw usage_error("the graph is undirected: a topological order is of directed graphs");
  }
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which a topological order needs");
  if (control.report != nullptr) control.report->begin("topological order", n, "vertices");
  const auto over_vertices = [&](auto f) {
    if (!parallel_for(std::uint64_t{0}, n, f, {.stop = control.stop})) throw cancelled();
  };
  machine::page_array<Vertex> left(n);  // arcs from vertices left
  over_vertices([&](std::uint64_t v) {
    if (graph.in().degree(v) > std::numeric_limits<Vertex>::max()) throw usage_error("a vertex has 2^32 arcs or more");
    left[v] = static_cast<Vertex>(graph.in().degree(v));
  });
  level_queue<Vertex> queue(n);
  for (std::uint64_t v = 0; v < n; ++v) {
    if (left[v] == 0) queue.add_first(v);
  }
  while (queue.next_level(control, [&](Vertex v, auto push) {
    for (const Vertex w : graph.out().row(v)) {
      // relaxed: the end of the level orders the counts; the thread that takes the last arc pushes w.
      if (std::atomic_ref(left[w]).fetch_sub(1, std::memory_order_relaxed) == 1) push(w);
    }
  })) {
  }
  topological_result<Vertex> result;
  if (queue.size() != n) {
    result.cycle = cycle_among(graph, left);
    return result;
  }
  result.layers = queue.levels();
  result.layer = std::move(left);
  std::vector<std::uint64_t> next;
  for (std::uint64_t layer = 0; layer < result.layers; ++layer) {
    next.push_back(queue.begin_of(layer));
    queue.over_level(layer, control, [&](Vertex v) { result.layer[v] = static_cast<Vertex>(layer); });
  }
  result.order = machine::page_array<Vertex>(n);
  for (std::uint64_t v = 0; v < n; ++v) result.order[next[result.layer[v]]++] = static_cast<Vertex>(v);
  if (control.report != nullptr) control.report->advance(n);
  return result;
}

template CALLISTO_API topological_result<std::uint32_t> topological_order(const csr_graph<std::uint32_t>&,
                                                                          const run_control&);
template CALLISTO_API topological_result<std::uint64_t> topological_order(const csr_graph<std::uint64_t>&,
                                                                          const run_control&);

std::uint64_t needs::topological_order(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  // A path has as many layers as vertices: 8 bytes each twice, in vectors that grow by doubling.
  return (4 * s.v + 32) * s.n;
}

}  // namespace callisto::graph
