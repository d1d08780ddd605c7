// Sixteen bytes of scores at once, for the passes of accelerated PageRank that go straight through the vertices: every
// processor that Callisto runs on has registers of that size, which compilers don't use for sums unless told how to
// add. Sums are kept in double precision whatever the scores have.
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

/// How many scores make a group.
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

/// A group, or what is left of one, with zeros.
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

/// What differs from zero by the sign only.
template <class Real>
inline lanes<Real> magnitude(lanes<Real> values) noexcept {
  using words = decltype(values < values);
  using word = std::conditional_t<sizeof(Real) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
  return reinterpret_cast<lanes<Real>>(reinterpret_cast<words>(values) & std::numeric_limits<word>::max());
}

/// Calls body(v, left) for the groups of [first, last): they begin at v, and there are `left` values from there on, at
/// compile time as many as a group has, but for the last one.
template <class Real, class Body>
inline void each_group(std::uint64_t first, std::uint64_t last, const Body& body) {
  for (; last - first >= lane_count<Real>; first += lane_count<Real>) {
    body(first, std::integral_constant<std::uint64_t, lane_count<Real>>());
  }
  if (first != last) body(first, last - first);
}

/// Calls body(first, last) for stretches short enough to sum them in the precision of the scores.
template <class Body>
inline void each_stretch(std::uint64_t first, std::uint64_t last, const Body& body) {
  constexpr std::uint64_t length = 32;
  for (; last - first > length; first += length) body(first, first + length);
  body(first, last);
}

/// A sum that groups are added to.
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
