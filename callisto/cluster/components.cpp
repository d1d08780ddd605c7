#include <callisto/cluster/components.hpp>
#include <callisto/graph/components/disjoint_forest.hpp>
#include <callisto/graph/components/merged_forests.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <cstdint>
#include <source_location>

namespace callisto::cluster {

namespace {

/// Calls f(v) for the vertices [first, last), in parallel. Throws cancelled.
template <class Function>
void over_vertices(std::uint64_t first, std::uint64_t last, const graph::shared_control& control, const Function& f,
                   std::source_location where = std::source_location::current()) {
  if (!parallel_for(first, last, f, {.stop = control.stop}, where)) throw graph::cancelled();
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
  graph::merge_forests(among, map, control);
  return map;
}

template graph::component_map<std::uint32_t> components(const graph::csr_graph<std::uint32_t>&,
                                                        const graph::shared_control&);
template graph::component_map<std::uint64_t> components(const graph::csr_graph<std::uint64_t>&,
                                                        const graph::shared_control&);

}  // namespace callisto::cluster
