// Weighted rows of neighbours, which a level works on, and the numbers that its vertices bring into a community.
#pragma once

#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace callisto::graph {

/// Weights as whole numbers: sums do not depend on the order of terms. Each of four classes returns that of arc `a`.
/// This one: 1, if the graph has no weights.
struct unit_weights {
  static constexpr bool have_sign = false;
  std::uint64_t operator()(std::uint64_t) const noexcept { return 1; }
};
/// Weights of a graph, scaled by powers of two so that their sum fits in 53 bits, and so is exact as a double too.
struct rounded_weights {
  static constexpr bool have_sign = false;
  const weight_array* values;
  double scale;
  double scale_again;  ///< two factors, because one might not fit in a double

  std::uint64_t operator()(std::uint64_t a) const noexcept {
    // Rounds without a call. That the number just below one half becomes 1 does no harm.
    constexpr double half = 0.5;
    return static_cast<std::uint64_t>((*values)[a] * scale * scale_again + half);
  }
  /// Returns a weight that may be negative in two's complement.
  std::uint64_t with_sign(std::uint64_t a) const noexcept {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::round((*values)[a] * scale * scale_again)));
  }
};
/// Weights that are whole already.
struct whole_weights {
  static constexpr bool have_sign = false;
  const std::uint64_t* values;
  std::uint64_t operator()(std::uint64_t a) const noexcept { return values[a]; }
};

/// Whole weights of which some are negative: numbers with a sign, in two's complement, so that sums and differences are
/// those of numbers without a sign.
struct signed_weights {
  static constexpr bool have_sign = true;
  const std::uint64_t* values;
  std::uint64_t operator()(std::uint64_t a) const noexcept { return values[a]; }
};
/// The weights of a coarse graph, by those of the graph below.
template <class Weights>
using coarse_weights = std::conditional_t<Weights::have_sign, signed_weights, whole_weights>;

/// Returns a sum of weights, which is below 2^63, as a number with a sign: it also takes fewer instructions.
inline double as_double(std::uint64_t x) noexcept { return static_cast<double>(static_cast<std::int64_t>(x)); }

/// Returns `values` rounded. `count`: how many there are, each of which may count twice. `most`: the largest, whatever
/// its sign.
inline rounded_weights round_weights(const weight_array& values, std::uint64_t count, double most) noexcept {
  constexpr int bits = 53;
  const int exponent = most > 0 ? bits - (std::ilogb(most) + 1) - static_cast<int>(std::bit_width(2 * count)) : 0;
  const int half = exponent / 2;
  return {&values, std::ldexp(1.0, half), std::ldexp(1.0, exponent - half)};
}

struct row_owners;

/// Rows of weighted neighbours: row v is [begins[v], ends[v]). A neighbour may stand in a row several times, and its
/// weights add up. A self-loop counts for no move.
template <class Vertex, class Weights>
struct weighted_rows {
  std::uint64_t vertices;
  const std::uint64_t* begins;
  const std::uint64_t* ends;
  const Vertex* targets;
  Weights weight;
  const row_owners* owners = nullptr;  ///< null: this process has all rows (row_owners.hpp)

  std::uint64_t degree(std::uint64_t v) const noexcept { return ends[v] - begins[v]; }

  /// Fetch what a visit to v reads first: its bounds; and, when these have come, its first targets.
  void fetch_bounds(std::uint64_t v) const noexcept { __builtin_prefetch(begins + v); }
  void fetch_targets(std::uint64_t v) const noexcept {
    const Vertex* const first = targets + begins[v];
    __builtin_prefetch(first);
    __builtin_prefetch(first + 64 / sizeof(Vertex));
  }
};

/// Masses that the vertices of a level, or its communities, bring into the null model: `out` alone, or with `in`, if
/// chance depends on the direction of arcs.
struct mass_arrays {
  machine::page_array<std::uint64_t> out;
  machine::page_array<std::uint64_t> in;  ///< empty: the same as `out`

  /// Makes arrays for `count` numbers.
  static mass_arrays of(std::uint64_t count, bool both, machine::page_kind kind) {
    return {machine::page_array<std::uint64_t>(count, kind),
            machine::page_array<std::uint64_t>(both ? count : 0, kind)};
  }
  /// Makes zeros.
  static mass_arrays of(std::uint64_t count, bool both) { return of(count, both, machine::page_kind::huge); }
};

}  // namespace callisto::graph
