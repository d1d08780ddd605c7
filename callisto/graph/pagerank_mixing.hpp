// How accelerated PageRank goes on from what its last sweeps have made.
//
// A sweep makes of the scores x the scores y(x); they are right where the residual y - x is zero. Every few sweeps
// Anderson mixing (Walker and Ni, "Anderson acceleration for fixed-point iterations", SIAM J. Numerical Analysis 2011)
// goes on not from the last y, but from the combination of the last few with the smallest residual. The sweeps between
// follow each other: that is periodic mixing (Banerjee et al., "Periodic Pulay method", Chemical Physics Letters 2016)
// or, as PageRank is linear, GMRES begun anew each time. It takes as few sweeps as mixing after each of them, within
// one or two, or as the quadratic extrapolation of Kamvar et al. (WWW 2003), and a fraction of the memory's traffic.
#pragma once

#include <callisto/graph/pagerank_kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace callisto::graph {

/// How many sweeps are mixed.
inline constexpr std::size_t mixed_sweeps = 4;

using mixing_matrix = std::array<std::array<double, mixed_sweeps>, mixed_sweeps>;

/// The scores where the sweeps to mix began, and those that each has made, in scales of their own.
template <class Real>
using sweep_scores = std::array<const Real*, mixed_sweeps + 1>;

struct mixing_products {
  mixing_matrix of{};  ///< the residuals' products

  friend mixing_products operator+(mixing_products a, const mixing_products& b) {
    for (std::size_t i = 0; i < mixed_sweeps; ++i) {
      for (std::size_t j = 0; j < mixed_sweeps; ++j) a.of[i][j] += b.of[i][j];
    }
    return a;
  }
};

/// The products of the residuals of the vertices in [first, last).
template <class Real>
struct multiply_residuals {
  sweep_scores<Real> scores;
  std::array<double, mixed_sweeps> scale;  ///< by sweep: makes the sum of the scores before it 1
  std::size_t sweeps;                      ///< to mix

  mixing_products operator()(std::uint64_t first, std::uint64_t last, mixing_products running) const noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      std::array<double, mixed_sweeps> residual{};
      for (std::size_t i = 0; i < sweeps; ++i) {
        residual[i] = scale[i] * (double{scores[i + 1][v]} - double{scores[i][v]});
      }
      for (std::size_t i = 0; i < mixed_sweeps; ++i) {
        for (std::size_t j = 0; j <= i; ++j) running.of[i][j] += residual[i] * residual[j];
      }
    }
    for (std::size_t i = 0; i < mixed_sweeps; ++i) {
      for (std::size_t j = i + 1; j < mixed_sweeps; ++j) running.of[i][j] = running.of[j][i];
    }
    return running;
  }
};

/// What whoever sets scores learns about them.
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

/// The mixture of what the sweeps made, the last of which stands in for values below zero.
template <class Real>
struct mixture {
  sweep_scores<Real> scores;
  std::array<double, mixed_sweeps> weights;  ///< with the scales in them
  std::size_t sweeps;
  double last;  ///< the scale of the last sweep

  double operator()(std::uint64_t v) const noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < sweeps; ++i) sum += weights[i] * double{scores[i + 1][v]};
    return sum >= 0 ? sum : last * double{scores[sweeps][v]};
  }
};

/// Sets the scores of [first, last) to value(v), and what they contribute.
template <class Real, class Value>
struct set_scores {
  const Real* inverse;  ///< of out-degrees; 0 of 0
  Real* x;
  Real* published;
  Real* fresh;
  Value value;

  mixed_sums operator()(std::uint64_t first, std::uint64_t last, mixed_sums running) const noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      const auto score = static_cast<Real>(value(v));
      x[v] = score;
      published[v] = fresh[v] = score * inverse[v];
      running.total += double{score};
      running.dangling += inverse[v] == 0 ? double{score} : 0;
    }
    return running;
  }
};

/// The weights, of sum 1, with which the residuals of the first `sweeps` sweeps have the smallest sum, in
/// the Euclidean norm, given their products. `last` is the last of them, which gets what the others do not.
inline std::array<double, mixed_sweeps> mixing_weights(const mixing_matrix& products, std::size_t sweeps,
                                                       std::size_t last) {
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
