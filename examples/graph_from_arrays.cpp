// Graphs in C++: a graph from arrays of edges with weights, kernels on it, and what an error says.
//
// docs/how-to/graphs-in-cpp.md explains it part by part.
#include <callisto/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <variant>
#include <vector>

namespace graph = callisto::graph;

namespace {

// Edge i leads from from[i] to to[i], vertices in [0, vertices), and is as long as weights[i].
graph::any_graph from_arrays(std::uint64_t vertices, const std::vector<std::uint32_t>& from,
                             const std::vector<std::uint32_t>& to, const std::vector<double>& weights,
                             const graph::build_options& options = {}) {
  graph::edge_block<std::uint32_t> block{decltype(block.edges)(from.size()), graph::weight_array(weights.size())};
  for (std::size_t i = 0; i < from.size(); ++i) block.edges[i] = {from[i], to[i]};
  for (std::size_t i = 0; i < weights.size(); ++i) block.weights.set(i, weights[i]);
  graph::edge_list<std::uint32_t> list;
  list.vertices = vertices;
  list.weighted = !weights.empty();
  list.blocks.push_back(std::move(block));
  list.first_label = 1;  // users count from 1
  return graph::build_graph(std::move(list), options);
}

}  // namespace

int main() try {
  const graph::any_graph roads = from_arrays(5, {0, 1, 2, 0}, {1, 2, 3, 3}, {2.5, 1, 4, 9}, {.undirected = true});

  // Kernels that take an any_graph, whatever the width of its vertex numbers.
  const auto scores = graph::pagerank(roads).scores;
  const auto highest = static_cast<std::uint64_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());

  // Templates, and questions to the graph itself, go through std::visit.
  std::visit(
      [&](const auto& g) {
        std::printf("vertices: %d, highest PageRank: %d\n", int(g.vertices()), int(g.label(highest)));
        const auto paths = graph::sssp(g, 0);
        for (std::uint64_t v = 0; v < g.vertices(); ++v) {
          std::printf("from %d to %d: %g\n", int(g.label(0)), int(g.label(v)), paths.distances[v]);
        }
        for (const auto neighbour : g.out().row(0)) std::printf("beside 1: %d\n", int(g.label(neighbour)));
      },
      roads);

  from_arrays(5, {0, 7}, {1, 2}, {});
} catch (const callisto::error& error) {
  std::printf("error: %s\n", error.what());
}
