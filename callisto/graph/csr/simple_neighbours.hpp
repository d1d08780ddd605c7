// The rows of the simple undirected graph underlying a graph, visited without building it.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <span>

namespace callisto::graph {

/// Calls f(w) for each vertex in a row of v, ascending: repeats once, loops not at all.
template <class Vertex, class Function>
inline void for_each_simple_in(std::span<const Vertex> row, std::uint64_t v, Function f) {
  std::uint64_t last = v;
  for (const Vertex w : row) {
    if (w != last && w != v) f(w);
    last = w;
  }
}

/// Calls f(w) for each neighbour w of v, ascending, in the simple undirected graph underlying `graph`: arcs count in
/// both directions, loops and repeats not at all.
template <class Vertex, class Function>
inline void for_each_simple_neighbour(const csr_graph<Vertex>& graph, std::uint64_t v, Function f) {
  const auto out = graph.out().row(v);
  if (!graph.directed()) return for_each_simple_in(out, v, f);
  std::uint64_t last = v;
  const auto visit = [&](Vertex w) {
    if (w == last || w == v) return;
    last = w;
    f(w);
  };
  const auto in = graph.in().row(v);
  auto i = out.begin();
  auto j = in.begin();
  while (i != out.end() && j != in.end()) visit(*i < *j ? *i++ : *j++);
  for (; i != out.end(); ++i) visit(*i);
  for (; j != in.end(); ++j) visit(*j);
}

}  // namespace callisto::graph
