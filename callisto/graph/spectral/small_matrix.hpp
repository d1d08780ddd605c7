// Dense matrices of the few dimensions of a Krylov space: the rightmost eigenvector, and linear equations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace callisto::graph {

inline constexpr std::size_t most_dimensions = 12;

using small_vector = std::array<double, most_dimensions + 1>;
using small_matrix = std::array<small_vector, most_dimensions + 1>;  ///< by row, then column

/// Solves the first n equations of matrix * x = right, by elimination with the largest pivots. Columns without a pivot
/// get x = 0.
inline small_vector solve(small_matrix matrix, small_vector right, std::size_t n) noexcept {
  std::array<std::size_t, most_dimensions + 1> pivot_row{};
  std::array<bool, most_dimensions + 1> has_pivot{};
  std::size_t row = 0;
  for (std::size_t column = 0; column < n && row < n; ++column) {
    std::size_t best = row;
    for (std::size_t r = row + 1; r < n; ++r) {
      if (std::fabs(matrix[r][column]) > std::fabs(matrix[best][column])) best = r;
    }
    if (!(std::fabs(matrix[best][column]) > 0)) continue;
    std::swap(matrix[best], matrix[row]);
    std::swap(right[best], right[row]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == row) continue;
      const double factor = matrix[r][column] / matrix[row][column];
      for (std::size_t c = column; c < n; ++c) matrix[r][c] -= factor * matrix[row][c];
      right[r] -= factor * right[row];
    }
    pivot_row[column] = row++;
    has_pivot[column] = true;
  }
  small_vector x{};
  for (std::size_t c = 0; c < n; ++c) {
    if (has_pivot[c]) x[c] = right[pivot_row[c]] / matrix[pivot_row[c]][c];
  }
  return x;
}

inline double length(const small_vector& v, std::size_t n) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += v[i] * v[i];
  return std::sqrt(sum);
}

struct small_eigenpair {
  double value = 0;
  small_vector vector{};  ///< of length 1
};

/// Returns the eigenvalue of the leading n x n part with the largest real part, which must be real, and its vector. The
/// matrix plus a multiple of the identity is squared until only that vector is left; steps of inverse iteration give it
/// the last digits.
inline small_eigenpair rightmost(const small_matrix& matrix, std::size_t n) noexcept {
  double norm = 0;
  for (std::size_t i = 0; i < n; ++i) norm += std::pow(length(matrix[i], n), 2);
  norm = std::sqrt(norm);
  small_eigenpair found;
  found.vector[0] = 1;
  if (!(norm > 0)) return found;
  small_matrix power = matrix;
  for (std::size_t i = 0; i < n; ++i) power[i][i] += 4 * norm;
  for (int squaring = 0; squaring < 40; ++squaring) {
    small_matrix next{};
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < n; ++j) next[i][j] += power[i][k] * power[k][j];
      }
      for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::fabs(next[i][j]));
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) power[i][j] = next[i][j] / largest;
    }
  }
  std::size_t best = 0;
  const auto column = [&](std::size_t c) {
    small_vector v{};
    for (std::size_t i = 0; i < n; ++i) v[i] = power[i][c];
    return v;
  };
  for (std::size_t c = 1; c < n; ++c) {
    if (length(column(c), n) > length(column(best), n)) best = c;
  }
  found.vector = column(best);
  for (int step = 0; step < 4; ++step) {
    const double scale = length(found.vector, n);
    for (std::size_t i = 0; i < n; ++i) found.vector[i] /= scale;
    found.value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) found.value += found.vector[i] * matrix[i][j] * found.vector[j];
    }
    if (step == 3) break;
    small_matrix shifted = matrix;
    for (std::size_t i = 0; i < n; ++i) shifted[i][i] -= found.value + 1e-14 * norm;
    const small_vector next = solve(shifted, found.vector, n);
    const double grown = length(next, n);
    if (!(grown > 0) || !std::isfinite(grown)) break;
    found.vector = next;
  }
  const double scale = length(found.vector, n);
  for (std::size_t i = 0; i < n; ++i) found.vector[i] /= scale;
  return found;
}

}  // namespace callisto::graph
