// FastRP: random vectors, averaged over neighbours.
#include <callisto/graph/embedding/embedding.hpp>

#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace callisto::graph {
namespace {

/// SplitMix64's mixer (Steele, Lea and Flood 2014).
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

template <class Vertex>
machine::page_array<float> fast_random_projection(const csr_graph<Vertex>& graph, const embedding_options& options,
                                                  const run_control& control) {
  if (options.dimensions == 0) throw usage_error("vectors of no dimension");
  if (options.steps.empty()) throw usage_error("no step counts");
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which this needs");
  const std::uint64_t n = graph.vertices();
  const std::uint64_t d = options.dimensions;
  const bool by_weight = options.weights == weight_use::strength && graph.weighted();
  const auto over_vertices = [&](auto f) {
    if (!parallel_for(std::uint64_t{0}, n, f, {.stop = control.stop})) throw cancelled();
  };
  if (control.report != nullptr) {
    control.report->begin("vectors", graph.arcs() * (options.steps.size() - 1), "arcs");
  }
  machine::page_array<float> now(n * d);
  machine::page_array<float> next(options.steps.size() > 1 ? n * d : 0);
  machine::page_array<float> sum(n * d);
  over_vertices([&](std::uint64_t v) {
    const std::uint64_t degree = graph.out().degree(v) + (graph.directed() ? graph.in().degree(v) : 0);
    const double scale = degree == 0 ? 1 : std::pow(static_cast<double>(degree), options.degree_power);
    const std::uint64_t key = mixed(options.seed) ^ mixed(graph.label(v) + 1);
    for (std::uint64_t i = 0; i < d; ++i) {
      // One in six entries is 1, one in six -1.
      const std::uint64_t sixth = (mixed(key + i) >> 32) * 6 >> 32;
      now[v * d + i] = sixth == 0 ? static_cast<float>(scale) : sixth == 1 ? static_cast<float>(-scale) : 0.0F;
    }
  });
  const auto add_scaled = [&](std::uint64_t v, double counts) {
    double square = 0;
    for (std::uint64_t i = 0; i < d; ++i) square += static_cast<double>(now[v * d + i]) * now[v * d + i];
    if (square == 0 || counts == 0) return;
    const auto by = static_cast<float>(counts / std::sqrt(square));
    for (std::uint64_t i = 0; i < d; ++i) sum[v * d + i] += by * now[v * d + i];
  };
  over_vertices([&](std::uint64_t v) { add_scaled(v, options.steps.front()); });
  for (std::size_t step = 1; step < options.steps.size(); ++step) {
    over_vertices([&](std::uint64_t v) {
      float* const mine = next.data() + v * d;
      std::fill(mine, mine + d, 0.0F);
      double all = 0;
      const auto add = [&](const adjacency<Vertex>& rows) {
        for (std::uint64_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a) {
          const double weight = by_weight ? static_cast<double>(rows.weights[a]) : 1;
          if (weight < 0) throw usage_error("a weight is negative, and cannot be the strength of a tie");
          all += weight;
          const float* const other = now.data() + std::uint64_t{rows.targets[a]} * d;
          const auto by = static_cast<float>(weight);
          for (std::uint64_t i = 0; i < d; ++i) mine[i] += by * other[i];
        }
      };
      add(graph.out());
      if (graph.directed()) add(graph.in());
      if (all > 0) {
        const auto by = static_cast<float>(1 / all);
        for (std::uint64_t i = 0; i < d; ++i) mine[i] *= by;
      }
    });
    std::swap(now, next);
    over_vertices([&](std::uint64_t v) { add_scaled(v, options.steps[step]); });
    if (control.report != nullptr) control.report->advance(graph.arcs());
  }
  over_vertices([&](std::uint64_t v) {
    double square = 0;
    for (std::uint64_t i = 0; i < d; ++i) square += static_cast<double>(sum[v * d + i]) * sum[v * d + i];
    if (square == 0) return;
    const auto by = static_cast<float>(1 / std::sqrt(square));
    for (std::uint64_t i = 0; i < d; ++i) sum[v * d + i] *= by;
  });
  return sum;
}

template CALLISTO_API machine::page_array<float> fast_random_projection(const csr_graph<std::uint32_t>&,
                                                                        const embedding_options&, const run_control&);
template CALLISTO_API machine::page_array<float> fast_random_projection(const csr_graph<std::uint64_t>&,
                                                                        const embedding_options&, const run_control&);

std::uint64_t needs::fast_random_projection(const any_graph& graph, std::uint32_t dimensions) noexcept {
  return 3 * sizeof(float) * std::uint64_t{dimensions} * size_of(graph).n;
}

}  // namespace callisto::graph
