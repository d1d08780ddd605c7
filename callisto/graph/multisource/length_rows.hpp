// Rows of in-arcs sorted by length, of a graph with renumbered vertices, hubs first.
//
// Searches read a row only as far as its arcs are short enough to matter. Where lengths are random, that is a tenth of
// the arcs.
#pragma once

#include <callisto/graph/csr/degree_ranking.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace callisto::graph {

/// New numbers of vertices: by falling degree.
struct hub_numbers {
  machine::page_array<std::uint32_t> vertex;  ///< by number
  machine::page_array<std::uint32_t> number;  ///< by vertex
};

template <class Length>
struct length_rows {
  machine::page_array<std::uint64_t> offsets;  ///< by number of a vertex
  machine::page_array<std::uint32_t> sources;  ///< numbers of in-neighbours, short arcs first
  machine::page_array<Length> lengths;
  machine::page_array<std::uint64_t> arcs;  ///< indices of the arcs in the graph's rows; empty unless asked for

  std::uint64_t vertices() const noexcept { return offsets.size() - 1; }
};

/// Returns new numbers for a graph of less than 2^32 vertices. Throws cancelled.
template <class Vertex>
hub_numbers number_hubs_first(const csr_graph<Vertex>& graph, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  hub_numbers made{machine::page_array<std::uint32_t>(n, machine::page_kind::used),
                   machine::page_array<std::uint32_t>(n, machine::page_kind::used)};
  degree_ranking<Vertex> ranking(graph);
  ranking.rank([&](std::uint64_t blocks, auto f) {
    if (!parallel_for(std::uint64_t{0}, blocks, f, {.stop = control.stop})) throw cancelled();
  });
  parallel_for(std::uint64_t{0}, n, [&](std::uint64_t r) {
    made.vertex[r] = static_cast<std::uint32_t>(ranking.vertex(r));
    made.number[ranking.vertex(r)] = static_cast<std::uint32_t>(r);
  });
  return made;
}

/// Returns `rows` of a graph, renumbered and sorted. Of repeated arcs it keeps the shortest, loops not at all.
/// Lengths are the rows' weights, which a Length must hold. Throws cancelled.
template <class Length, class Vertex>
length_rows<Length> sort_by_length(const adjacency<Vertex>& rows, const hub_numbers& numbers, bool with_arcs,
                                   const run_control& control) {
  const std::uint64_t n = numbers.vertex.size();
  const loop_options options{.stop = control.stop};
  // Rows ascend by target, so repeats lie side by side.
  const auto each_of = [&](std::uint64_t number, auto f) {
    const std::uint64_t v = numbers.vertex[number];
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1];) {
      const Vertex u = rows.targets[a];
      std::uint64_t best = a;
      for (; a != rows.offsets[v + 1] && rows.targets[a] == u; ++a) {
        if (rows.weights[a] < rows.weights[best]) best = a;
      }
      if (u != v) f(u, best);
    }
  };
  length_rows<Length> made;
  made.offsets = machine::page_array<std::uint64_t>(n + 1);
  const auto count = [&](std::uint64_t number) {
    each_of(number, [&](Vertex, std::uint64_t) { ++made.offsets[number + 1]; });
  };
  if (!parallel_for(std::uint64_t{0}, n, count, options)) throw cancelled();
  for (std::uint64_t v = 0; v < n; ++v) made.offsets[v + 1] += made.offsets[v];
  made.sources = machine::page_array<std::uint32_t>(made.offsets[n], machine::page_kind::used);
  made.lengths = machine::page_array<Length>(made.offsets[n], machine::page_kind::used);
  if (with_arcs) made.arcs = machine::page_array<std::uint64_t>(made.offsets[n], machine::page_kind::used);
  const auto fill = [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::tuple<Length, std::uint32_t, std::uint64_t>> row;
    for (std::uint64_t number = first; number < last; ++number) {
      row.clear();
      each_of(number, [&](Vertex u, std::uint64_t arc) {
        row.emplace_back(static_cast<Length>(rows.weights[arc]), numbers.number[u], arc);
      });
      std::sort(row.begin(), row.end());
      std::uint64_t at = made.offsets[number];
      for (const auto& [length, source, arc] : row) {
        made.lengths[at] = length;
        made.sources[at] = source;
        if (with_arcs) made.arcs[at] = arc;
        ++at;
      }
    }
  };
  if (!parallel_for(std::uint64_t{0}, n, fill, options)) throw cancelled();
  return made;
}

}  // namespace callisto::graph
