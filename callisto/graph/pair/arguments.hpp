// Checks of arguments, and types, that all functions of this folder share.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Arcs that are 1 long each, in place of a span of weights.
struct unit_lengths {
  double operator[](std::uint64_t) const noexcept { return 1; }
};

/// Vertices or their numbers that wait, by distance; of equally distant ones the smaller is first.
template <class Number>
using waiting_queue =
    std::priority_queue<std::pair<double, Number>, std::vector<std::pair<double, Number>>, std::greater<>>;

/// Steps between two looks at run_control.
inline constexpr std::uint64_t steps_between_checks = 4096;

template <class Vertex>
void check_pair(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target, const pair_options& options,
                const run_control& control) {
  for (const auto& [what, v] : {std::pair("source", source), std::pair("target", target)}) {
    if (v >= graph.vertices()) {
      throw usage_error(fmt::format("the {} is vertex {} of a graph that has {}", what, v, graph.vertices()));
    }
  }
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which paths between two vertices need");
  if (!options.weighted || graph.arcs() == 0) return;
  if (!graph.weighted()) throw usage_error("the graph has no weights, which lengths of paths need");
  survey_weights(graph, "shortest paths", control);
}

/// Returns f(lengths of out-arcs, lengths of in-arcs): spans of weights of one form, or unit_lengths.
template <class Vertex, class F>
decltype(auto) with_lengths(const csr_graph<Vertex>& graph, bool weighted, F f) {
  if (!weighted || graph.arcs() == 0) return f(unit_lengths(), unit_lengths());
  return graph.out().weights.visit([&]<class Weight>(std::span<const Weight> out) {
    return f(out, std::span<const Weight>(graph.in().weights.template data<Weight>(), graph.in().weights.size()));
  });
}

}  // namespace callisto::graph
