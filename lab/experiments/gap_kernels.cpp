// Runs and checks each kernel.
#include <lab/experiments/gap_kernels.hpp>

#include <callisto/app/base/stopwatch.hpp>
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/graph/verify/scores.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <limits>
#include <variant>

namespace callisto::lab {
namespace {

/// Returns the seconds of compute(). If `verify`, checks its result.
template <class Compute, class Check>
double timed(bool verify, Compute compute, Check check) {
  const stopwatch time;
  const auto result = compute();
  const double seconds = time.seconds();
  if (verify) check(result);
  return seconds;
}

template <class Vertex>
double run(const gap_kernel& kernel, const graph::any_graph& any, const graph::csr_graph<Vertex>& g,
           const std::vector<std::uint64_t>& sources, bool verify, const graph::run_control& context) {
  switch (kernel.what) {
    case gap_kernel::kind::bfs:
      graph::require_memory(kernel.name, graph::needs::bfs(any));
      // The benchmark asks for parents only. The check needs distances too, which another search computes.
      if (verify) {
        graph::verify_bfs(g, sources.front(), graph::bfs(g, sources.front(), {}, context));
      }
      return timed(
          verify, [&] { return graph::bfs(g, sources.front(), {.distances = false}, context); },
          [&](const auto& tree) { graph::verify_bfs(g, sources.front(), tree); });
    case gap_kernel::kind::sssp:
      graph::require_memory(kernel.name, graph::needs::sssp(any));
      return timed(
          verify, [&] { return graph::sssp(g, sources.front(), {}, context); },
          [&](const auto& found) { graph::verify_sssp(g, sources.front(), found); });
    case gap_kernel::kind::pr: {
      graph::require_memory(kernel.name, graph::needs::pagerank(any, false));
      const graph::pagerank_options options{
          .tolerance = gap_tolerance, .iterations = gap_sweeps, .weights = graph::weight_use::none};
      return timed(
          verify, [&] { return graph::pagerank(any, options, context); },
          [&](const auto& ranked) { graph::verify_pagerank(any, options, ranked); });
    }
    case gap_kernel::kind::cc:
      graph::require_memory(kernel.name, graph::needs::components(any));
      return timed(
          verify, [&] { return graph::components(g, context); },
          [&](const auto& map) { graph::verify_components(g, map); });
    case gap_kernel::kind::bc: {
      graph::betweenness_options options;
      options.from = sources;
      return timed(
          verify, [&] { return graph::betweenness(any, options, context); },
          [&](const auto& scored) { graph::verify_betweenness(any, options, scored); });
    }
    case gap_kernel::kind::tc:
      break;
  }
  graph::require_memory(kernel.name, graph::needs::triangles(any));
  return timed(
      verify, [&] { return graph::count_triangles(any, {}, context); },
      [&](const auto& counted) { graph::verify_triangles(any, counted); });
}

}  // namespace

std::span<const gap_kernel> gap_kernels() {
  using kind = gap_kernel::kind;
  constexpr unsigned any = std::numeric_limits<unsigned>::max();
  static const std::vector<gap_kernel> all{{kind::bfs, "bfs", 1, any}, {kind::pr, "pr", 0, any},
                                           {kind::cc, "cc", 0, any},   {kind::bc, "bc", 4, any},
                                           {kind::tc, "tc", 0, 3},     {kind::sssp, "sssp", 1, any}};
  return all;
}

double run_gap_kernel(const gap_kernel& kernel, const graph::any_graph& graph,
                      const std::vector<std::uint64_t>& sources, bool verify, const graph::run_control& context) {
  return std::visit([&](const auto& g) { return run(kernel, graph, g, sources, verify, context); }, graph);
}

}  // namespace callisto::lab
