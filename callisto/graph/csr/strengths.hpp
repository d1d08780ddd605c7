// The strengths of vertices: sums of the weights at each.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>

namespace callisto::graph {

/// Returns the sum of the weights of each row, in the order of the row. Throws cancelled.
template <class Vertex>
machine::page_array<double> strengths(const adjacency<Vertex>& rows, const run_control& control) {
  const std::uint64_t n = rows.offsets.empty() ? 0 : rows.offsets.size() - 1;
  machine::page_array<double> sums(n, machine::page_kind::used);
  rows.weights.visit([&](auto weights) {
    const auto sum = [&](std::uint64_t v) {
      const auto row = weights.subspan(rows.offsets[v], rows.degree(v));
      sums[v] = std::accumulate(row.begin(), row.end(), 0.0);
    };
    if (!parallel_for(std::uint64_t{0}, n, sum, {.stop = control.stop})) throw cancelled();
  });
  return sums;
}

}  // namespace callisto::graph
