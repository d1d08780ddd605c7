// Implements PageRank and triangle counting with plain OpenMP loops, for comparison with Callisto's loops.
#include <callisto/app/demo/openmp_kernels.hpp>

#include <callisto/graph/pagerank/kernel.hpp>
#include <callisto/graph/triangles/kernel.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <variant>

namespace callisto::app {
namespace {

using graph::csr_graph;
using graph::sweep_sums;

void check_team(std::uint64_t batch, unsigned threads) {
  if (batch == 0) throw usage_error("batch is 0, expected at least 1");
  if (threads == 0) throw usage_error("threads is 0, expected at least 1");
}

template <class Vertex>
graph::pagerank_result pagerank_of(const csr_graph<Vertex>& graph, const graph::pagerank_options& options,
                                   std::uint64_t batch, unsigned threads) {
  const std::uint64_t vertices = graph.vertices();
  graph::pagerank_result result;
  result.scores = machine::page_array<double>(vertices);
  machine::page_array<double> contributions(vertices);
  machine::page_array<double> next_contributions(vertices);
  double change = 0;
  double dangling = 0;

  const graph::pagerank_start start{
      .out_offsets = graph.out().offsets.data(),
      .scores = result.scores.data(),
      .contributions = contributions.data(),
      .rank = 1 / static_cast<double>(vertices),
  };
#pragma omp parallel num_threads(threads) reduction(+ : dangling)
  {
    sweep_sums mine;
#pragma omp for schedule(static) nowait
    for (std::uint64_t v = 0; v < vertices; ++v) mine = start(v, v + 1, mine);
    dangling += mine.dangling;
  }
  while (!result.converged && result.iterations < options.iterations) {
    const graph::pagerank_sweep<Vertex> sweep{
        .in_offsets = graph.in().offsets.data(),
        .in_targets = graph.in().targets.data(),
        .out_offsets = graph.out().offsets.data(),
        .contributions = contributions.data(),
        .next_contributions = next_contributions.data(),
        .scores = result.scores.data(),
        .base = graph::pagerank_base(options.damping, 1, dangling, vertices),
        .damping = options.damping,
    };
    change = 0;
    dangling = 0;
#pragma omp parallel num_threads(threads) firstprivate(sweep) reduction(+ : change, dangling)
    {
      sweep_sums mine;
#pragma omp for schedule(dynamic, batch) nowait
      for (std::uint64_t v = 0; v < vertices; ++v) mine = sweep(v, v + 1, mine);
      change += mine.change;
      dangling += mine.dangling;
    }
    contributions.swap(next_contributions);
    ++result.iterations;
    result.change = change;
    result.converged = change <= options.tolerance;
  }
  return result;
}

template <class Vertex>
graph::triangles_result triangles_of(const csr_graph<Vertex>& graph, std::uint64_t batch, unsigned threads) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges");
  graph::degree_ranking<Vertex> ranking(graph);
  ranking.rank([&](std::uint64_t blocks, auto f) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::uint64_t block = 0; block < blocks; ++block) f(block);
  });

  const std::uint64_t ranks = ranking.connected();
  graph::oriented_graph<Vertex> rows(ranks);
  std::uint64_t limit = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, batch) reduction(max : limit)
  for (std::uint64_t r = 0; r < ranks; ++r) limit = rows.count_rows(ranking, r, r + 1, limit);
  rows.place_rows();
#pragma omp parallel for num_threads(threads) schedule(dynamic, batch)
  for (std::uint64_t r = 0; r < ranks; ++r) rows.fill_rows(ranking, r, r + 1);
  rows.place_bitmaps(limit);
#pragma omp parallel for num_threads(threads) schedule(dynamic, batch)
  for (std::uint64_t r = 0; r < limit; ++r) rows.fill_bitmaps(r, r + 1);

  std::uint64_t triangles = 0;
#pragma omp parallel num_threads(threads) reduction(+ : triangles)
  {
    machine::page_array<std::uint64_t> marks(rows.mark_words());
#pragma omp for schedule(dynamic, batch) nowait
    for (std::uint64_t r = 0; r < ranks; ++r) triangles += rows.count_triangles(r, r + 1, marks.data());
  }
  return {.triangles = triangles, .edges = rows.edges()};
}

}  // namespace

graph::pagerank_result pagerank_openmp(const graph::any_graph& graph, const graph::pagerank_options& options,
                                       std::uint64_t batch, unsigned threads) {
  check_team(batch, threads);
  graph::check_pagerank_arguments(graph, options);
  return std::visit([&](const auto& g) { return pagerank_of(g, options, batch, threads); }, graph);
}

graph::triangles_result triangles_openmp(const graph::any_graph& graph, std::uint64_t batch, unsigned threads) {
  check_team(batch, threads);
  return std::visit([&](const auto& g) { return triangles_of(g, batch, threads); }, graph);
}

double sum_openmp(long iterations) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (long i = 0; i < iterations; ++i) sum += 1.0 / static_cast<double>(1 + (i & 15));
  return sum;
}

std::string openmp_runtime_name() {
#if defined(__clang__)
  return "LLVM libomp";
#else
  return "GCC libgomp";
#endif
}

}  // namespace callisto::app
