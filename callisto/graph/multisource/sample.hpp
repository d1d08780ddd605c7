// Random samples of vertices, what a mean over one tells, and an order of sources in which neighbours follow each
// other.
#pragma once

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Marks `count` different random numbers below n: the first ones of a random permutation.
inline machine::page_array<unsigned char> choose_vertices(std::uint64_t n, std::uint64_t count, std::uint64_t seed) {
  machine::page_array<unsigned char> chosen(n);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  const counter_random random(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + below(random(i), n - i)]);
    chosen[order[i]] = 1;
  }
  return chosen;
}

/// Returns the standard error of a mean over `k` terms from 0 to `range`, drawn without replacement from `population`;
/// `squares`: the sum of their squares. It is that of k + 1 terms, the last one at the farther end of the range: a few
/// sources have often most of a sum, and a sample that misses all of them has terms of nearly one size.
inline double error_of_mean(double sum, double squares, double k, double population, double range) noexcept {
  if (k >= population) return 0;
  if (k < 1) return std::numeric_limits<double>::infinity();
  const double mean = sum / k;
  const double far = std::max(mean, range - mean);
  const double spread = std::max(0.0, squares - sum * mean) + far * far * k / (k + 1);
  return std::sqrt(spread / k / (k + 1) * (1 - k / population));
}

/// Returns all vertices in the order of breadth-first searches, so that consecutive ones lie near each other: searches
/// from them reach most vertices at the same step and share the work there. Runs on one thread, in time of the arcs.
template <class Vertex>
std::vector<Vertex> breadth_first_order(const adjacency<Vertex>& rows) {
  const std::uint64_t n = rows.offsets.empty() ? 0 : rows.offsets.size() - 1;
  std::vector<Vertex> order;
  order.reserve(n);
  std::vector<bool> seen(n);
  for (std::uint64_t root = 0; root < n; ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    order.push_back(static_cast<Vertex>(root));
    for (std::size_t i = order.size() - 1; i < order.size(); ++i) {
      for (const Vertex w : rows.row(order[i])) {
        if (seen[w]) continue;
        seen[w] = true;
        order.push_back(w);
      }
    }
  }
  return order;
}

}  // namespace callisto::graph
