// Sampling a graph's weights and degrees to choose the buckets of delta-stepping.
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/sssp/choose_delta.hpp>
#include <callisto/graph/sssp/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

constexpr std::uint64_t samples = 1024;

/// Returns the valid ones of some weights, ascending.
std::vector<double> in_order(std::vector<double> sample) {
  std::erase_if(sample, [](double w) { return !(w >= 0 && w <= std::numeric_limits<double>::max()); });
  std::sort(sample.begin(), sample.end());
  return sample;
}

/// Estimates the arcs of a vertex that has arcs, if `connected` of the sampled vertices have some.
template <class Vertex>
double sampled_degree(const csr_graph<Vertex>& graph, std::uint64_t connected) {
  const double share = static_cast<double>(connected + 1) / double{samples + 1};
  return static_cast<double>(graph.arcs()) / (share * static_cast<double>(graph.vertices()));
}

}  // namespace

std::vector<std::uint64_t> sampled_arcs(std::uint64_t arcs) {
  const counter_random random(1);
  std::vector<std::uint64_t> sample(arcs == 0 ? 0 : samples);
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = below(random(i), arcs);
  return sample;
}

template <class Vertex>
std::uint64_t sampled_with_arcs(const csr_graph<Vertex>& graph, std::uint64_t first, std::uint64_t last) {
  const counter_random random(2);
  std::uint64_t connected = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t v = below(random(i), graph.vertices());
    if (v >= first && v < last) connected += graph.out().degree(v) != 0 ? 1 : 0;
  }
  return connected;
}

template <class Vertex>
delta_choice choose_delta(const csr_graph<Vertex>& graph, double given) {
  std::vector<double> weights;
  for (const std::uint64_t a : sampled_arcs(graph.arcs())) weights.push_back(graph.out().weights[a]);
  return choose_delta(graph, given, std::move(weights), sampled_with_arcs(graph, 0, graph.vertices()));
}

template <class Vertex>
delta_choice choose_delta(const csr_graph<Vertex>& graph, double given, std::vector<double> weights,
                          std::uint64_t connected) {
  delta_choice choice;
  const std::vector<double> sample = in_order(std::move(weights));
  if (sample.empty()) return choice;
  choice.degree = sampled_degree(graph, connected);
  const auto lightest = [&](double share) {
    return sample[std::min(static_cast<std::size_t>(share * static_cast<double>(sample.size())), sample.size() - 1)];
  };
  if (given > 0) {
    choice.delta = choice.light = given;
  } else if (choice.degree >= delta_limits::least_degree_to_split) {
    choice.delta = lightest(delta_limits::arcs_within_bucket / choice.degree);
    choice.light = lightest(delta_limits::share_of_light_arcs);
  } else {
    choice.delta = 4 * lightest(0.5);
  }
  const auto no_heavier = std::upper_bound(sample.begin(), sample.end(), choice.light) - sample.begin();
  if (2 * static_cast<std::size_t>(no_heavier) > sample.size()) choice.light = sssp_result::unreached;
  if (!(choice.delta > 0)) choice.delta = 1;
  choice.light_share = static_cast<double>(no_heavier) / static_cast<double>(sample.size());
  return choice;
}

template CALLISTO_API delta_choice choose_delta(const csr_graph<std::uint32_t>&, double);
template CALLISTO_API delta_choice choose_delta(const csr_graph<std::uint64_t>&, double);
template CALLISTO_API delta_choice choose_delta(const csr_graph<std::uint32_t>&, double, std::vector<double>,
                                                std::uint64_t);
template CALLISTO_API delta_choice choose_delta(const csr_graph<std::uint64_t>&, double, std::vector<double>,
                                                std::uint64_t);
template CALLISTO_API std::uint64_t sampled_with_arcs(const csr_graph<std::uint32_t>&, std::uint64_t, std::uint64_t);
template CALLISTO_API std::uint64_t sampled_with_arcs(const csr_graph<std::uint64_t>&, std::uint64_t, std::uint64_t);

}  // namespace callisto::graph
