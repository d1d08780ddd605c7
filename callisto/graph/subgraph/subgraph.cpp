// Choosing vertices, and copying what lies between them, with parallel loops.
#include <callisto/graph/attributes/carry.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/components/scc.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/subgraph/subgraph.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

void over_all(std::uint64_t count, const run_control& control, auto f) {
  if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control.stop})) throw cancelled();
}

/// The numbers of the chosen vertices.
template <class Vertex>
struct chosen_numbers {
  std::vector<Vertex> old;          ///< by new number
  machine::page_array<Vertex> now;  ///< by old number, of chosen vertices
};

template <class Vertex>
adjacency<Vertex> rows_between(const adjacency<Vertex>& rows, const vertex_choice& chosen,
                               const chosen_numbers<Vertex>& numbers, const run_control& control) {
  adjacency<Vertex> kept;
  const std::uint64_t vertices = numbers.old.size();
  kept.offsets = machine::page_array<std::uint64_t>(vertices + 1);
  over_all(vertices, control, [&](std::uint64_t v) {
    std::uint64_t count = 0;
    for (const Vertex w : rows.row(numbers.old[v])) count += static_cast<std::uint64_t>(chosen[w]);
    kept.offsets[v + 1] = count;
  });
  for (std::uint64_t v = 0; v < vertices; ++v) kept.offsets[v + 1] += kept.offsets[v];
  kept.targets = machine::page_array<Vertex>(kept.offsets[vertices]);
  const auto copy = [&](auto weights, auto* to) {
    over_all(vertices, control, [&](std::uint64_t v) {
      std::uint64_t next = kept.offsets[v];
      const std::uint64_t old = numbers.old[v];
      for (std::uint64_t a = rows.offsets[old]; a != rows.offsets[old + 1]; ++a) {
        if (chosen[rows.targets[a]] == 0) continue;
        if (to != nullptr) to[next] = weights[a];
        kept.targets[next++] = numbers.now[rows.targets[a]];
      }
    });
  };
  rows.weights.visit([&]<class Weight>(std::span<const Weight> weights) {
    if (weights.empty()) {
      copy(weights, static_cast<Weight*>(nullptr));
    } else {
      machine::page_array<Weight> values(kept.targets.size());
      copy(weights, values.data());
      kept.weights = std::move(values);
    }
  });
  return kept;
}

/// Returns the names of the vertices that were chosen. `labels` are the labels of the whole graph, and become 0, 1, 2
/// ... in the order of `by_label`, or of the vertices if that is empty.
template <class Vertex>
std::shared_ptr<const vertex_names> names_of_chosen(const vertex_names& names,
                                                    machine::page_array<std::uint64_t>& labels,
                                                    const machine::page_array<Vertex>& by_label) {
  machine::page_array<std::uint64_t> offsets(labels.size() + 1);
  const auto vertex = [&](std::size_t i) { return by_label.empty() ? i : static_cast<std::size_t>(by_label[i]); };
  for (std::size_t i = 0; i < labels.size(); ++i) {
    offsets[i + 1] = offsets[i] + names[labels[vertex(i)]].size();
  }
  machine::page_array<char> bytes(static_cast<std::size_t>(offsets[labels.size()]));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::uint64_t& label = labels[vertex(i)];
    const std::string_view name = names[label];
    std::copy(name.begin(), name.end(), bytes.data() + offsets[i]);
    label = i;
  }
  return std::make_shared<const vertex_names>(std::move(offsets), std::move(bytes));
}

}  // namespace

template <class Vertex>
csr_graph<Vertex> induced_subgraph(const csr_graph<Vertex>& graph, const vertex_choice& chosen,
                                   const run_control& control) {
  if (chosen.size() != graph.vertices()) {
    throw usage_error(fmt::format("a choice among {} vertices for a graph of {}", chosen.size(), graph.vertices()));
  }
  chosen_numbers<Vertex> numbers{{}, machine::page_array<Vertex>(graph.vertices())};
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (chosen[v] == 0) continue;
    numbers.now[v] = static_cast<Vertex>(numbers.old.size());
    numbers.old.push_back(static_cast<Vertex>(v));
  }
  adjacency<Vertex> out = rows_between(graph.out(), chosen, numbers, control);
  adjacency<Vertex> in;
  if (graph.directed() && graph.has_in()) in = rows_between(graph.in(), chosen, numbers, control);
  machine::page_array<std::uint64_t> labels(numbers.old.size());
  over_all(numbers.old.size(), control, [&](std::uint64_t v) { labels[v] = graph.label(numbers.old[v]); });
  machine::page_array<Vertex> by_label;
  if (!graph.by_label().empty()) {
    by_label = machine::page_array<Vertex>(numbers.old.size());
    std::uint64_t next = 0;
    for (const Vertex v : graph.by_label()) {
      if (chosen[v] != 0) by_label[next++] = numbers.now[v];
    }
  }
  std::shared_ptr<const vertex_names> names;
  if (graph.names() != nullptr) names = names_of_chosen(*graph.names(), labels, by_label);
  auto part = surveyed(
      csr_graph<Vertex>(graph.directed(), std::move(out), std::move(in), std::move(labels), 0, std::move(by_label))
          .with_names(std::move(names)),
      control);
  if (graph.attributes() == nullptr) return part;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (chosen[v] == 0) numbers.now[v] = std::numeric_limits<Vertex>::max();
  }
  auto attributes = carried(graph, part, numbers.now, giver::each, control);
  return std::move(part).with_attributes(std::move(attributes));
}

template <class Vertex>
vertex_choice largest_component(const csr_graph<Vertex>& graph, bool strong, const run_control& control) {
  vertex_choice chosen(graph.vertices());
  if (graph.vertices() == 0) return chosen;
  const component_map<Vertex> map = strong ? strong_components(graph, control) : components(graph, control);
  const std::uint64_t largest = component_sizes(map, control).front().first;
  over_all(graph.vertices(), control, [&](std::uint64_t v) { chosen[v] = map[v] == largest ? 1 : 0; });
  return chosen;
}

template <class Vertex>
vertex_choice core_of(const csr_graph<Vertex>& graph, std::uint32_t k, const run_control& control) {
  const kcore_result cores = kcore(graph, control);
  vertex_choice chosen(graph.vertices());
  over_all(graph.vertices(), control, [&](std::uint64_t v) { chosen[v] = cores.coreness[v] >= k ? 1 : 0; });
  return chosen;
}

template <class Vertex>
vertex_choice within_hops(const csr_graph<Vertex>& graph, std::span<const std::uint64_t> centres, std::uint32_t hops,
                          const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which hops need");
  vertex_choice chosen(graph.vertices());
  std::vector<std::uint64_t> level;
  const auto choose = [&](std::vector<std::uint64_t>& list, std::uint64_t v) {
    if (chosen[v] == 0) list.push_back(v);
    chosen[v] = 1;
  };
  for (const std::uint64_t v : centres) {
    if (v >= graph.vertices()) {
      throw usage_error(fmt::format("a centre is vertex {} of a graph that has {}", v, graph.vertices()));
    }
    choose(level, v);
  }
  std::vector<std::uint64_t> next;
  for (; hops != 0 && !level.empty(); --hops) {
    control.check();
    next.clear();
    for (const std::uint64_t v : level) {
      for (const Vertex w : graph.out().row(v)) choose(next, w);
      if (!graph.directed()) continue;
      for (const Vertex w : graph.in().row(v)) choose(next, w);
    }
    level.swap(next);
  }
  return chosen;
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                         \
  template CALLISTO_API csr_graph<Vertex> induced_subgraph(const csr_graph<Vertex>&, const vertex_choice&,   \
                                                           const run_control&);                              \
  template CALLISTO_API vertex_choice largest_component(const csr_graph<Vertex>&, bool, const run_control&); \
  template CALLISTO_API vertex_choice core_of(const csr_graph<Vertex>&, std::uint32_t, const run_control&);  \
  template CALLISTO_API vertex_choice within_hops(const csr_graph<Vertex>&, std::span<const std::uint64_t>,  \
                                                  std::uint32_t, const run_control&);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

std::uint64_t needs::subgraph(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t copies = s.directed ? 2 * s.m : s.m;
  const std::uint64_t result = (24 + 3 * s.v) * s.n + copies * (s.v + s.w);
  return s.n + std::max({components(graph), strong_components(graph), kcore(graph), result});
}

}  // namespace callisto::graph
