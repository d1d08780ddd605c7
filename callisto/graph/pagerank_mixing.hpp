// The bodies of the loops of accelerated PageRank, and the weights with which it mixes sweeps.
//
// A sweep makes of the scores x the scores y(x); they are right where the residual f = y - x is zero. Anderson mixing
// (Walker and Ni, "Anderson acceleration for fixed-point iterations", SIAM J. Numerical Analysis 2011) goes on not from
// the last y, but from the combination of the last few with the smallest residual. PageRank being linear, that is GMRES
// begun anew every few sweeps, whose sweeps are as few as those of the quadratic extrapolation of Kamvar et al. (WWW
// 2003) or fewer.
#pragma once

#include <callisto/graph/pagerank_kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace callisto::graph {

/// How many sweeps are mixed.
inline constexpr std::size_t mixed_sweeps = 4;

template <class Real>
struct sweep_memory {
  machine::page_array<Real> y;
  machine::page_array<Real> residual;
};

/// What a sweep learns; the sums of several threads add up.
struct mixing_sums {
  double change = 0;                               ///< L1 norm of the residual
  double total = 0;                                ///< of y
  std::array<double, mixed_sweeps> products = {};  ///< of the residual and those of all sweeps in memory, by slot

  friend mixing_sums operator+(mixing_sums a, const mixing_sums& b) {
    a.change += b.change;
    a.total += b.total;
    for (std::size_t i = 0; i < mixed_sweeps; ++i) a.products[i] += b.products[i];
    return a;
  }
};

/// What mixing learns about x.
struct mixed_sums {
  double total = 0;
  double dangling = 0;  ///< on vertices without out-arcs

  friend mixed_sums operator+(mixed_sums a, mixed_sums b) { return {a.total + b.total, a.dangling + b.dangling}; }
};

/// The first scores: the ranks that all vertices get, and the rest by in-degree, as if one more sweep from scores by
/// out-degree had been made. Of an undirected graph that is one sweep from where its random walk ends without restarts.
struct mixing_start {
  double base;    ///< of each vertex
  double by_arc;  ///< for each in-arc
  const std::uint64_t* in_offsets;
  const double* restart;  ///< the share of each vertex in `base`, or none

  double operator()(std::uint64_t v) const noexcept {
    const double degree = static_cast<double>(in_offsets[v + 1] - in_offsets[v]);
    return (restart == nullptr ? base : base * restart[v]) + by_arc * degree;
  }
};

/// Sets x and contributions of [first, last) to value(v).
template <class Real, class Value>
struct set_scores {
  const std::uint64_t* out_offsets;
  Real* x;
  Real* contributions;
  Value value;

  mixed_sums operator()(std::uint64_t first, std::uint64_t last, mixed_sums running) const noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      const std::uint64_t degree = out_offsets[v + 1] - out_offsets[v];
      const auto score = static_cast<Real>(value(v));
      x[v] = score;
      contributions[v] = degree == 0 ? Real{0} : static_cast<Real>(double{score} / static_cast<double>(degree));
      running.total += double{score};
      if (degree == 0) running.dangling += double{score};
    }
    return running;
  }
};

/// The mixture of what sweeps made, the last of which stands in for values below zero.
template <class Real>
struct mixture {
  std::array<const Real*, mixed_sweeps> y;  ///< those of the sweeps in memory come first
  std::array<double, mixed_sweeps> weights;
  std::size_t sweeps;
  const Real* last;

  double operator()(std::uint64_t v) const noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < sweeps; ++i) sum += weights[i] * double{y[i][v]};
    return sum >= 0 ? sum : double{last[v]};
  }
};

/// One sweep over the vertices in [first, last), from x by its contributions to y. Sweeps over disjoint ranges may run
/// at once.
template <class Vertex, class Real>
struct mixing_sweep {
  const std::uint64_t* in_offsets;
  const Vertex* in_targets;
  const Real* contributions;
  const Real* x;
  Real* y;
  Real* residual;
  std::array<const Real*, mixed_sweeps> residuals;  ///< of all slots in use, this one's among them
  std::size_t sweeps;                               ///< slots in use
  double scale;                                     ///< makes the sum of x 1
  double base;                                      ///< as in pagerank_sweep
  double damping;
  const double* restart;

  mixing_sums operator()(std::uint64_t first, std::uint64_t last, mixing_sums running) const noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      const double pulled = gather_sum(contributions, in_targets + in_offsets[v], in_targets + in_offsets[v + 1]);
      const double score = (restart == nullptr ? base : base * restart[v]) + damping * scale * pulled;
      const double f = score - scale * double{x[v]};
      running.change += std::abs(f);
      y[v] = static_cast<Real>(score);
      running.total += double{y[v]};
      residual[v] = static_cast<Real>(f);
      for (std::size_t i = 0; i < sweeps; ++i) running.products[i] += f * double{residuals[i][v]};
    }
    return running;
  }
};

/// The weights, of sum 1, with which the residuals of the sweeps in the first `sweeps` slots have the smallest sum, in
/// the Euclidean norm, given their products. `last` is the slot of the last sweep, which gets what the others do not.
inline std::array<double, mixed_sweeps> mixing_weights(
    const std::array<std::array<double, mixed_sweeps>, mixed_sweeps>& products, std::size_t sweeps, std::size_t last) {
  // Least squares in the differences from the last residual: normal equations, by elimination with the largest pivots,
  // which leaves out what is (all but) a combination of the others.
  std::array<std::array<double, mixed_sweeps + 1>, mixed_sweeps> rows{};
  std::array<bool, mixed_sweeps> open{};
  double largest = 0;
  for (std::size_t i = 0; i < sweeps; ++i) {
    open[i] = i != last;
    for (std::size_t j = 0; j < sweeps; ++j) {
      rows[i][j] = products[last][last] - products[last][i] - products[last][j] + products[i][j];
    }
    rows[i][mixed_sweeps] = products[last][last] - products[last][i];
    if (open[i]) largest = std::max(largest, rows[i][i]);
  }
  std::array<double, mixed_sweeps> weights{};
  std::array<bool, mixed_sweeps> taken{};
  for (;;) {
    std::size_t pivot = mixed_sweeps;
    for (std::size_t i = 0; i < sweeps; ++i) {
      if (open[i] && (pivot == mixed_sweeps || rows[i][i] > rows[pivot][pivot])) pivot = i;
    }
    if (pivot == mixed_sweeps || !(rows[pivot][pivot] > 1e-12 * largest)) break;
    open[pivot] = false;
    taken[pivot] = true;
    for (std::size_t i = 0; i < sweeps; ++i) {
      if (i == pivot || i == last) continue;
      const double factor = rows[i][pivot] / rows[pivot][pivot];
      for (std::size_t j = 0; j <= mixed_sweeps; ++j) rows[i][j] -= factor * rows[pivot][j];
    }
  }
  weights[last] = 1;
  for (std::size_t i = 0; i < sweeps; ++i) {
    if (!taken[i]) continue;
    weights[i] = rows[i][mixed_sweeps] / rows[i][i];
    weights[last] -= weights[i];
  }
  return weights;
}

}  // namespace callisto::graph
