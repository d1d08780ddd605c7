#include <callisto/cluster/components.hpp>
#include <callisto/graph/components/disjoint_forest.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

namespace callisto::cluster {

namespace {

/// Calls f(v) for the vertices [first, last), in parallel. Throws cancelled.
template <class Function>
void over_vertices(std::uint64_t first, std::uint64_t last, const graph::shared_control& control, const Function& f,
                   std::source_location where = std::source_location::current()) {
  if (!parallel_for(first, last, f, {.stop = control.stop}, where)) throw graph::cancelled();
}

/// Returns the vertices that hang from another one, each with its root behind it.
template <class Vertex>
std::vector<Vertex> list_of(const graph::component_map<Vertex>& map) {
  std::vector<Vertex> list;
  for (std::uint64_t v = 0; v != map.size(); ++v) {
    if (map[v] != v) list.insert(list.end(), {static_cast<Vertex>(v), map[v]});
  }
  return list;
}

}  // namespace

template <class Vertex>
graph::component_map<Vertex> components(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control) {
  graph::partners& among = *control.among;
  const std::uint64_t vertices = graph.vertices();
  if (control.report != nullptr) control.report->begin("joining components", among.last() - among.first(), "vertices");
  graph::component_map<Vertex> map(vertices, machine::page_kind::used);
  const graph::forest_words<Vertex> forest{map.data()};
  over_vertices(std::uint64_t{0}, vertices, control, [&](std::uint64_t v) { map[v] = static_cast<Vertex>(v); });
  const auto compress_all = [&] {
    over_vertices(std::uint64_t{0}, vertices, control, [&](std::uint64_t v) { graph::compress(forest, v); });
  };
  // Smallest neighbours first: most sets are large then, and later joins short.
  over_vertices(among.first(), among.last(), control, [&](std::uint64_t v) {
    if (const auto row = graph.out().row(v); !row.empty()) graph::join(forest, v, row.front());
  });
  compress_all();
  over_vertices(among.first(), among.last(), control, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v != last; ++v) {
      for (const Vertex w : graph.out().row(v)) {
        // An undirected edge is in the rows of both ends.
        if (graph.directed() || w < v) graph::join(forest, v, w);
      }
    }
    if (control.report != nullptr) control.report->advance(last - first);
  });
  compress_all();
  for (std::size_t step = 1; step < among.count(); step *= 2) {
    const bool sends = among.number() % (2 * step) == step;
    std::vector<Vertex> list;
    if (sends) list = list_of(map);
    std::vector<std::uint64_t> counts(among.count());
    if (sends) counts[among.number() - step] = list.size();
    const std::vector<Vertex> came = among.exchange(list, counts);
    over_vertices(std::uint64_t{0}, came.size() / 2, control,
                  [&](std::uint64_t i) { graph::join(forest, came[2 * i], came[2 * i + 1]); });
    if (!came.empty()) compress_all();
  }
  return map;
}

template graph::component_map<std::uint32_t> components(const graph::csr_graph<std::uint32_t>&,
                                                        const graph::shared_control&);
template graph::component_map<std::uint64_t> components(const graph::csr_graph<std::uint64_t>&,
                                                        const graph::shared_control&);

}  // namespace callisto::cluster
