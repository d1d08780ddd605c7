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

/// Returns the size of a usual term, given the sums over all means of their terms and of the terms' squares: the mean
/// size of the terms, each counted as often as it is large. `otherwise`: what to take if no term is above 0.
inline double usual_term(double sum, double squares, double otherwise) noexcept {
  return sum > 0 ? squares / sum : otherwise;
}

/// Returns the standard error of a mean over `k` terms of at least 0, drawn without replacement from `population`;
/// `squares`: the sum of their squares. To the error of that sample, by its variance, it adds how far one more term of
/// the size `usual` would move the mean: a few sources have often most of a sum, and a sample that misses all of them
/// has terms of nearly one size.
inline double error_of_mean(double sum, double squares, double k, double population, double usual) noexcept {
  if (k >= population) return 0;
  if (k < 1) return std::numeric_limits<double>::infinity();
  const double mean = sum / k;
  const double off = std::fabs(usual - mean);
  const double left = 1 - k / population;
  if (k < 2) return std::max(mean, off) * std::sqrt(left);
  const double variance = std::max(0.0, squares - sum * mean) / (k - 1);
  const double moved = off / (k + 1);
  return std::sqrt((variance / k + moved * moved) * left);
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
