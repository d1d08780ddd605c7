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

template <class Vertex>
weight_array draw(const adjacency<Vertex>& rows, bool directed, bool reversed, std::uint64_t seed,
                  const run_control& control) {
  const std::uint64_t vertices = rows.offsets.empty() ? 0 : rows.offsets.size() - 1;
  return draw_random_weights(rows, {0, vertices}, {directed, reversed}, seed, control);
}

}  // namespace

template <class Vertex>
weight_array::short_form draw_random_weights(const adjacency<Vertex>& rows,
                                             const std::pair<std::uint64_t, std::uint64_t>& of, arc_meaning meaning,
                                             std::uint64_t seed, const run_control& control) {
  const std::uint64_t before = rows.offsets.empty() ? 0 : rows.offsets[of.first];
  weight_array::short_form weights(rows.offsets.empty() ? 0 : rows.offsets[of.second] - before);
  const auto draw_row = [&](std::uint64_t v) {
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
      std::uint64_t from = v;
      std::uint64_t to = rows.targets[a];
      if (meaning.directed ? meaning.reversed : from > to) std::swap(from, to);
      weights[a - before] = static_cast<short_weight>(1 + below(counter_random(seed, from)(to), heaviest));
    }
  };
  if (!parallel_for(of.first, of.second, draw_row, {.stop = control.stop})) throw cancelled();
  return weights;
}

template CALLISTO_API weight_array::short_form draw_random_weights(const adjacency<std::uint32_t>&,
                                                                   const std::pair<std::uint64_t, std::uint64_t>&,
                                                                   arc_meaning, std::uint64_t, const run_control&);
template CALLISTO_API weight_array::short_form draw_random_weights(const adjacency<std::uint64_t>&,
                                                                   const std::pair<std::uint64_t, std::uint64_t>&,
                                                                   arc_meaning, std::uint64_t, const run_control&);

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
