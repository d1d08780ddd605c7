// The weights of edges: in 16 bits each if all are whole numbers from 0 to 65,535, as most weights are, else as
// doubles.
#pragma once

#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace callisto::graph {

/// A weight in 16 bits.
using short_weight = std::uint16_t;

/// True if a short weight holds `weight` exactly: converted back to double it has the same bits (so -0.0 is not short).
inline bool is_short(double weight) noexcept {
  const double near = weight >= 0 && weight <= std::numeric_limits<short_weight>::max() ? weight : 0;
  const auto whole = static_cast<double>(static_cast<std::int32_t>(near));
  return std::bit_cast<std::uint64_t>(whole) == std::bit_cast<std::uint64_t>(weight);
}

/// True if all weights are short. Has no branches and runs at the speed of memory.
inline bool are_short(std::span<const double> weights) noexcept {
  bool all = true;
  for (const double w : weights) all &= is_short(w);
  return all;
}

/// Converts a weight to the form To; a double that becomes a short_weight must be short.
template <class To, class From>
constexpr To weight_as(From weight) noexcept {
  if constexpr (std::is_same_v<To, From>) {
    return weight;
  } else if constexpr (std::is_same_v<To, short_weight>) {
    return static_cast<short_weight>(
        static_cast<std::int32_t>(weight));  // by way of 32 bits, for which there are vector instructions
  } else {
    return static_cast<double>(weight);
  }
}

/// An array of weights, all short or all wide. operator[] returns a double; code that reads many weights uses data() or
/// visit() with the array's own form. Move-only. Thread-safety: as a plain array, except set() and widen(), which may
/// change the form.
class weight_array {
 public:
  using short_form = machine::page_array<short_weight>;
  using wide_form = machine::page_array<double>;

  weight_array() noexcept = default;
  /// Makes `size` zeros, in the short form.
  explicit weight_array(std::size_t size, machine::page_kind pages = machine::page_kind::huge) : short_(size, pages) {}
  weight_array(short_form values) noexcept : short_(std::move(values)) {}
  weight_array(wide_form values) noexcept : wide_(std::move(values)) {}

  std::size_t size() const noexcept { return short_.size() + wide_.size(); }
  bool empty() const noexcept { return size() == 0; }
  /// True if the form is short; also if the array is empty.
  bool is_short() const noexcept { return wide_.empty(); }
  std::size_t bytes() const noexcept { return short_.size() * sizeof(short_weight) + wide_.size() * sizeof(double); }

  double operator[](std::size_t i) const noexcept { return is_short() ? short_[i] : wide_[i]; }

  /// Returns the values as an array of Weight; null if they have the other form.
  template <class Weight>
  const Weight* data() const noexcept {
    if constexpr (std::is_same_v<Weight, short_weight>)
      return short_.data();
    else
      return wide_.data();
  }
  template <class Weight>
  Weight* data() noexcept {
    return const_cast<Weight*>(std::as_const(*this).template data<Weight>());
  }

  /// Calls f with all values, a std::span<const short_weight> or std::span<const double>, and returns its result.
  template <class F>
  decltype(auto) visit(F&& f) const {
    if (is_short()) return f(std::span<const short_weight>(short_));
    return f(std::span<const double>(wide_));
  }

  /// Sets weight i. If it is not short, makes all weights wide, which may throw std::bad_alloc.
  void set(std::size_t i, double weight) {
    if (is_short() && !graph::is_short(weight)) widen();
    if (is_short()) {
      short_[i] = weight_as<short_weight>(weight);
    } else {
      wide_[i] = weight;
    }
  }

  /// Makes all weights wide. Throws std::bad_alloc.
  void widen() {
    if (short_.empty()) return;
    wide_form wide(short_.size());
    for (std::size_t i = 0; i < short_.size(); ++i) {
      if (short_[i] != 0) wide[i] = short_[i];  // untouched pages of `wide` take no memory
    }
    *this = std::move(wide);
  }

  // shrink() and discard() do what they do for page_array.
  void shrink(std::size_t size) noexcept {
    short_.shrink(size);
    wide_.shrink(size);
  }
  void discard(std::size_t first, std::size_t last) noexcept {
    short_.discard(std::min(first, short_.size()), std::min(last, short_.size()));
    wide_.discard(std::min(first, wide_.size()), std::min(last, wide_.size()));
  }

 private:
  short_form short_;  // short_ or wide_ is empty
  wide_form wide_;
};

}  // namespace callisto::graph
