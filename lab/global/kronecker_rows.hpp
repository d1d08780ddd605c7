// The graph of Graph500 over ranks: each rank makes a part of the edges, and has the rows of a part of the vertices.
#pragma once

#include "program.hpp"

#include <callisto/cluster/posts.hpp>
#include <callisto/cluster/rank_partners.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::lab {

struct kronecker_edge {
  std::uint32_t from;
  std::uint32_t to;
};

/// Returns edge i of the graph (Graph500 specification 3.0, section 3.1), with scrambled vertex numbers.
inline kronecker_edge kronecker_edge_at(unsigned scale, std::uint64_t i) {
  const graph::counter_random random(20'140'101);
  const std::uint64_t mask = (std::uint64_t{1} << scale) - 1;
  const auto scrambled = [&](std::uint64_t v) {  // odd factors and shifts to the right permute [0, 2^scale)
    for (const std::uint64_t factor : {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U}) {
      v = (v + 1) * factor & mask;
      v ^= v >> (scale / 2 + 1);
    }
    return static_cast<std::uint32_t>(v);
  };
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  for (unsigned level = 0; level != scale; ++level) {
    const double x = graph::to_unit(random(i * scale + level));
    // Quadrants of probabilities 0.57, 0.19, 0.19 and 0.05.
    from = 2 * from + (x >= 0.76 ? 1 : 0);
    to = 2 * to + ((x >= 0.57 && x < 0.76) || x >= 0.95 ? 1 : 0);
  }
  return {scrambled(from), scrambled(to)};
}

/// What a rank has of the graph.
struct kronecker_rows {
  unsigned scale;
  std::uint64_t part;                 ///< vertices of a rank; the last ranks may have fewer
  std::vector<kronecker_edge> edges;  ///< made by this rank, with loops and repeats
  graph::csr_graph<std::uint32_t> graph;
  std::vector<std::uint64_t> bounds;  ///< of the ranks' vertices

  std::uint64_t vertices() const noexcept { return std::uint64_t{1} << scale; }
  std::uint64_t first() const noexcept { return bounds[static_cast<std::size_t>(global::here().rank)]; }
  std::uint64_t last() const noexcept { return bounds[static_cast<std::size_t>(global::here().rank) + 1]; }
};

/// Makes the edges of this rank: `degree` times 2^scale at all ranks.
inline std::vector<kronecker_edge> make_kronecker_edges(unsigned scale, std::uint64_t degree) {
  const std::uint64_t all = degree << scale;
  const auto ranks = static_cast<std::uint64_t>(global::here().ranks);
  const std::uint64_t first = all / ranks * static_cast<std::uint64_t>(global::here().rank);
  const std::uint64_t last = global::here().rank + 1 == global::here().ranks ? all : first + all / ranks;
  std::vector<kronecker_edge> edges(last - first);
  callisto::parallel_for(first, last, [&](std::uint64_t i) { edges[i - first] = kronecker_edge_at(scale, i); });
  return edges;
}

/// Sends both arcs of each edge that is no loop to the ranks of their vertices, and makes rows of what comes. Called by
/// main of all ranks.
inline kronecker_rows make_kronecker_rows(unsigned scale, std::vector<kronecker_edge> edges) {
  kronecker_rows made{.scale = scale, .part = 0, .edges = std::move(edges), .graph = {}, .bounds = {}};
  const std::uint64_t vertices = made.vertices();
  const auto ranks = static_cast<std::size_t>(global::here().ranks);
  const std::uint64_t piece = graph::partner_piece(vertices);
  made.part = (vertices / piece + ranks - 1) / ranks * piece;
  if (made.part == 0) made.part = piece;
  for (std::size_t r = 0; r <= ranks; ++r) made.bounds.push_back(std::min(vertices, r * made.part));

  std::vector<std::uint64_t> counts(ranks);
  for (const kronecker_edge& e : made.edges) {
    if (e.from == e.to) continue;
    ++counts[e.from / made.part];
    ++counts[e.to / made.part];
  }
  std::vector<std::uint64_t> next(ranks);
  for (std::size_t r = 1; r < ranks; ++r) next[r] = next[r - 1] + counts[r - 1];
  std::vector<kronecker_edge> arcs(next.back() + counts.back());
  for (const kronecker_edge& e : made.edges) {
    if (e.from == e.to) continue;
    arcs[next[e.from / made.part]++] = e;
    arcs[next[e.to / made.part]++] = {e.to, e.from};
  }
  const std::vector<kronecker_edge> own = global::exchange(std::span<const kronecker_edge>(arcs), counts).values;

  graph::adjacency<std::uint32_t> rows;
  rows.offsets = machine::page_array<std::uint64_t>(vertices + 1);
  std::uint64_t* const degrees = rows.offsets.data() + 1;
  for (const kronecker_edge& e : own) ++degrees[e.from];
  global::share_parts(std::span(degrees, vertices), made.bounds);
  for (std::uint64_t v = 0; v != vertices; ++v) rows.offsets[v + 1] += rows.offsets[v];
  rows.targets = machine::page_array<std::uint32_t>(rows.offsets[vertices], machine::page_kind::small);
  std::vector<std::uint64_t> place(rows.offsets.data() + made.first(), rows.offsets.data() + made.last());
  for (const kronecker_edge& e : own) rows.targets[place[e.from - made.first()]++] = e.to;
  callisto::parallel_for(made.first(), made.last(), [&](std::uint64_t v) {
    std::sort(rows.targets.data() + rows.offsets[v], rows.targets.data() + rows.offsets[v + 1]);
  });
  made.graph = graph::csr_graph<std::uint32_t>(false, std::move(rows), {}, {}, 0);
  return made;
}

}  // namespace callisto::lab
