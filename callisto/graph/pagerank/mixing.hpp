// Anderson mixing: the scores from which accelerated PageRank goes on after some sweeps.
//
// A sweep makes the scores y(x) of the scores x. The solution has the residual y - x = 0. Every few sweeps, Anderson
// mixing (Walker and Ni, "Anderson acceleration for fixed-point iterations", SIAM J. Numerical Analysis 2011) goes on
// from the combination of the last few results with the smallest residual. Mixing only every few sweeps is periodic
// mixing (Banerjee et al., "Periodic Pulay method", Chemical Physics Letters 2016); for PageRank, which is linear, it
// is restarted GMRES. It needs as many sweeps, within one or two, as mixing after each sweep, or as the quadratic
// extrapolation of Kamvar et al. (WWW 2003), with a fraction of the memory traffic.
#pragma once

#include <callisto/graph/pagerank/kernel.hpp>
#include <callisto/graph/pagerank/lanes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace callisto::graph {

/// Sweeps that are mixed.
inline constexpr std::size_t mixed_sweeps = 4;
/// Sweeps that are mixed if rows repeat: a web graph needs many sweeps, so the memory is worth it.
inline constexpr std::size_t most_mixed_sweeps = 6;

using mixing_matrix = std::array<std::array<double, most_mixed_sweeps>, most_mixed_sweeps>;

/// The scores where the sweeps to mix began, then the scores of each sweep. Each array has its own scale.
template <class Real>
using sweep_scores = std::array<const Real*, most_mixed_sweeps + 1>;

struct mixing_products {
  mixing_matrix of{};  ///< products of the residuals of two sweeps

  friend mixing_products operator+(mixing_products a, const mixing_products& b) {
    for (std::size_t i = 0; i < most_mixed_sweeps; ++i) {
      for (std::size_t j = 0; j < most_mixed_sweeps; ++j) a.of[i][j] += b.of[i][j];
    }
    return a;
  }
};

/// Returns the pointers of the first `sweeps` sweeps; the other pointers are set so that their residuals are zero.
template <class Real>
sweep_scores<Real> only_of(sweep_scores<Real> scores, std::size_t sweeps) noexcept {
  std::fill(scores.begin() + static_cast<std::ptrdiff_t>(sweeps), scores.end(), scores[sweeps]);
  return scores;
}

/// Multiplies the residuals of up to `Most` sweeps over the vertices [first, last).
template <class Real, std::size_t Most>
struct multiply_residuals {
  sweep_scores<Real> scores;                    ///< from only_of()
  std::array<double, most_mixed_sweeps> scale;  ///< by sweep: makes the sum of the scores before it 1

  mixing_products operator()(std::uint64_t first, std::uint64_t last, mixing_products running) const noexcept {
    constexpr std::uint64_t chunk = 64;  // vertices: their products are summed in the precision of the scores
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

/// Sums over scores that have been set.
struct mixed_sums {
  double total = 0;
  double dangling = 0;  ///< sum over vertices without out-arcs

  friend mixed_sums operator+(mixed_sums a, mixed_sums b) { return {a.total + b.total, a.dangling + b.dangling}; }
};

/// The first scores: `base` for each vertex, and the rest by in-degree, as one sweep from scores by out-degree would
/// make them. In an undirected graph scores by degree are the limit of the random walk without restarts.
struct mixing_start {
  double base;    ///< of each vertex; with `restart`, the sum over all vertices
  double by_arc;  ///< for each in-arc
  const std::uint64_t* in_offsets;
  const double* restart;  ///< the share of each vertex in `base`; null: equal ones

  template <class Real, class Count>
  lanes<Real> of(std::uint64_t v, Count left) const noexcept {
    lanes<Real> degree{};
    for (std::size_t lane = 0; lane < std::min<std::size_t>(lane_count<Real>, left); ++lane) {
      // As signed numbers: processors have an instruction for their conversion.
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

/// The mixture of the results of sweeps. Where it is below zero, the last result is used.
template <class Sweeps>
struct mixture {
  sweep_scores<Sweeps> scores;
  std::array<Sweeps, most_mixed_sweeps> weights;  ///< multiplied by the scales
  std::size_t sweeps;
  Sweeps last;  ///< scale of the last sweep

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

/// Sets the scores of [first, last) to the scores of `value`, and their contributions, published and fresh.
template <class Real, class Value>
struct set_scores {
  const Real* inverse;  ///< 1 / out-degree; 0 without out-arcs
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

/// Returns the weights, of sum 1, with which the residuals of the first `sweeps` sweeps have the smallest Euclidean
/// norm. `products`: of the residuals. `last`: the last sweep; its weight is 1 less the other weights.
inline std::array<double, most_mixed_sweeps> mixing_weights(const mixing_matrix& products, std::size_t sweeps,
                                                            std::size_t last) {
  // Least squares in the differences from the last residual: normal equations, solved by elimination with the largest
  // pivots. A residual that is nearly a combination of the other residuals gets no weight.
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
