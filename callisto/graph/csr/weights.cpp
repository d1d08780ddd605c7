// Surveys of weights with Callisto's loops.
#include <callisto/graph/csr/called.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {

weight_survey survey(std::span<const double> weights, weight_survey found) noexcept {
  // Four lanes: one chain of comparisons would be slower than memory. Adding 2^52 rounds to a whole number.
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

weight_survey survey(std::span<const short_weight> weights, weight_survey found) noexcept {
  short_weight most = 0;
  for (const short_weight w : weights) most = std::max(most, w);
  return found + weight_survey{.most = static_cast<double>(most)};
}

namespace {

/// An arc with its weight.
struct refused_arc {
  std::uint64_t from;
  std::uint64_t to;
  double weight;
};

/// Returns the first arc behind `arc` with a weight that is refused; there is one.
template <class Vertex>
refused_arc first_refused(const csr_graph<Vertex>& graph, std::uint64_t arc) {
  const auto& out = graph.out();
  while (out.weights[arc] >= 0 && out.weights[arc] <= std::numeric_limits<double>::max()) ++arc;
  const auto row = std::upper_bound(out.offsets.begin(), out.offsets.end(), arc) - out.offsets.begin() - 1;
  return {static_cast<std::uint64_t>(row), out.targets[arc], out.weights[arc]};
}

template <class Vertex>
[[noreturn]] void refuse(const csr_graph<Vertex>& graph, const refused_arc& arc, std::string_view what) {
  throw weight_error(fmt::format("the edge from {} to {} has weight {}; {} need weights of at least 0",
                                 called(graph, arc.from), called(graph, arc.to), arc.weight, what));
}

template <class Vertex>
weight_survey survey_arcs(const csr_graph<Vertex>& graph, std::uint64_t first, std::uint64_t last,
                          const run_control& control) {
  const auto look = [&](std::uint64_t from, std::uint64_t to, weight_survey found) {
    return graph.out().weights.visit([&](auto weights) { return survey(weights.subspan(from, to - from), found); });
  };
  const weight_survey found =
      parallel_reduce(first, last, weight_survey{}, look, std::plus<>{}, loop_options{.stop = control.stop});
  control.check();
  return found;
}

}  // namespace

template <class Vertex>
void refuse_weights(const csr_graph<Vertex>& graph, std::string_view what) {
  refuse(graph, first_refused(graph, 0), what);
}

template <class Vertex>
weight_survey survey_weights_among(const csr_graph<Vertex>& graph, std::string_view what,
                                   const shared_control& control) {
  if (control.among == nullptr) return survey_weights(graph, what, control);
  if (!graph.weighted()) return {};
  partners& among = *control.among;
  const std::uint64_t first = graph.out().offsets[among.first()];
  const std::uint64_t last = graph.out().offsets[among.last()];
  const weight_survey own = survey_arcs(graph, first, last, control);
  const weight_survey found = among.sum(own);
  if (!found.refused()) return found;
  // The first such arc of all processes goes to the one that has names.
  std::vector<refused_arc> refused;
  if (own.refused()) refused.push_back(first_refused(graph, first));
  std::vector<std::uint64_t> counts(among.count());
  counts.front() = refused.size();
  refused = among.exchange(refused, counts);
  if (among.tells()) refuse(graph, refused.front(), what);
  throw weight_error("a weight cannot be used");
}

template <class Vertex>
weight_survey survey_of_among(const csr_graph<Vertex>& graph, const shared_control& control) {
  if (control.among == nullptr || !graph.weighted()) return survey_of(graph, control);
  const std::vector<std::uint64_t>& bounds = control.among->bounds();
  const std::size_t me = control.among->number();
  return control.among->sum(
      survey_arcs(graph, graph.out().offsets[bounds[me]], graph.out().offsets[bounds[me + 1]], control));
}

template <class Vertex>
weight_survey look_at_weights(const csr_graph<Vertex>& graph, const run_control& control) {
  return survey_arcs(graph, 0, graph.out().weights.size(), control);
}

template <class Vertex>
weight_survey survey_weights(const csr_graph<Vertex>& graph, std::string_view what, const run_control& control) {
  if (!graph.weighted()) return {};
  const weight_survey found = survey_of(graph, control);
  if (found.refused()) refuse_weights(graph, what);
  return found;
}

namespace {

/// The survey of some weights, and whether all of them are short.
struct shortening {
  weight_survey found;
  bool all_short = true;

  friend shortening operator+(const shortening& a, const shortening& b) noexcept {
    return {a.found + b.found, a.all_short && b.all_short};
  }
};

/// Surveys weights and converts them to short ones in the same pass, in pieces that stay in a cache. If a weight is not
/// short, `to` is left empty.
shortening shorten(std::span<const double> weights, weight_array::short_form& to, const run_control& control) {
  constexpr std::uint64_t piece = 1024;
  to = weight_array::short_form(weights.size());
  const auto look = [&](std::uint64_t first, std::uint64_t last, shortening seen) {
    for (std::uint64_t at = first; at < last; at += piece) {
      const auto some = weights.subspan(at, std::min(piece, last - at));
      seen.found = survey(some, seen.found);
      seen.all_short = seen.all_short && are_short(some);
      if (seen.all_short) std::transform(some.begin(), some.end(), to.begin() + at, weight_as<short_weight, double>);
    }
    return seen;
  };
  const shortening seen = parallel_reduce(std::uint64_t{0}, std::uint64_t{weights.size()}, shortening{}, look,
                                          std::plus<>{}, loop_options{.stop = control.stop});
  control.check();
  if (!seen.all_short) to = {};
  return seen;
}

}  // namespace

weight_array in_least_room(machine::page_array<double> wide, const run_control& control) {
  weight_array::short_form narrow;
  if (shorten({wide.data(), wide.size()}, narrow, control).all_short) return narrow;
  return wide;
}

template <class Vertex>
csr_graph<Vertex> surveyed(csr_graph<Vertex>&& graph, const run_control& control) {
  if (!graph.weighted()) return std::move(graph);
  const auto known = [&](const weight_survey& found) { return std::move(graph).knowing_weights(found); };
  if (graph.has_short_weights()) return known(look_at_weights(graph, control));
  const auto wide = [](const weight_array& weights) {
    return std::span<const double>(weights.data<double>(), weights.size());
  };
  weight_array::short_form out;
  weight_array::short_form in;
  const shortening seen = shorten(wide(graph.out().weights), out, control);
  const bool has_in = graph.directed() && !graph.in().weights.empty();
  if (!seen.all_short || (has_in && !shorten(wide(graph.in().weights), in, control).all_short))
    return known(seen.found);
  graph = std::move(graph).with_weights(std::move(out), std::move(in));
  return known(seen.found);
}

template void refuse_weights(const csr_graph<std::uint32_t>&, std::string_view);
template void refuse_weights(const csr_graph<std::uint64_t>&, std::string_view);
template weight_survey look_at_weights(const csr_graph<std::uint32_t>&, const run_control&);
template weight_survey look_at_weights(const csr_graph<std::uint64_t>&, const run_control&);
template CALLISTO_API weight_survey survey_weights_among(const csr_graph<std::uint32_t>&, std::string_view,
                                                         const shared_control&);
template CALLISTO_API weight_survey survey_weights_among(const csr_graph<std::uint64_t>&, std::string_view,
                                                         const shared_control&);
template weight_survey survey_of_among(const csr_graph<std::uint32_t>&, const shared_control&);
template weight_survey survey_of_among(const csr_graph<std::uint64_t>&, const shared_control&);
template weight_survey survey_weights(const csr_graph<std::uint32_t>&, std::string_view, const run_control&);
template weight_survey survey_weights(const csr_graph<std::uint64_t>&, std::string_view, const run_control&);
template csr_graph<std::uint32_t> surveyed(csr_graph<std::uint32_t>&&, const run_control&);
template csr_graph<std::uint64_t> surveyed(csr_graph<std::uint64_t>&&, const run_control&);

}  // namespace callisto::graph
