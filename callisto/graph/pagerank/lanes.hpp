// Vectors of 16 bytes of scores, for the passes of accelerated PageRank over consecutive vertices. Every processor that
// Callisto runs on has such registers; compilers do not use them for sums, because they must keep the order of
// additions. Sums are kept in double precision.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace callisto::graph {

inline constexpr std::size_t lane_bytes = 16;

/// Scores in a group.
template <class Real>
inline constexpr std::size_t lane_count = lane_bytes / sizeof(Real);

template <class Real>
struct lanes_of;
template <>
struct lanes_of<float> {
  using type = float __attribute__((vector_size(lane_bytes)));
};
template <>
struct lanes_of<double> {
  using type = double __attribute__((vector_size(lane_bytes)));
};
template <class Real>
using lanes = typename lanes_of<Real>::type;

/// Returns a group; if `left` is less than a group, the rest is zeros.
template <class Real>
inline lanes<Real> load_lanes(const Real* from, std::uint64_t left) noexcept {
  lanes<Real> found{};
  if (left >= lane_count<Real>) {
    std::memcpy(&found, from, lane_bytes);
  } else {
    std::array<Real, lane_count<Real>> some{};
    std::copy(from, from + left, some.begin());
    std::memcpy(&found, some.data(), lane_bytes);
  }
  return found;
}

template <class Real>
inline void store_lanes(Real* to, std::uint64_t left, lanes<Real> values) noexcept {
  std::memcpy(to, &values, std::min<std::size_t>(lane_count<Real>, left) * sizeof(Real));
}

/// Returns the absolute values.
template <class Real>
inline lanes<Real> magnitude(lanes<Real> values) noexcept {
  using words = decltype(values < values);
  using word = std::conditional_t<sizeof(Real) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
  return reinterpret_cast<lanes<Real>>(reinterpret_cast<words>(values) & std::numeric_limits<word>::max());
}

/// Calls body(v, left) for each group of [first, last), which begins at v. `left`: the values from there on. For full
/// groups it is a compile-time constant.
template <class Real, class Body>
inline void each_group(std::uint64_t first, std::uint64_t last, const Body& body) {
  for (; last - first >= lane_count<Real>; first += lane_count<Real>) {
    body(first, std::integral_constant<std::uint64_t, lane_count<Real>>());
  }
  if (first != last) body(first, last - first);
}

/// Calls body(first, last) for stretches that are short enough to be summed in the precision of the scores.
template <class Body>
inline void each_stretch(std::uint64_t first, std::uint64_t last, const Body& body) {
  constexpr std::uint64_t length = 32;
  for (; last - first > length; first += length) body(first, first + length);
  body(first, last);
}

/// A sum of groups, in double precision.
class lane_sum {
 public:
  template <class Lanes>
  void add(Lanes values) noexcept {
    if constexpr (std::is_same_v<Lanes, lanes<double>>) {
      sum_ += values;
    } else {
      using wide = double __attribute__((vector_size(2 * lane_bytes)));
      const wide all = __builtin_convertvector(values, wide);
      sum_ += __builtin_shufflevector(all, all, 0, 1) + __builtin_shufflevector(all, all, 2, 3);
    }
  }

  double value() const noexcept { return sum_[0] + sum_[1]; }

 private:
  lanes<double> sum_{};
};

}  // namespace callisto::graph
