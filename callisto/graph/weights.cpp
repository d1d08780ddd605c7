// Looking at weights with Callisto's loops.
#include <callisto/graph/weights.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace callisto::graph {

weight_survey survey(std::span<const double> weights, weight_survey found) noexcept {
  // Lanes, because a chain of comparisons is slower than memory. Adding 2^52 rounds to a whole number.
  constexpr std::size_t lanes = 4;
  std::array<double, lanes> most{};
  std::array<double, lanes> wrong{};
  std::array<double, lanes> parts{};
  std::size_t a = 0;
  for (; a + lanes <= weights.size(); a += lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const double w = weights[a + i];
      most[i] = most[i] < w ? w : most[i];
      wrong[i] = w >= 0 ? wrong[i] : 1;
      parts[i] = w + 0x1p52 - 0x1p52 == w ? parts[i] : 1;
    }
  }
  for (; a < weights.size(); ++a) {
    const double w = weights[a];
    most[0] = std::max(most[0], w);
    if (!(w >= 0)) wrong[0] = 1;
    if (w != std::floor(w)) parts[0] = 1;
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    found = found + weight_survey{most[i], wrong[i] != 0, parts[i] == 0};
  }
  return found;
}

template <class Vertex>
void refuse_weights(const csr_graph<Vertex>& graph, std::string_view what) {
  const auto& out = graph.out();
  const double* wrong = std::find_if_not(out.weights.begin(), out.weights.end(),
                                         [](double w) { return w >= 0 && w <= std::numeric_limits<double>::max(); });
  const auto arc = static_cast<std::uint64_t>(wrong - out.weights.begin());
  const auto row = std::upper_bound(out.offsets.begin(), out.offsets.end(), arc) - out.offsets.begin() - 1;
  throw weight_error(fmt::format("the edge from {} to {} has weight {}; {} need weights of at least 0",
                                 graph.label(static_cast<std::uint64_t>(row)), graph.label(out.targets[arc]), *wrong,
                                 what));
}

template <class Vertex>
weight_survey look_at_weights(const csr_graph<Vertex>& graph, const context& ctx) {
  const double* weights = graph.out().weights.data();
  const auto look = [&](std::uint64_t first, std::uint64_t last, weight_survey found) {
    return survey({weights + first, static_cast<std::size_t>(last - first)}, found);
  };
  const weight_survey found = parallel_reduce(std::uint64_t{0}, graph.arcs(), weight_survey{}, look, std::plus<>{},
                                              loop_options{.stop = ctx.stop});
  ctx.check();
  return found;
}

template <class Vertex>
weight_survey survey_weights(const csr_graph<Vertex>& graph, std::string_view what, const context& ctx) {
  if (!graph.weighted()) return {};
  const weight_survey found = graph.known_weights() ? *graph.known_weights() : look_at_weights(graph, ctx);
  if (found.refused()) refuse_weights(graph, what);
  return found;
}

namespace {

struct short_weights {
  weight_survey found;                      ///< what is known of the weights
  machine::page_array<std::uint16_t> copy;  ///< empty if they are not short
};

/// Looks at weights and copies them at once, piece by piece, each while it is in a cache.
short_weights shorten(const machine::page_array<double>& weights, const context& ctx) {
  constexpr std::uint64_t piece = 1024;
  short_weights result{{}, machine::page_array<std::uint16_t>(weights.size())};
  const auto look = [&](std::uint64_t first, std::uint64_t last, weight_survey found) {
    for (std::uint64_t at = first; at < last; at += piece) {
      const std::uint64_t end = std::min(at + piece, last);
      found = survey({weights.data() + at, static_cast<std::size_t>(end - at)}, found);
      if (!found.is_short()) continue;
      // Through 32 bits, because there are vector instructions for these.
      std::transform(weights.data() + at, weights.data() + end, result.copy.data() + at,
                     [](double w) { return static_cast<std::uint16_t>(static_cast<std::int32_t>(w)); });
    }
    return found;
  };
  result.found = parallel_reduce(std::uint64_t{0}, std::uint64_t{weights.size()}, weight_survey{}, look, std::plus<>{},
                                 loop_options{.stop = ctx.stop});
  ctx.check();
  if (!result.found.is_short()) result.copy = {};
  return result;
}

}  // namespace

template <class Vertex>
csr_graph<Vertex> surveyed(csr_graph<Vertex>&& graph, const context& ctx) {
  if (!graph.weighted()) return std::move(graph);
  short_weights out = shorten(graph.out().weights, ctx);
  short_weights in;
  if (graph.directed() && !out.copy.empty()) in = shorten(graph.in().weights, ctx);
  return std::move(graph).with_short_weights(std::move(out.copy), std::move(in.copy)).knowing_weights(out.found);
}

template void refuse_weights(const csr_graph<std::uint32_t>&, std::string_view);
template void refuse_weights(const csr_graph<std::uint64_t>&, std::string_view);
template weight_survey look_at_weights(const csr_graph<std::uint32_t>&, const context&);
template weight_survey look_at_weights(const csr_graph<std::uint64_t>&, const context&);
template weight_survey survey_weights(const csr_graph<std::uint32_t>&, std::string_view, const context&);
template weight_survey survey_weights(const csr_graph<std::uint64_t>&, std::string_view, const context&);
template csr_graph<std::uint32_t> surveyed(csr_graph<std::uint32_t>&&, const context&);
template csr_graph<std::uint64_t> surveyed(csr_graph<std::uint64_t>&&, const context&);

}  // namespace callisto::graph
