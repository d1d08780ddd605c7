// Earliest-arrival paths, by a heap.
#include <callisto/graph/pair/temporal.hpp>

#include <callisto/graph/attributes/edge_numbers.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace callisto::graph {

template <class Vertex>
machine::page_array<std::uint64_t> edges_of_arcs(const csr_graph<Vertex>& graph) {
  machine::page_array<std::uint64_t> number(graph.arcs());
  const edge_numbers<Vertex> numbers(graph);
  const auto& offsets = graph.out().offsets;
  // Rows ascend: what leads to smaller vertices stands first, and comes in the order of these.
  std::vector<std::uint64_t> next(graph.vertices());
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) next[v] = offsets[v];
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    const std::uint64_t begin = numbers.begin(v);
    for (std::uint64_t a = begin; a < offsets[v + 1]; ++a) {
      const std::uint64_t e = numbers.first(v) + (a - begin);
      number[a] = e;
      const std::uint64_t w = graph.out().targets[a];
      if (!graph.directed() && w != v) number[next[w]++] = e;
    }
  }
  return number;
}

template <class Vertex>
std::vector<std::uint64_t> temporal_result<Vertex>::path_to(std::uint64_t target) const {
  if (std::isinf(arrival[target]) && arrival[target] > 0) return {};
  std::vector<std::uint64_t> path{target};
  while (before[path.back()] != path.back()) path.push_back(before[path.back()]);
  std::reverse(path.begin(), path.end());
  return path;
}

template <class Vertex>
temporal_result<Vertex> earliest_arrival(const csr_graph<Vertex>& graph, std::uint64_t source,
                                         std::span<const double> times, std::span<const double> durations,
                                         const temporal_options& options, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  if (source >= n) throw usage_error("the source is no vertex");
  const std::uint64_t edges = edge_numbers<Vertex>(graph).size();
  if (times.size() != edges || (!durations.empty() && durations.size() != edges)) {
    throw usage_error("expected a time, and a duration if there are some, of each edge");
  }
  for (const double d : durations) {
    if (d < 0) throw usage_error("a duration is negative");
  }
  constexpr double never = std::numeric_limits<double>::infinity();
  temporal_result<Vertex> result;
  result.arrival = machine::page_array<double>(n);
  result.contacts = machine::page_array<std::uint64_t>(n);
  result.before = machine::page_array<Vertex>(n);
  for (std::uint64_t v = 0; v < n; ++v) {
    result.arrival[v] = never;
    result.before[v] = static_cast<Vertex>(v);
  }
  const machine::page_array<std::uint64_t> number = edges_of_arcs(graph);
  sequential_stage stage(control, "earliest arrival", n, "vertices");
  // Arrival, edges so far, the vertex before, the vertex.
  using entry = std::tuple<double, std::uint64_t, std::uint64_t, std::uint64_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
  std::vector<bool> settled(n);
  queue.emplace(options.from, 0, source, source);
  while (!queue.empty()) {
    const auto [now, contacts, before, v] = queue.top();
    queue.pop();
    if (settled[v]) continue;
    settled[v] = true;
    ++result.reached;
    result.arrival[v] = now;
    result.contacts[v] = contacts;
    result.before[v] = static_cast<Vertex>(before);
    stage.step();
    for (std::uint64_t a = graph.out().offsets[v]; a < graph.out().offsets[v + 1]; ++a) {
      const std::uint64_t w = graph.out().targets[a];
      if (settled[w]) continue;
      const double begins = times[number[a]];
      const double takes = durations.empty() ? 0 : durations[number[a]];
      if (std::isnan(begins) || std::isnan(takes) || begins < now || begins + takes > options.until) continue;
      if (options.strict && v != source && begins <= now) continue;
      queue.emplace(begins + takes, contacts + 1, v, w);
    }
  }
  return result;
}

template struct CALLISTO_API temporal_result<std::uint32_t>;
template struct CALLISTO_API temporal_result<std::uint64_t>;
template CALLISTO_API machine::page_array<std::uint64_t> edges_of_arcs(const csr_graph<std::uint32_t>&);
template CALLISTO_API machine::page_array<std::uint64_t> edges_of_arcs(const csr_graph<std::uint64_t>&);
template CALLISTO_API temporal_result<std::uint32_t> earliest_arrival(const csr_graph<std::uint32_t>&, std::uint64_t,
                                                                      std::span<const double>, std::span<const double>,
                                                                      const temporal_options&, const run_control&);
template CALLISTO_API temporal_result<std::uint64_t> earliest_arrival(const csr_graph<std::uint64_t>&, std::uint64_t,
                                                                      std::span<const double>, std::span<const double>,
                                                                      const temporal_options&, const run_control&);

std::uint64_t needs::earliest_arrival(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  // An entry of the queue a use of an arc at most; the queue grows by doubling.
  return s.n * (32 + s.v) + 8 * s.m + 2 * 32 * s.m;
}

}  // namespace callisto::graph
