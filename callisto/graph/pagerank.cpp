// PageRank with Callisto's loops; the work inside the loops is in pagerank_kernel.hpp.
#include <callisto/graph/pagerank.hpp>
#include <callisto/graph/pagerank_kernel.hpp>
#include <callisto/graph/pagerank_mixing.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

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

/// The share of each vertex in restarts; empty if all are equal.
machine::page_array<double> shares_of(const std::vector<pagerank_seed>& seeds, std::uint64_t vertices) {
  if (seeds.empty()) return {};
  machine::page_array<double> restart(vertices);
  double sum = 0;
  for (const pagerank_seed& seed : seeds) sum += seed.weight;
  for (const pagerank_seed& seed : seeds) restart[seed.vertex] = seed.weight / sum;
  return restart;
}

/// Runs `body` over all vertices and adds up what it returns: block by block, in their order, so that neither the
/// number of threads nor who ran what changes a bit of the sums. Only who asks for batches of a size gets them added as
/// they are run.
template <class Sums, class Body>
Sums over_vertices(std::uint64_t vertices, const Body& body, const pagerank_options& options, const context& ctx,
                   std::source_location where = std::source_location::current()) {
  constexpr std::uint64_t least_block = 64;
  constexpr std::uint64_t most_blocks = 1 << 16;
  Sums sums{};
  if (options.batch != 0) {
    sums = parallel_reduce(std::uint64_t{0}, vertices, Sums{}, body, std::plus<>{},
                           loop_options{.batch = options.batch, .stop = ctx.stop}, where);
  } else {
    const std::uint64_t block = std::max(least_block, (vertices + most_blocks - 1) / most_blocks);
    std::vector<Sums> parts((vertices + block - 1) / block);
    parallel_for(
        std::uint64_t{0}, std::uint64_t{parts.size()},
        [&](std::uint64_t b) { parts[b] = body(b * block, std::min(vertices, (b + 1) * block), Sums{}); },
        loop_options{.stop = ctx.stop}, where);
    for (const Sums& part : parts) sums = sums + part;
  }
  ctx.check();
  return sums;
}

void count_sweep(pagerank_result& result, double change, const pagerank_options& options, const context& ctx) {
  ++result.iterations;
  result.change = change;
  result.converged = change <= options.tolerance;
  if (ctx.report != nullptr) ctx.report->advance(1);
}

/// Rounding errors of sums in single precision, where a change of a sweep is more than that.
template <class Real>
constexpr double noise = std::is_same_v<Real, float> ? 0x1p-22 : 0;

/// Scores of sum 1 in double precision.
template <class Real>
machine::page_array<double> normalized(const machine::page_array<Real>& scores, double total) {
  machine::page_array<double> found(scores.size(), machine::page_kind::used);
  parallel_for(std::uint64_t{0}, std::uint64_t{scores.size()},
               [&](std::uint64_t v) { found[v] = double{scores[v]} / total; });
  return found;
}

/// Plain sweeps of the power iteration, as many as there may still be, from scores whose contributions are known and
/// how much of them lies on dangling vertices.
template <class Vertex, class Real>
void iterate(pagerank_result& result, const csr_graph<Vertex>& graph, machine::page_array<Real>& scores,
             machine::page_array<Real>& contributions, double dangling, const machine::page_array<double>& restart,
             const pagerank_options& options, const context& ctx) {
  const std::uint64_t vertices = graph.vertices();
  const std::uint64_t sharers = restart.empty() ? vertices : 1;
  machine::page_array<Real> next_contributions(vertices, machine::page_kind::used);
  while (!result.converged && result.iterations < options.iterations) {
    const pagerank_sweep<Vertex, Real> sweep{
        .in_offsets = graph.in().offsets.data(),
        .in_targets = graph.in().targets.data(),
        .out_offsets = graph.out().offsets.data(),
        .contributions = contributions.data(),
        .next_contributions = next_contributions.data(),
        .scores = scores.data(),
        .base = pagerank_base(options.damping, dangling, sharers),
        .damping = options.damping,
        .restart = restart.data(),
    };
    const auto sums = over_vertices<sweep_sums>(vertices, sweep, options, ctx);
    dangling = sums.dangling;
    contributions.swap(next_contributions);
    count_sweep(result, sums.change + noise<Real>, options, ctx);
  }
}

template <class Vertex>
pagerank_result power_iteration(const csr_graph<Vertex>& graph, const pagerank_options& options, const context& ctx) {
  const std::uint64_t vertices = graph.vertices();
  pagerank_result result;
  result.scores = machine::page_array<double>(vertices, machine::page_kind::used);
  machine::page_array<double> contributions(vertices, machine::page_kind::used);
  const machine::page_array<double> restart = shares_of(options.seeds, vertices);
  const pagerank_start start{
      .out_offsets = graph.out().offsets.data(),
      .scores = result.scores.data(),
      .contributions = contributions.data(),
      .rank = restart.empty() ? 1 / static_cast<double>(vertices) : 1,
      .restart = restart.data(),
  };
  const auto sums = over_vertices<sweep_sums>(vertices, start, options, ctx);
  iterate(result, graph, result.scores, contributions, sums.dangling, restart, options, ctx);
  return result;
}

/// Where accelerated iterations begin. Rank on dangling vertices is such that restarts get as much of it as they
/// spread: b = (1 - d + d D) / n for each vertex, and D = k b + (1 - n b) q on the k dangling ones, which have the
/// share q of all in-arcs.
template <class Vertex>
mixing_start start_of(const csr_graph<Vertex>& graph, const pagerank_options& options,
                      const machine::page_array<double>& restart, const context& ctx) {
  const std::uint64_t vertices = graph.vertices();
  const adjacency<Vertex>& in = graph.in();
  const double n = static_cast<double>(vertices);
  if (!restart.empty()) return {1, 0, in.offsets.data(), restart.data()};
  if (graph.arcs() == 0) return {1 / n, 0, in.offsets.data(), nullptr};
  struct dangling_sums {
    double vertices = 0;
    double arcs = 0;
    dangling_sums operator+(const dangling_sums& o) const { return {vertices + o.vertices, arcs + o.arcs}; }
  };
  const auto look = [&](std::uint64_t first, std::uint64_t last, dangling_sums found) {
    for (std::uint64_t v = first; v < last; ++v) {
      if (graph.out().degree(v) != 0) continue;
      found.vertices += 1;
      found.arcs += static_cast<double>(in.degree(v));
    }
    return found;
  };
  const auto dangling = over_vertices<dangling_sums>(vertices, look, options, ctx);
  const double arcs = static_cast<double>(in.targets.size());
  const double d = options.damping;
  const double q = dangling.arcs / arcs;
  const double base = (1 - d + d * q) / (n - d * dangling.vertices + d * n * q);
  return {base, (1 - n * base) / arcs, in.offsets.data(), nullptr};
}

/// Smaller changes are mostly rounding errors, of which no mixture is better than the last.
constexpr double least_mixed = 1e-12;

/// Whether mixing has brought more than it costs. A sweep with it takes as long as one without of a graph with some
/// seven arcs more for each vertex (measured in cache and out of it); one without makes the change smaller by a factor
/// close to the damping, or, on graphs where it is faster than that, one with does far better.
bool mixing_pays(const std::vector<double>& changes, double arcs_of_a_vertex, double damping) {
  constexpr std::size_t window = 5;
  const std::size_t sweeps = changes.size();
  if (sweeps != 9 && sweeps != 17 && sweeps != 33) return true;  // the first ones tell little
  const double cost = 1 + 7 / arcs_of_a_vertex;
  const double with = std::log(changes.back() / changes[sweeps - 1 - window]) / double{window};
  return with < cost * std::log(0.97 * damping);
}

template <class Real, class Vertex>
pagerank_result mixed_iteration(const csr_graph<Vertex>& graph, const pagerank_options& options, const context& ctx) {
  const std::uint64_t vertices = graph.vertices();
  const std::uint64_t* out_offsets = graph.out().offsets.data();
  const machine::page_array<double> restart = shares_of(options.seeds, vertices);
  const std::uint64_t sharers = restart.empty() ? vertices : 1;
  machine::page_array<Real> x(vertices, machine::page_kind::used);
  machine::page_array<Real> contributions(vertices, machine::page_kind::used);
  std::array<sweep_memory<Real>, mixed_sweeps> memory;
  std::array<std::array<double, mixed_sweeps>, mixed_sweeps> products{};

  std::vector<double> changes;
  pagerank_result result;
  mixed_sums before =
      over_vertices<mixed_sums>(vertices,
                                set_scores<Real, mixing_start>{out_offsets, x.data(), contributions.data(),
                                                               start_of(graph, options, restart, ctx)},
                                options, ctx);
  for (std::size_t slot = 0;; slot = (slot + 1) % mixed_sweeps) {
    sweep_memory<Real>& mine = memory[slot];
    if (mine.y.empty()) {
      mine.y = machine::page_array<Real>(vertices, machine::page_kind::used);
      mine.residual = machine::page_array<Real>(vertices, machine::page_kind::used);
    }
    const std::size_t sweeps = std::min<std::size_t>(result.iterations + 1, mixed_sweeps);
    const double scale = 1 / before.total;
    mixing_sweep<Vertex, Real> sweep{
        .in_offsets = graph.in().offsets.data(),
        .in_targets = graph.in().targets.data(),
        .contributions = contributions.data(),
        .x = x.data(),
        .y = mine.y.data(),
        .residual = mine.residual.data(),
        .residuals = {},
        .sweeps = sweeps,
        .scale = scale,
        .base = pagerank_base(options.damping, before.dangling * scale, sharers),
        .damping = options.damping,
        .restart = restart.data(),
    };
    for (std::size_t i = 0; i < sweeps; ++i) sweep.residuals[i] = memory[i].residual.data();
    const mixing_sums sums = over_vertices<mixing_sums>(vertices, sweep, options, ctx);
    count_sweep(result, sums.change + noise<Real>, options, ctx);
    if (result.converged || result.iterations == options.iterations) {
      result.scores = normalized(mine.y, sums.total);
      return result;
    }
    changes.push_back(sums.change);
    if (!mixing_pays(changes, static_cast<double>(graph.arcs()) / static_cast<double>(vertices), options.damping)) {
      const auto unmixed = [y = mine.y.data(), scale = 1 / sums.total](std::uint64_t v) {
        return scale * double{y[v]};
      };
      before = over_vertices<mixed_sums>(
          vertices, set_scores<Real, decltype(unmixed)>{out_offsets, x.data(), contributions.data(), unmixed}, options,
          ctx);
      memory = {};
      iterate(result, graph, x, contributions, before.dangling, restart, options, ctx);
      const auto sum = [&](std::uint64_t first, std::uint64_t last, double so_far) {
        for (std::uint64_t v = first; v < last; ++v) so_far += double{x[v]};
        return so_far;
      };
      const auto total = over_vertices<double>(vertices, sum, options, ctx);
      result.scores = normalized(x, total);
      return result;
    }
    for (std::size_t i = 0; i < sweeps; ++i) products[slot][i] = products[i][slot] = sums.products[i];
    mixture<Real> next{{}, {}, sweeps, mine.y.data()};
    for (std::size_t i = 0; i < sweeps; ++i) next.y[i] = memory[i].y.data();
    if (sums.change > least_mixed) {
      next.weights = mixing_weights(products, sweeps, slot);
    } else {
      next.weights[slot] = 1;
    }
    before = over_vertices<mixed_sums>(
        vertices, set_scores<Real, mixture<Real>>{out_offsets, x.data(), contributions.data(), next}, options, ctx);
  }
}

template <class Vertex>
pagerank_result pagerank_of(const csr_graph<Vertex>& graph, const pagerank_options& options, const context& ctx) {
  constexpr double single_precision = 1e-5;  // is far more than enough for a tolerance no smaller
  if (ctx.report != nullptr) ctx.report->begin("PageRank", options.iterations, "iterations");
  if (!options.accelerated) return power_iteration(graph, options, ctx);
  if (options.tolerance >= single_precision) return mixed_iteration<float>(graph, options, ctx);
  return mixed_iteration<double>(graph, options, ctx);
}

}  // namespace

pagerank_result pagerank(const any_graph& graph, const pagerank_options& options, const context& ctx) {
  check_pagerank_arguments(graph, options);
  return std::visit([&](const auto& g) { return pagerank_of(g, options, ctx); }, graph);
}

}  // namespace callisto::graph
