// Repeated edges become one edge, with the sum or the largest of their weights: a pass over sorted rows.
#pragma once

#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph::construction {

/// Returns what sorting does with repeats so that `wanted` can follow: keeps them for with_repeats_merged(), or does
/// all that is wanted.
constexpr repeats while_sorting(repeats wanted, bool weighted) noexcept {
  if (wanted == repeats::sum || (weighted && wanted == repeats::sum_weights)) return repeats::keep;
  if (weighted && wanted == repeats::heaviest) return repeats::keep;
  return wanted == repeats::first || wanted == repeats::keep ? wanted : repeats::remove;
}

/// True if with_repeats_merged() has to follow.
constexpr bool is_merged_later(repeats wanted, bool weighted) noexcept {
  return wanted != repeats::keep && while_sorting(wanted, weighted) == repeats::keep;
}

/// Thrown if the weights of the edges from `from` to `to` have no finite sum.
template <class Vertex>
struct no_finite_sum {
  std::uint64_t from;
  Vertex to;
};

/// Returns rows with one arc for each run of equal targets in a row of `rows`, weighted as `how` says (sum, sum_weights
/// or heaviest). Equal targets are adjacent, by ascending weight; both rows of an undirected edge add in the same
/// order, so their sums are equal. `undirected`: the rows hold each edge in both directions. Memory: the rows once
/// more. Throws no_finite_sum, cancelled and
/// std::bad_alloc. Instances: both vertex types.
template <class Vertex>
adjacency<Vertex> with_repeats_merged(adjacency<Vertex> rows, repeats how, bool undirected, const run_control& control);

}  // namespace callisto::graph::construction
