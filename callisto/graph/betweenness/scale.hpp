// From sums over sources to scores, and the proof of `error`.
#pragma once

#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace callisto::graph {

/// Sums over the sources of the dependencies on vertices or edges.
struct source_sums {
  machine::page_array<double> vertex;   ///< by vertex
  machine::page_array<double> squares;  ///< by vertex: of the dependencies on it; empty unless asked for
  machine::page_array<double> arc;      ///< by arc of the graph's in-rows; empty unless asked for
  machine::page_array<double> arc_squares;
};

/// Factors of the sums over the sources, for vertices outside of the sample and in it.
struct factors {
  double outside;
  double inside;
};

/// Returns the factors of betweenness of vertices: no pair around a vertex begins at the vertex itself.
inline factors factors_for(std::uint64_t vertices, std::uint64_t sources, bool directed, bool normalized) {
  if (vertices < 3) return {0, 0};  // no vertex lies between two other vertices
  const auto others = static_cast<double>(vertices - 1);
  const auto k = static_cast<double>(sources);
  const double pairs = normalized ? others * (others - 1) : (directed ? 1 : 2);
  if (sources == vertices) return {1 / pairs, 1 / pairs};
  return {others / k / pairs, sources == 1 ? 0 : others / (k - 1) / pairs};
}

/// Returns the factor of betweenness of edges.
inline double edge_factor(std::uint64_t vertices, std::uint64_t sources, bool directed, bool normalized) {
  if (vertices < 2) return 0;
  const auto n = static_cast<double>(vertices);
  return n / static_cast<double>(sources) / (normalized ? n * (n - 1) : (directed ? 1 : 2));
}

/// Bounds the error of means over samples without replacement, of all vertices at once and in all rounds of a growing
/// sample: the empirical Bernstein-Serfling inequality (Bardenet and Maillard, "Concentration inequalities for sampling
/// without replacement", Bernoulli 2015, theorem 4.3) and the union bound. A value is a dependency by the most that it
/// can be, so from 0 to 1. That is the estimator of Brandes and Pich (2007), as in Bavarian (Cousins, Wohlgemuth and
/// Riondato, 2021).
class growing_sample {
 public:
  /// `means`: how many there are. `population`: size of the set that the samples are drawn from.
  growing_sample(std::uint64_t means, std::uint64_t population, double error, double confidence) noexcept
      : population_(static_cast<double>(population)), error_(error) {
    // Two sides, five events each, and as many rounds as doublings that fit.
    log_ = std::log(10 * static_cast<double>(means) * std::log2(population_ + 3) / (1 - confidence));
  }

  /// Returns the first sample's size: with less, the bound is too large even if all values are equal.
  double first() const noexcept { return std::ceil(1.25 * range_factor * log_ / error_) + 1; }

  /// True if the mean of k values, given their sums, is close enough.
  bool suffices(double sum, double squares, double k) const noexcept {
    const double variance = std::max(0.0, squares / k - sum / k * (sum / k));
    const double left = k <= population_ / 2 ? 1 - (k - 1) / population_ : (1 - k / population_) * (1 + 1 / k);
    return std::sqrt(2 * variance * left * log_ / k) + range_factor * log_ / k <= error_;
  }

 private:
  static constexpr double range_factor = 7.0 / 3 + 2.1213203435596424;  // 7/3 + 3 / sqrt(2)

  double population_;
  double error_;
  double log_;
};

}  // namespace callisto::graph
