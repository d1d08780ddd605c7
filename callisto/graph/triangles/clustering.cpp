// Clustering coefficients, with parallel loops; kernel.hpp finds the triangles.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/triangles/orient.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace callisto::graph {
namespace {

/// Each thread counts the triangles of the first ranks by itself: hubs are corners of most triangles.
constexpr std::uint64_t own_counts = 1 << 16;

struct own_triangles {
  machine::page_array<std::uint64_t> marks;
  machine::page_array<std::uint64_t> of_hubs;
  std::uint64_t unreported = 0;
};

template <class Vertex>
struct corners_loop {
  const oriented_graph<Vertex>& rows;
  machine::page_array<std::uint64_t>& triangles;  ///< by rank
  progress* report;

  void fork(own_triangles& mine) const {
    mine.marks = machine::page_array<std::uint64_t>(rows.mark_words());
    mine.of_hubs = machine::page_array<std::uint64_t>(std::min(own_counts, rows.ranks()));
  }
  void work(own_triangles& mine, std::uint64_t first, std::uint64_t last) const {
    rows.for_each_triangle(first, last, mine.marks.data(), [&](std::uint64_t u, std::uint64_t v, std::uint64_t w) {
      count(mine, u);
      count(mine, v);
      count(mine, w);
    });
    mine.unreported += last - first;
    if (mine.unreported > rows.ranks() / 256) advance(mine);
  }
  void join(own_triangles& mine) const {
    for (std::uint64_t r = 0; r < mine.of_hubs.size(); ++r) {
      if (mine.of_hubs[r] != 0) add(r, mine.of_hubs[r]);
    }
    advance(mine);
  }

 private:
  // relaxed: a sum; the loop's end orders it.
  void add(std::uint64_t r, std::uint64_t amount) const noexcept {
    std::atomic_ref(triangles[r]).fetch_add(amount, std::memory_order_relaxed);
  }
  void count(own_triangles& mine, std::uint64_t r) const noexcept {
    if (r < mine.of_hubs.size()) {
      ++mine.of_hubs[r];
    } else {
      add(r, 1);
    }
  }
  void advance(own_triangles& mine) const {
    if (report != nullptr) report->advance(std::exchange(mine.unreported, 0));
  }
};

struct sums {
  std::uint64_t triangles = 0;
  double coefficients = 0;
  double pairs = 0;

  friend sums operator+(sums a, sums b) {
    return {a.triangles + b.triangles, a.coefficients + b.coefficients, a.pairs + b.pairs};
  }
};

}  // namespace

template <class Vertex>
clustering_result clustering(const csr_graph<Vertex>& graph, const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which clustering needs");
  const std::uint64_t vertices = graph.vertices();
  clustering_result result;
  result.triangles = machine::page_array<std::uint64_t>(vertices);
  result.coefficients = machine::page_array<double>(vertices);
  if (vertices == 0) return result;

  const loop_options over_rows{.stop = control.stop, .together = true};
  degree_ranking<Vertex> ranking(graph);
  rank_vertices(ranking, control);
  machine::page_array<std::uint64_t> by_rank(ranking.connected());
  {
    const oriented_graph<Vertex> rows = orient(ranking, over_rows);
    if (control.report != nullptr) control.report->begin("finding triangles", rows.ranks(), "vertices");
    corners_loop<Vertex> loop{rows, by_rank, control.report};
    parallel_for<corners_loop<Vertex>, own_triangles, std::uint64_t>(loop, 0, rows.ranks(), over_rows);
    control.check();
  }
  const sums all = parallel_reduce(std::uint64_t{0}, by_rank.size(), sums{}, [&](std::uint64_t r) {
    const Vertex v = ranking.vertex(r);
    result.triangles[v] = by_rank[r];
    std::uint64_t neighbours = 0;
    for_each_simple_neighbour(graph, v, [&](Vertex) { ++neighbours; });
    if (neighbours < 2) return sums{};
    const double pairs = static_cast<double>(neighbours) * static_cast<double>(neighbours - 1) / 2;
    result.coefficients[v] = static_cast<double>(by_rank[r]) / pairs;
    return sums{by_rank[r], result.coefficients[v], pairs};
  });
  result.total = all.triangles / 3;
  result.average = all.coefficients / static_cast<double>(vertices);
  result.transitivity = all.pairs == 0 ? 0 : static_cast<double>(all.triangles) / all.pairs;
  return result;
}

template CALLISTO_API clustering_result clustering(const csr_graph<std::uint32_t>&, const run_control&);
template CALLISTO_API clustering_result clustering(const csr_graph<std::uint64_t>&, const run_control&);

std::uint64_t needs::clustering(const any_graph& graph) { return triangles(graph) + 24 * size_of(graph).n; }

}  // namespace callisto::graph
