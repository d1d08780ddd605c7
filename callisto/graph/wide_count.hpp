// A count of paths of any size, of which there can be more than a double holds: two corners of a grid of 1024 by 1024
// are joined by 10^614 shortest ones.
#pragma once

#include <cmath>
#include <cstdint>

namespace callisto::graph {

/// mantissa * 2^(512 * digit). Neither 0 nor below 2^-256, unless the whole is 0, and below 2^256: sums of counts that
/// are near each other, which most are, need no more than an addition and a comparison. As precise as a double.
struct wide_count {
  double mantissa = 0;
  std::int64_t digit = 0;

  wide_count& operator+=(const wide_count& other) noexcept {
    constexpr double half_digit = 0x1p256;
    if (digit == other.digit) {
      mantissa += other.mantissa;
    } else if (other.mantissa != 0 && (mantissa == 0 || other.digit > digit)) {
      const double small = other.digit - digit == 1 ? mantissa * 0x1p-512 : 0;
      *this = {other.mantissa + small, other.digit};
    } else if (digit - other.digit == 1) {
      mantissa += other.mantissa * 0x1p-512;
    }  // else it is lost in rounding
    if (mantissa >= half_digit) {
      mantissa *= 0x1p-512;
      ++digit;
    }
    return *this;
  }

  /// a / b, of b not 0: 0 or denormal where it is less than a double can be.
  friend double ratio(const wide_count& a, const wide_count& b) noexcept {
    const double quotient = a.mantissa / b.mantissa;
    const std::int64_t digits = a.digit - b.digit;
    if (digits == 0) return quotient;
    if (digits < -4) return 0;
    return digits > 4 ? HUGE_VAL : std::ldexp(quotient, static_cast<int>(512 * digits));
  }
};

}  // namespace callisto::graph
