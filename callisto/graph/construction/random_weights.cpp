// Weights as a function of a seed and an edge.
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace callisto::graph {
namespace {

constexpr short_weight heaviest = 255;

/// Returns weights for `rows`. Row v holds the targets of arcs from v or, if `reversed`, the sources of arcs to v.
template <class Vertex>
weight_array draw(const adjacency<Vertex>& rows, bool directed, bool reversed, std::uint64_t seed,
                  const run_control& control) {
  weight_array::short_form weights(rows.targets.size());
  const std::uint64_t vertices = rows.offsets.empty() ? 0 : rows.offsets.size() - 1;
  const auto draw_row = [&](std::uint64_t v) {
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
      std::uint64_t from = v;
      std::uint64_t to = rows.targets[a];
      if (directed ? reversed : from > to) std::swap(from, to);
      weights[a] = static_cast<short_weight>(1 + below(counter_random(seed, from)(to), heaviest));
    }
  };
  if (!parallel_for(std::uint64_t{0}, vertices, draw_row, {.stop = control.stop})) throw cancelled();
  return weights;
}

}  // namespace

any_graph with_random_weights(any_graph&& graph, std::uint64_t seed, const run_control& control) {
  return std::visit(
      [&](auto&& g) -> any_graph {
        auto out = draw(g.out(), g.directed(), false, seed, control);
        weight_array in;
        if (g.directed() && g.has_in()) in = draw(g.in(), true, true, seed, control);
        return surveyed(std::forward<decltype(g)>(g).with_weights(std::move(out), std::move(in)), control);
      },
      std::move(graph));
}

std::uint64_t needs::random_weights(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return sizeof(short_weight) * s.m * (s.directed ? 2 : 1);
}

}  // namespace callisto::graph
