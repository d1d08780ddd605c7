// Krylov spaces of a graph's matrix: bases for eigenvectors and for solutions of linear equations.
//
// Arnoldi's method (1951): each product of the matrix with the last vector of a basis is made orthogonal to the basis
// and joins it. In the basis the matrix is a small one. Eigenvectors and solutions of the small one are good
// approximations after a few products; then the method begins again from them (Saad, "Numerical methods for large
// eigenvalue problems", 2011; Saad and Schultz, GMRES, 1986).
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/pagerank/over_vertices.hpp>
#include <callisto/graph/spectral/small_matrix.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Sums over all vertices, one for each vector of a basis.
struct basis_sums {
  small_vector of{};

  friend basis_sums operator+(basis_sums a, const basis_sums& b) noexcept {
    for (std::size_t i = 0; i < a.of.size(); ++i) a.of[i] += b.of[i];
    return a;
  }
};

struct one_sum {
  double value = 0;
  friend one_sum operator+(one_sum a, one_sum b) noexcept { return {a.value + b.value}; }
};

/// A basis of a Krylov space. Sums do not depend on threads.
class krylov_basis {
 public:
  using values = machine::page_array<double>;

  krylov_basis(std::uint64_t vertices, const run_control& control) : n_(vertices), control_(control) {
    for (std::size_t i = 0; i <= most_dimensions; ++i) vectors_.emplace_back(vertices, machine::page_kind::used);
  }

  /// Returns the place of the first vector; set it, then call begin().
  values& first() noexcept { return vectors_.front(); }

  /// Begins a basis with first(), which is scaled to length 1. Returns its length before.
  double begin() {
    size_ = 1;
    matrix_ = {};
    const double norm = std::sqrt(dot(vectors_[0], vectors_[0]));
    scale(vectors_[0], norm > 0 ? 1 / norm : 0);
    return norm;
  }

  std::size_t size() const noexcept { return size_; }
  /// The matrix in the basis: size() rows, one column less, after grow(); entry (i + 1, i) is what is left of a
  /// product.
  const small_matrix& matrix() const noexcept { return matrix_; }

  /// Multiplies the last vector with the matrix: product(x, y, first, last) sets y[first, last); it is called for
  /// disjoint ranges on all threads, after prepare(x). Returns the length of what is new in the product; 0 if the space
  /// is complete.
  template <class Product, class Prepare>
  double grow(const Product& product, const Prepare& prepare) {
    const std::size_t j = size_ - 1;
    const values& x = vectors_[j];
    prepare(x.data());
    values& y = vectors_[j + 1];
    basis_sums along = over_vertices<basis_sums>(
        n_,
        [&](std::uint64_t first, std::uint64_t last, basis_sums sums) {
          product(x.data(), y.data(), first, last);
          return project(first, last, sums);
        },
        0, control_);
    double left = subtract(along);
    for (std::size_t i = 0; i <= j; ++i) matrix_[i][j] += along.of[i];
    // A second pass, since most of a product may lie in the basis, and rounding then leaves parts of it.
    along = over_vertices<basis_sums>(
        n_, [&](std::uint64_t first, std::uint64_t last, basis_sums sums) { return project(first, last, sums); }, 0,
        control_);
    left = subtract(along);
    for (std::size_t i = 0; i <= j; ++i) matrix_[i][j] += along.of[i];
    const double largest = length(column(j), j + 1);
    if (!(left > 1e-14 * largest)) left = 0;
    matrix_[j + 1][j] = left;
    scale(y, left > 0 ? 1 / left : 0);
    ++size_;
    return left;
  }

  /// Sets first() to the combination of the first `count` vectors with these weights.
  void combine(const small_vector& weights, std::size_t count) {
    over_all([&](std::uint64_t v) {
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += weights[i] * vectors_[i][v];
      vectors_[0][v] = sum;
    });
  }

  /// Adds the combination to `to`.
  void add_combination(const small_vector& weights, std::size_t count, values& to) const {
    over_all([&](std::uint64_t v) {
      for (std::size_t i = 0; i < count; ++i) to[v] += weights[i] * vectors_[i][v];
    });
  }

 private:
  small_vector column(std::size_t j) const noexcept {
    small_vector made{};
    for (std::size_t i = 0; i <= j; ++i) made[i] = matrix_[i][j];
    return made;
  }

  basis_sums project(std::uint64_t first, std::uint64_t last, basis_sums sums) const noexcept {
    const double* const y = vectors_[size_].data();
    for (std::size_t i = 0; i < size_; ++i) {
      const double* const x = vectors_[i].data();
      double a = 0;
      double b = 0;
      std::uint64_t v = first;
      for (; v + 1 < last; v += 2) {
        a += x[v] * y[v];
        b += x[v + 1] * y[v + 1];
      }
      if (v < last) a += x[v] * y[v];
      sums.of[i] += a + b;
    }
    return sums;
  }

  /// Subtracts the projections from the new vector; returns its length.
  double subtract(const basis_sums& along) {
    double* const y = vectors_[size_].data();
    const one_sum left = over_vertices<one_sum>(
        n_,
        [&](std::uint64_t first, std::uint64_t last, one_sum sum) {
          for (std::size_t i = 0; i < size_; ++i) {
            const double* const x = vectors_[i].data();
            for (std::uint64_t v = first; v < last; ++v) y[v] -= along.of[i] * x[v];
          }
          for (std::uint64_t v = first; v < last; ++v) sum.value += y[v] * y[v];
          return sum;
        },
        0, control_);
    return std::sqrt(left.value);
  }

  double dot(const values& a, const values& b) const {
    return over_vertices<one_sum>(
               n_,
               [&](std::uint64_t first, std::uint64_t last, one_sum sum) {
                 for (std::uint64_t v = first; v < last; ++v) sum.value += a[v] * b[v];
                 return sum;
               },
               0, control_)
        .value;
  }

  void scale(values& of, double factor) {
    over_all([&](std::uint64_t v) { of[v] *= factor; });
  }

  template <class Body>
  void over_all(const Body& body) const {
    if (!parallel_for(std::uint64_t{0}, n_, body, {.stop = control_.stop})) throw cancelled();
  }

  std::uint64_t n_;
  const run_control& control_;
  std::vector<values> vectors_;
  std::size_t size_ = 0;
  small_matrix matrix_{};
};

/// For products that need nothing before them.
struct no_preparation {
  void operator()(const double*) const noexcept {}
};

/// How an iteration ended.
struct krylov_end {
  double value = 0;     ///< the eigenvalue
  double residual = 0;  ///< as a share of the eigenvalue, or of the right side
  unsigned products = 0;
  bool converged = false;
};

/// Iterates from basis.first() to the eigenvector of the eigenvalue with the largest real part, and leaves it there,
/// with length 1. Ends when the residual is at most `tolerance` times the eigenvalue, or after `most` products.
template <class Product, class Prepare = no_preparation>
krylov_end find_eigenvector(krylov_basis& basis, const Product& product, double tolerance, unsigned most,
                            const run_control& control, const Prepare& prepare = {}) {
  krylov_end end;
  while (!end.converged && end.products < most) {
    basis.begin();
    small_eigenpair pair;
    std::size_t used = 0;
    while (used < most_dimensions && end.products < most) {
      const double left = basis.grow(product, prepare);
      used = basis.size() - 1;
      ++end.products;
      if (control.report != nullptr) control.report->advance(1);
      pair = rightmost(basis.matrix(), used);
      end.value = pair.value;
      const double residual = left * std::fabs(pair.vector[used - 1]);
      end.residual = pair.value > 0 ? residual / pair.value : residual;
      end.converged = end.residual <= tolerance;
      if (end.converged || left == 0) break;
    }
    basis.combine(pair.vector, used);
  }
  basis.begin();
  return end;
}

/// Solves x = factor * matrix * x + right, where all entries of the right side are `right`: GMRES. `x` is set. Ends
/// when the residual is at most `tolerance` times the right side, or after `most` products.
template <class Product>
krylov_end solve_equations(krylov_basis& basis, const Product& product, double factor, double right,
                           machine::page_array<double>& x, double tolerance, unsigned most,
                           const run_control& control) {
  const std::uint64_t n = x.size();
  const double whole = std::fabs(right) * std::sqrt(static_cast<double>(n));
  krylov_end end;
  std::fill(x.begin(), x.end(), 0.0);
  for (bool begun = false;; begun = true) {
    // The residual: right + factor * matrix * x - x.
    const auto set = [&](std::uint64_t first, std::uint64_t last) {
      double* const r = basis.first().data();
      if (begun) product(x.data(), r, first, last);
      for (std::uint64_t v = first; v < last; ++v) r[v] = begun ? right + factor * r[v] - x[v] : right;
    };
    if (!parallel_for(std::uint64_t{0}, n, set, {.stop = control.stop})) throw cancelled();
    end.products += begun ? 1 : 0;
    const double norm = basis.begin();
    end.residual = whole > 0 ? norm / whole : norm;
    end.converged = end.residual <= tolerance;
    if (end.converged || end.products >= most) return end;
    double left = 1;
    std::size_t used = 0;
    small_vector y{};
    while (used < most_dimensions && end.products < most && left != 0) {
      left = basis.grow(product, no_preparation());
      used = basis.size() - 1;
      ++end.products;
      if (control.report != nullptr) control.report->advance(1);
      // Least squares of norm * e0 - (I - factor * H) y, by normal equations; the outer loop corrects their rounding.
      small_matrix columns{};  // by column
      for (std::size_t j = 0; j < used; ++j) {
        for (std::size_t i = 0; i <= used; ++i) columns[j][i] = (i == j ? 1 : 0) - factor * basis.matrix()[i][j];
      }
      small_matrix normal{};
      small_vector side{};
      for (std::size_t a = 0; a < used; ++a) {
        for (std::size_t b = 0; b < used; ++b) {
          for (std::size_t i = 0; i <= used; ++i) normal[a][b] += columns[a][i] * columns[b][i];
        }
        side[a] = columns[a][0] * norm;
      }
      y = solve(normal, side, used);
      double rest = 0;
      for (std::size_t i = 0; i <= used; ++i) {
        double row = i == 0 ? norm : 0;
        for (std::size_t j = 0; j < used; ++j) row -= columns[j][i] * y[j];
        rest += row * row;
      }
      if (std::sqrt(rest) <= tolerance / 2 * whole) break;
    }
    basis.add_combination(y, used, x);
  }
}

}  // namespace callisto::graph
