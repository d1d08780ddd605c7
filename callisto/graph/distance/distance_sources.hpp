// The vertices that a sample of distances searches from.
#pragma once

#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Returns the vertices of a component at `ranks`, ascending, among all its vertices; and its vertex of highest degree.
template <class Vertex>
std::pair<std::vector<std::uint64_t>, std::uint64_t> pick_sources(const csr_graph<Vertex>& graph,
                                                                  const component_map<Vertex>& map,
                                                                  std::uint64_t component,
                                                                  const std::vector<std::uint64_t>& ranks) {
  std::vector<std::uint64_t> picked;
  std::uint64_t hub = component;
  std::uint64_t highest = 0;
  std::uint64_t rank = 0;
  auto next = ranks.begin();
  for (std::uint64_t v = 0; v < map.size(); ++v) {
    if (map[v] != component) continue;
    const std::uint64_t degree = graph.out().degree(v) + (graph.directed() ? graph.in().degree(v) : 0);
    if (degree > highest) {
      highest = degree;
      hub = v;
    }
    if (next != ranks.end() && rank == *next) {
      picked.push_back(v);
      ++next;
    }
    ++rank;
  }
  return {std::move(picked), hub};
}

/// Returns `count` different numbers below `size`, or all of them, ascending.
inline std::vector<std::uint64_t> draw_sources(std::uint64_t count, std::uint64_t size, std::uint64_t seed) {
  std::vector<std::uint64_t> drawn;
  if (count >= size) {
    for (std::uint64_t i = 0; i < size; ++i) drawn.push_back(i);
    return drawn;
  }
  // Floyd's method: each set is equally likely (Bentley and Floyd, "A sample of brilliance", CACM 1987).
  const counter_random random(seed);
  for (std::uint64_t i = size - count; i < size; ++i) {
    const std::uint64_t r = below(random(i - (size - count)), i + 1);
    const bool known = std::find(drawn.begin(), drawn.end(), r) != drawn.end();
    drawn.push_back(known ? i : r);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace callisto::graph
