// How accelerated PageRank goes on from what its last sweeps have made.
//
// A sweep makes of the scores x the scores y(x); they are right where the residual y - x is zero. Every few sweeps
// Anderson mixing (Walker and Ni, "Anderson acceleration for fixed-point iterations", SIAM J. Numerical Analysis 2011)
// goes on not from the last y, but from the combination of the last few with the smallest residual. The sweeps between
// follow each other: that is periodic mixing (Banerjee et al., "Periodic Pulay method", Chemical Physics Letters 2016)
// or, as PageRank is linear, GMRES begun anew each time. It takes as few sweeps as mixing after each of them, within
// one or two, or as the quadratic extrapolation of Kamvar et al. (WWW 2003), and a fraction of the memory's traffic.
#pragma once

#include <callisto/graph/pagerank/kernel.hpp>
#include <callisto/graph/pagerank/lanes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace callisto::graph {

/// How many sweeps are mixed.
inline constexpr std::size_t mixed_sweeps = 4;
/// How many where rows repeat: a web graph takes so many sweeps that it is worth the memory.
inline constexpr std::size_t most_mixed_sweeps = 6;

using mixing_matrix = std::array<std::array<double, most_mixed_sweeps>, most_mixed_sweeps>;

/// The scores where the sweeps to mix began, and those that each has made, in scales of their own.
template <class Real>
using sweep_scores = std::array<const Real*, most_mixed_sweeps + 1>;

struct mixing_products {
  mixing_matrix of{};  ///< the residuals' products

  friend mixing_products operator+(mixing_products a, const mixing_products& b) {
    for (std::size_t i = 0; i < most_mixed_sweeps; ++i) {
      for (std::size_t j = 0; j < most_mixed_sweeps; ++j) a.of[i][j] += b.of[i][j];
    }
    return a;
  }
};

/// The pointers to the scores of so many sweeps; those of others are such that their residuals are zero.
template <class Real>
sweep_scores<Real> only_of(sweep_scores<Real> scores, std::size_t sweeps) noexcept {
  std::fill(scores.begin() + static_cast<std::ptrdiff_t>(sweeps), scores.end(), scores[sweeps]);
  return scores;
}

/// The products of the residuals of `Most` sweeps, or less, of the vertices in [first, last).
template <class Real, std::size_t Most>
struct multiply_residuals {
  sweep_scores<Real> scores;                    ///< by `only_of`
  std::array<double, most_mixed_sweeps> scale;  ///< by sweep: makes the sum of the scores before it 1

  mixing_products operator()(std::uint64_t first, std::uint64_t last, mixing_products running) const noexcept {
    constexpr std::uint64_t chunk = 64;  // vertices whose products are summed in the precision of the scores
    mixing_products found;
    for (std::uint64_t end = first; first < last; first = end) {
      end = std::min(last, first + chunk);
      std::array<std::array<lanes<Real>, Most>, Most> sums{};
      for (std::uint64_t v = first; v < end; v += lane_count<Real>) {
        std::array<lanes<Real>, Most> residual;
        lanes<Real> before = load_lanes(scores[0] + v, end - v);
        for (std::size_t i = 0; i < Most; ++i) {
          const lanes<Real> after = load_lanes(scores[i + 1] + v, end - v);
          residual[i] = after - before;
          before = after;
        }
        for (std::size_t i = 0; i < Most; ++i) {
          for (std::size_t j = 0; j <= i; ++j) sums[i][j] += residual[i] * residual[j];
        }
      }
      for (std::size_t i = 0; i < Most; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          lane_sum sum;
          sum.add(sums[i][j]);
          found.of[i][j] += sum.value();
        }
      }
    }
    for (std::size_t i = 0; i < Most; ++i) {
      for (std::size_t j = 0; j <= i; ++j) running.of[i][j] += scale[i] * scale[j] * found.of[i][j];
      for (std::size_t j = 0; j < i; ++j) running.of[j][i] = running.of[i][j];
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

  template <class Real, class Count>
  lanes<Real> of(std::uint64_t v, Count left) const noexcept {
    lanes<Real> degree{};
    for (std::size_t lane = 0; lane < std::min<std::size_t>(lane_count<Real>, left); ++lane) {
      // By way of signed numbers, which processors have instructions for.
      degree[lane] = static_cast<Real>(static_cast<std::int64_t>(in_offsets[v + lane + 1] - in_offsets[v + lane]));
    }
    lanes<Real> found = static_cast<Real>(by_arc) * degree;
    if (restart == nullptr) return found + static_cast<Real>(base);
    for (std::size_t lane = 0; lane < std::min<std::size_t>(lane_count<Real>, left); ++lane) {
      found[lane] += static_cast<Real>(base * restart[v + lane]);
    }
    return found;
  }
};

/// The mixture of what the sweeps made, the last of which stands in for values below zero.
template <class Sweeps>
struct mixture {
  sweep_scores<Sweeps> scores;
  std::array<Sweeps, most_mixed_sweeps> weights;  ///< with the scales in them
  std::size_t sweeps;
  Sweeps last;  ///< the scale of the last sweep

  template <class Real, class Count>
  lanes<Real> of(std::uint64_t v, Count left) const noexcept {
    lanes<Real> sum{};
    lanes<Real> after{};
    for (std::size_t i = 0; i < sweeps; ++i) {
      after = load_lanes(scores[i + 1] + v, left);
      sum += weights[i] * after;
    }
    return sum >= lanes<Real>{} ? sum : last * after;
  }
};

/// Sets the scores of [first, last) to those of `value`, and what they contribute.
template <class Real, class Value>
struct set_scores {
  const Real* inverse;  ///< of out-degrees; 0 of 0
  Real* x;
  Real* published;
  Real* fresh;
  Value value;

  mixed_sums operator()(std::uint64_t first, std::uint64_t last, mixed_sums running) const noexcept {
    lane_sum total;
    lane_sum dangling;
    each_stretch(first, last, [&](std::uint64_t from, std::uint64_t to) {
      lanes<Real> all{};
      lanes<Real> lost{};
      each_group<Real>(from, to, [&](std::uint64_t v, auto left) {
        const lanes<Real> score = value.template of<Real>(v, left);
        const lanes<Real> by_degree = load_lanes(inverse + v, left);
        store_lanes<Real>(x + v, left, score);
        store_lanes<Real>(published + v, left, score * by_degree);
        store_lanes<Real>(fresh + v, left, score * by_degree);
        all += score;
        lost += by_degree == lanes<Real>{} ? score : lanes<Real>{};
      });
      total.add(all);
      dangling.add(lost);
    });
    return {running.total + total.value(), running.dangling + dangling.value()};
  }
};

/// The weights, of sum 1, with which the residuals of the first `sweeps` sweeps have the smallest sum, in
/// the Euclidean norm, given their products. `last` is the last of them, which gets what the others do not.
inline std::array<double, most_mixed_sweeps> mixing_weights(const mixing_matrix& products, std::size_t sweeps,
                                                            std::size_t last) {
  // Least squares in the differences from the last residual: normal equations, by elimination with the largest pivots,
  // which leaves out what is (all but) a combination of the others.
  std::array<std::array<double, most_mixed_sweeps + 1>, most_mixed_sweeps> rows{};
  std::array<bool, most_mixed_sweeps> open{};
  double largest = 0;
  for (std::size_t i = 0; i < sweeps; ++i) {
    open[i] = i != last;
    for (std::size_t j = 0; j < sweeps; ++j) {
      rows[i][j] = products[last][last] - products[last][i] - products[last][j] + products[i][j];
    }
    rows[i][most_mixed_sweeps] = products[last][last] - products[last][i];
    if (open[i]) largest = std::max(largest, rows[i][i]);
  }
  std::array<double, most_mixed_sweeps> weights{};
  std::array<bool, most_mixed_sweeps> taken{};
  for (;;) {
    std::size_t pivot = most_mixed_sweeps;
    for (std::size_t i = 0; i < sweeps; ++i) {
      if (open[i] && (pivot == most_mixed_sweeps || rows[i][i] > rows[pivot][pivot])) pivot = i;
    }
    if (pivot == most_mixed_sweeps || !(rows[pivot][pivot] > 1e-12 * largest)) break;
    open[pivot] = false;
    taken[pivot] = true;
    for (std::size_t i = 0; i < sweeps; ++i) {
      if (i == pivot || i == last) continue;
      const double factor = rows[i][pivot] / rows[pivot][pivot];
      for (std::size_t j = 0; j <= most_mixed_sweeps; ++j) rows[i][j] -= factor * rows[pivot][j];
    }
  }
  weights[last] = 1;
  for (std::size_t i = 0; i < sweeps; ++i) {
    if (!taken[i]) continue;
    weights[i] = rows[i][most_mixed_sweeps] / rows[i][i];
    weights[last] -= weights[i];
  }
  return weights;
}

}  // namespace callisto::graph
