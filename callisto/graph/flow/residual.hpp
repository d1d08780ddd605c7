// The residual network of a graph: what each pair of neighbours can still carry in either direction.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::graph {

template <class Vertex>
struct residual_arc {
  double left;  ///< what it can still carry
  Vertex target;
  Vertex partner;  ///< place of the arc of the other direction in the row of `target`: no row has more arcs
};

/// Rows of arcs, ascending by target, one to each neighbour in either direction; loops are left out.
template <class Vertex>
struct residual_network {
  machine::page_array<std::uint64_t> offsets;
  machine::page_array<residual_arc<Vertex>> arcs;

  std::uint64_t vertices() const noexcept { return offsets.size() - 1; }
  residual_arc<Vertex>& partner_of(const residual_arc<Vertex>& arc) noexcept {
    return arcs[offsets[arc.target] + arc.partner];
  }
};

/// Calls f(w, capacity of all arcs from v to w together) for each neighbour of v along out-arcs, or w with 0 if only
/// in-arcs lead to it; ascending.
template <class Vertex, class F>
void each_capacity(const csr_graph<Vertex>& graph, bool weighted, std::uint64_t v, F f) {
  const adjacency<Vertex>& out = graph.out();
  const adjacency<Vertex>& in = graph.in();
  std::uint64_t a = out.offsets[v];
  const std::uint64_t out_end = out.offsets[v + 1];
  std::uint64_t b = graph.directed() ? in.offsets[v] : 0;
  const std::uint64_t in_end = graph.directed() ? in.offsets[v + 1] : 0;
  while (a != out_end || b != in_end) {
    const Vertex w = b == in_end    ? out.targets[a]
                     : a == out_end ? in.targets[b]
                                    : std::min(out.targets[a], in.targets[b]);
    double capacity = 0;
    for (; a != out_end && out.targets[a] == w; ++a) capacity += weighted ? out.weights[a] : 1;
    while (b != in_end && in.targets[b] == w) ++b;
    if (w != v) f(w, capacity);
  }
}

/// Builds the network of a graph without flow; `few` threads and fewer find partners by one of them. Throws cancelled.
template <class Vertex>
residual_network<Vertex> residual_of(const csr_graph<Vertex>& graph, bool weighted, const run_control& control,
                                     unsigned few = 4) {
  const std::uint64_t n = graph.vertices();
  residual_network<Vertex> made;
  made.offsets = machine::page_array<std::uint64_t>(n + 1);
  const auto over_vertices = [&](auto f) {
    if (!parallel_for(std::uint64_t{0}, n, f, {.stop = control.stop})) throw cancelled();
  };
  over_vertices([&](std::uint64_t v) {
    std::uint64_t degree = 0;
    each_capacity(graph, weighted, v, [&](Vertex, double) { ++degree; });
    made.offsets[v + 1] = degree;
  });
  for (std::uint64_t v = 0; v < n; ++v) made.offsets[v + 1] += made.offsets[v];
  made.arcs = machine::page_array<residual_arc<Vertex>>(made.offsets[n]);
  over_vertices([&](std::uint64_t v) {
    std::uint64_t to = made.offsets[v];
    each_capacity(graph, weighted, v, [&](Vertex w, double capacity) { made.arcs[to++] = {capacity, w, 0}; });
  });
  // Vertices in order meet the arcs of each row in its order: a step an arc, by one thread. All threads can search
  // rows, in several times as many steps.
  if (threads() <= few) {
    machine::page_array<Vertex> next(n);
    for (std::uint64_t v = 0; v < n; ++v) {
      if (v % 65536 == 0) control.check();
      for (std::uint64_t a = made.offsets[v]; a != made.offsets[v + 1]; ++a) {
        const std::uint64_t w = made.arcs[a].target;
        made.arcs[made.offsets[w] + next[w]++].partner = static_cast<Vertex>(a - made.offsets[v]);
      }
    }
    return made;
  }
  over_vertices([&](std::uint64_t v) {
    for (std::uint64_t a = made.offsets[v]; a != made.offsets[v + 1]; ++a) {
      const std::uint64_t w = made.arcs[a].target;
      const auto* const begin = made.arcs.data() + made.offsets[w];
      const auto* const end = made.arcs.data() + made.offsets[w + 1];
      const auto* const back = std::lower_bound(
          begin, end, v, [](const residual_arc<Vertex>& arc, std::uint64_t target) { return arc.target < target; });
      made.arcs[a].partner = static_cast<Vertex>(back - begin);
    }
  });
  return made;
}

}  // namespace callisto::graph
