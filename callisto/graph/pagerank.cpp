// PageRank with Callisto's loops; the work inside the loops is in pagerank_kernel.hpp.
#include <callisto/graph/pagerank.hpp>
#include <callisto/graph/pagerank_kernel.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <source_location>
#include <utility>

namespace callisto::graph {

void check_pagerank_arguments(const any_graph& graph, const pagerank_options& options) {
  if (!(options.damping >= 0 && options.damping < 1))
    throw usage_error(fmt::format("damping is {}, expected at least 0 and below 1", options.damping));
  if (!(options.tolerance >= 0))
    throw usage_error(fmt::format("tolerance is {}, expected 0 or more", options.tolerance));
  if (options.iterations == 0) throw usage_error("iterations is 0, expected at least 1");
  std::vector<std::uint64_t> seeds;
  double sum = 0;
  for (const pagerank_seed& seed : options.seeds) {
    if (!(seed.weight > 0)) {
      throw usage_error(fmt::format("a seed's weight is {}, expected a number above 0", seed.weight));
    }
    sum += seed.weight;
    seeds.push_back(seed.vertex);
  }
  if (sum > std::numeric_limits<double>::max()) throw usage_error("the sum of the seeds' weights is not finite");
  std::sort(seeds.begin(), seeds.end());
  if (const auto twice = std::adjacent_find(seeds.begin(), seeds.end()); twice != seeds.end()) {
    throw usage_error(fmt::format("vertex {} is named as a seed more than once", *twice));
  }
  std::visit(
      [&](const auto& g) {
        if (!seeds.empty() && seeds.back() >= g.vertices()) {
          throw usage_error(fmt::format("a seed is vertex {} of a graph that has {}", seeds.back(), g.vertices()));
        }
        if (g.vertices() == 0) throw usage_error("the graph has no vertices, PageRank needs at least 1");
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, along which PageRank pulls");
      },
      graph);
}

namespace {

template <class Vertex>
pagerank_result pagerank_of(const csr_graph<Vertex>& graph, const pagerank_options& options, const context& ctx) {
  const std::uint64_t vertices = graph.vertices();
  const auto over_all_vertices = [&](const auto& body, std::source_location where = std::source_location::current()) {
    const sweep_sums sums = parallel_reduce(std::uint64_t{0}, vertices, sweep_sums{}, body, std::plus<>{},
                                            loop_options{.batch = options.batch, .stop = ctx.stop}, where);
    if (ctx.stop.stop_requested()) throw cancelled();
    return sums;
  };
  if (ctx.report != nullptr) ctx.report->begin("PageRank", options.iterations, "iterations");

  pagerank_result result;
  result.scores = machine::page_array<double>(vertices);
  machine::page_array<double> contributions(vertices);
  machine::page_array<double> next_contributions(vertices);
  const std::uint64_t* out_offsets = graph.out().offsets.data();
  machine::page_array<double> restart;
  if (!options.seeds.empty()) {
    restart = machine::page_array<double>(vertices);
    double sum = 0;
    for (const pagerank_seed& seed : options.seeds) sum += seed.weight;
    for (const pagerank_seed& seed : options.seeds) restart[seed.vertex] = seed.weight / sum;
  }
  const std::uint64_t sharers = restart.empty() ? vertices : 1;
  sweep_sums sums = over_all_vertices(pagerank_start{
      .out_offsets = out_offsets,
      .scores = result.scores.data(),
      .contributions = contributions.data(),
      .rank = 1 / static_cast<double>(sharers),
      .restart = restart.data(),
  });
  while (!result.converged && result.iterations < options.iterations) {
    sums = over_all_vertices(pagerank_sweep<Vertex>{
        .in_offsets = graph.in().offsets.data(),
        .in_targets = graph.in().targets.data(),
        .out_offsets = out_offsets,
        .contributions = contributions.data(),
        .next_contributions = next_contributions.data(),
        .scores = result.scores.data(),
        .base = pagerank_base(options.damping, sums.dangling, sharers),
        .damping = options.damping,
        .restart = restart.data(),
    });
    contributions.swap(next_contributions);
    ++result.iterations;
    result.change = sums.change;
    result.converged = sums.change <= options.tolerance;
    if (ctx.report != nullptr) ctx.report->advance(1);
  }
  return result;
}

}  // namespace

pagerank_result pagerank(const any_graph& graph, const pagerank_options& options, const context& ctx) {
  check_pagerank_arguments(graph, options);
  return std::visit([&](const auto& g) { return pagerank_of(g, options, ctx); }, graph);
}

}  // namespace callisto::graph
