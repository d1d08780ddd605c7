// Every triangle of a graph, one at a time: the reference for counts of triangles.
//
// Each edge is directed from the end with fewer neighbours to the other end (Chiba and Nishizeki 1985; Latapy 2008,
// new-vertex-listing). So a vertex has at most sqrt(2 m) such edges, and hubs cost no more than other vertices. For
// each edge the ascending rows of its two ends are merged, and each common vertex closes a triangle.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Calls f(u, v, w) for each triangle of the simple undirected graph underlying `graph`; returns its number of edges.
/// Sequential. Takes 4 bytes an edge (8 with 64-bit vertices) and 16 bytes a vertex. Throws cancelled.
template <class Vertex, class Function>
std::uint64_t for_each_triangle(const csr_graph<Vertex>& graph, const run_control& control, Function f) {
  const std::uint64_t vertices = graph.vertices();
  std::vector<std::uint64_t> degree(vertices);
  for (std::uint64_t v = 0; v < vertices; ++v) {
    for_each_simple_neighbour(graph, v, [&](Vertex) { ++degree[v]; });
  }
  std::vector<std::uint64_t> begin{0};
  std::vector<Vertex> heads;
  begin.reserve(vertices + 1);
  for (std::uint64_t v = 0; v < vertices; ++v) {
    for_each_simple_neighbour(graph, v, [&](Vertex w) {
      if (degree[v] < degree[w] || (degree[v] == degree[w] && v < w)) heads.push_back(w);
    });
    begin.push_back(heads.size());
  }
  sequential_stage checking(control, "checking", vertices, "vertices");
  for (std::uint64_t v = 0; v < vertices; ++v) {
    checking.step();
    for (std::uint64_t of = begin[v]; of != begin[v + 1]; ++of) {
      const Vertex w = heads[of];
      std::uint64_t i = begin[v];
      std::uint64_t j = begin[w];
      while (i != begin[v + 1] && j != begin[w + std::uint64_t{1}]) {
        const Vertex x = heads[i];
        const Vertex y = heads[j];
        if (x == y) f(static_cast<Vertex>(v), w, x);
        i += x <= y ? 1 : 0;
        j += y <= x ? 1 : 0;
      }
    }
  }
  return heads.size();
}

}  // namespace callisto::graph
