// The sequential check of closeness.
#include <callisto/graph/verify/closeness.hpp>
#include <callisto/graph/verify/heap_distances.hpp>
#include <callisto/graph/verify/require.hpp>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

template <class Vertex>
void check(const csr_graph<Vertex>& graph, const closeness_options& options, const closeness_result& result,
           std::uint64_t most, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  const bool weights = options.weights == weight_use::length && graph.weighted();
  require(result.scores.size() == n, "{} scores, expected {}", result.scores.size(), n);
  require((result.weights == weight_use::length) == (weights && n != 0), "weights are taken for {}",
          name_of(result.weights));
  const std::vector<std::uint64_t> sources = closeness_sources(n, options);
  require(result.sources == sources.size(), "{} sources, expected {}", result.sources, sources.size());
  const std::uint64_t count = std::min(most, n);
  sequential_stage checking(control, "checking", count, "searches");
  for (std::uint64_t i = 0; i < count; ++i) {
    checking.step();
    const std::uint64_t v = n / count * i + n % count * i / count;
    const auto found = heap_distances<Vertex>({options.outgoing ? &graph.out() : &graph.in()}, v, weights);
    double others = 0;
    double reached = 0;
    double sum = 0;
    for (const std::uint64_t s : sources) {
      if (s == v) continue;
      others += 1;
      if (std::isinf(found[s])) continue;
      reached += 1;
      if (options.harmonic) {
        sum += found[s] == 0 ? 0 : 1 / found[s];
      } else {
        sum += found[s];
      }
    }
    double expected = 0;
    if (others > 0 && options.harmonic) expected = sum / others;
    if (options.harmonic && !options.normalized) expected *= static_cast<double>(n - 1);
    if (others > 0 && !options.harmonic && sum > 0) expected = reached / sum * (reached / others);
    require(std::fabs(result.scores[v] - expected) <= 1e-9 * expected, "score {} of vertex {}, expected {}",
            result.scores[v], called(graph, v), expected);
  }
}

}  // namespace

void verify_closeness(const any_graph& graph, const closeness_options& options, const closeness_result& result,
                      std::uint64_t most, const run_control& control) {
  std::visit([&](const auto& g) { check(g, options, result, most, control); }, graph);
}

}  // namespace callisto::graph
