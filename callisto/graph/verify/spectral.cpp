// Sequential checks by the definitions.
#include <callisto/graph/verify/require.hpp>
#include <callisto/graph/verify/spectral.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using numbers = std::vector<double>;

numbers copy_of(const machine::page_array<double>& values) { return {values.begin(), values.end()}; }

/// Returns the product with the matrix: y(v) = the sum of w * x(u) over the entries u of v's row.
template <class Vertex>
numbers product(const adjacency<Vertex>& rows, bool weighted, const numbers& x) {
  numbers y(x.size());
  for (std::uint64_t v = 0; v < x.size(); ++v) {
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
      y[v] += x[rows.targets[a]] * (weighted ? rows.weights[a] : 1);
    }
  }
  return y;
}

double norm(const numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

double dot(const numbers& x, const numbers& y) {
  double sum = 0;
  for (std::size_t v = 0; v < x.size(); ++v) sum += x[v] * y[v];
  return sum;
}

void require_scores(const numbers& x, std::uint64_t n) {
  require(x.size() == n, "{} scores, expected {}", x.size(), n);
  for (const double value : x) require(value >= 0 && std::isfinite(value), "score {}, expected at least 0", value);
}

template <class Vertex>
bool weighted_by(const csr_graph<Vertex>& graph, weight_use asked, weight_use used) {
  const bool weighted = asked == weight_use::strength && graph.weighted();
  require((used == weight_use::strength) == weighted, "weights are taken for {}", name_of(used));
  return weighted;
}

/// Checks that `of`(x) = value * x within the residual, and that power iteration finds no larger value if symmetric.
template <class Of>
void check_eigenvector(const numbers& x, double value, double residual, bool symmetric, const Of& of) {
  const numbers y = of(x);
  numbers rest(x.size());
  for (std::size_t v = 0; v < x.size(); ++v) rest[v] = y[v] - value * x[v];
  const double found = norm(rest) / norm(x);
  require(found <= value * (2 * residual + 1e-9) + 1e-12, "a residual of {}, expected at most {}", found,
          value * residual);
  if (!symmetric) return;
  numbers power(x.size(), 1);
  for (int step = 0; step < 30; ++step) {
    const numbers next = of(power);
    const double quotient = dot(power, next) / dot(power, power);
    require(quotient <= value * (1 + 1e-6) + 1e-12, "eigenvalue {}, expected at least {}", value, quotient);
    for (std::size_t v = 0; v < x.size(); ++v) power[v] += next[v] / std::max(value, 1e-300);
    const double scale = norm(power);
    for (double& p : power) p /= scale;
  }
}

}  // namespace

void verify_eigenvector(const any_graph& graph, const spectral_options& options, const eigenvector_result& result) {
  std::visit(
      [&](const auto& g) {
        const bool weighted = weighted_by(g, options.weights, result.weights);
        const numbers x = copy_of(result.scores);
        require_scores(x, g.vertices());
        require(std::fabs(norm(x) - 1) < 1e-9, "length {}, expected 1", norm(x));
        check_eigenvector(x, result.eigenvalue, result.residual, !g.directed(),
                          [&](const numbers& of) { return product(g.in(), weighted, of); });
      },
      graph);
}

void verify_katz(const any_graph& graph, const katz_options& options, const katz_result& result) {
  std::visit(
      [&](const auto& g) {
        const bool weighted = weighted_by(g, options.weights, result.weights);
        numbers x = copy_of(result.scores);
        require_scores(x, g.vertices());
        const numbers y = product(g.in(), weighted, x);
        numbers rest(x.size());
        for (std::size_t v = 0; v < x.size(); ++v) rest[v] = x[v] - result.alpha * y[v];
        // Normalized scores solve the equations up to a factor, which is that of beta.
        double beta = options.beta;
        if (options.normalized) {
          require(std::fabs(norm(x) - 1) < 1e-9, "length {}, expected 1", norm(x));
          beta = 0;
          for (const double value : rest) beta += value / static_cast<double>(x.size());
        }
        require(beta > 0, "a share of {}, expected more than 0", beta);
        for (double& value : rest) value -= beta;
        const double whole = beta * std::sqrt(static_cast<double>(x.size()));
        require(norm(rest) <= whole * (2 * result.residual + 1e-9), "a residual of {}, expected at most {}",
                norm(rest) / whole, result.residual);
      },
      graph);
}

void verify_hits(const any_graph& graph, const spectral_options& options, const hits_result& result) {
  std::visit(
      [&](const auto& g) {
        const bool weighted = weighted_by(g, options.weights, result.weights);
        const numbers authorities = copy_of(result.authorities);
        numbers hubs = copy_of(result.hubs);
        require_scores(authorities, g.vertices());
        require_scores(hubs, g.vertices());
        double sum = 0;
        for (const double value : authorities) sum += value;
        require(std::fabs(sum - 1) < 1e-9, "authorities sum to {}, expected 1", sum);
        const auto both = [&](const numbers& x) { return product(g.in(), weighted, product(g.out(), weighted, x)); };
        const numbers y = both(authorities);
        const double value = dot(authorities, y) / dot(authorities, authorities);
        check_eigenvector(authorities, value, result.residual, true, both);
        numbers expected = product(g.out(), weighted, authorities);
        const double scale = norm(expected);
        const double own = norm(hubs);
        // Values below 0, which the iteration leaves before it has converged, became 0 in both.
        const double within = 1e-9 + result.residual;
        for (std::size_t v = 0; v < hubs.size() && scale > 0; ++v) {
          require(std::fabs(hubs[v] / own - expected[v] / scale) < within, "hub {} of vertex {}, expected {}", hubs[v],
                  called(g, v), expected[v] / scale * own);
        }
      },
      graph);
}

}  // namespace callisto::graph
