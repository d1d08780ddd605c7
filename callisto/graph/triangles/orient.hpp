// Building oriented rows (kernel.hpp), with parallel loops.
#pragma once

#include <callisto/graph/csr/degree_ranking.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/triangles/kernel.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::graph {

/// Ranks the vertices. `ranking`: newly constructed. Throws cancelled.
template <class Vertex>
void rank_vertices(degree_ranking<Vertex>& ranking, const run_control& control) {
  ranking.rank([&](std::uint64_t blocks, auto f) {
    if (!parallel_for(std::uint64_t{0}, blocks, f, {.stop = control.stop})) throw cancelled();
  });
}

/// Returns the oriented rows of a graph that `ranking` has ranked. Throws cancelled.
template <class Vertex>
oriented_graph<Vertex> orient(const degree_ranking<Vertex>& ranking, const loop_options& over_rows) {
  const auto check = [&] {
    if (over_rows.stop.stop_requested()) throw cancelled();
  };
  const std::uint64_t ranks = ranking.connected();
  oriented_graph<Vertex> rows(ranks);
  const auto count_rows = [&](std::uint64_t first, std::uint64_t last, std::uint64_t limit) {
    return rows.count_rows(ranking, first, last, limit);
  };
  const auto larger = [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); };
  const std::uint64_t limit = parallel_reduce(std::uint64_t{0}, ranks, std::uint64_t{0}, count_rows, larger, over_rows);
  check();
  rows.place_rows();
  parallel_for(
      std::uint64_t{0}, ranks, [&](std::uint64_t first, std::uint64_t last) { rows.fill_rows(ranking, first, last); },
      over_rows);
  check();
  rows.place_bitmaps(limit);
  parallel_for(
      std::uint64_t{0}, limit, [&](std::uint64_t first, std::uint64_t last) { rows.fill_bitmaps(first, last); },
      over_rows);
  check();
  return rows;
}

}  // namespace callisto::graph
