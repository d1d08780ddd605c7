// A count of paths that may exceed the range of a double: two corners of a grid of 1024 by 1024 vertices are joined by
// 10^614 shortest paths.
#pragma once

#include <cmath>
#include <cstdint>

namespace callisto::graph {

/// The number mantissa * 2^(512 * digit), as precise as a double. The mantissa is 0 or in [2^-256, 2^256). Most sums
/// are of counts with the same digit, and take an addition and a comparison.
struct wide_count {
  double mantissa = 0;
  std::int64_t digit = 0;

  /// Converts a count of at least 1.
  static wide_count of(double count) noexcept {
    wide_count result{count, 0};
    while (result.mantissa >= half_digit) result.carry();
    return result;
  }

  wide_count& operator+=(const wide_count& other) noexcept {
    if (digit == other.digit) {
      mantissa += other.mantissa;
    } else if (other.mantissa != 0 && (mantissa == 0 || other.digit > digit)) {
      const double small = other.digit - digit == 1 ? mantissa * 0x1p-512 : 0;
      *this = {other.mantissa + small, other.digit};
    } else if (digit - other.digit == 1) {
      mantissa += other.mantissa * 0x1p-512;
    }  // else `other` is lost in rounding
    carry();
    return *this;
  }

  /// Returns a / b; b is not 0. A result below the range of a double becomes 0 or denormal.
  friend double ratio(const wide_count& a, const wide_count& b) noexcept {
    return in_double(a.mantissa / b.mantissa, a.digit - b.digit);
  }
  /// Returns a * b. A result below the range of a double becomes 0 or denormal.
  friend double product(const wide_count& a, const wide_count& b) noexcept {
    return in_double(a.mantissa * b.mantissa, a.digit + b.digit);
  }
  /// Returns a / b; a is from 1 to 2^64, b is not 0.
  friend wide_count quotient(double a, const wide_count& b) noexcept {
    wide_count result{a / b.mantissa, -b.digit};
    result.carry();
    return result;
  }

 private:
  void carry() noexcept {
    if (mantissa >= half_digit) {
      mantissa *= 0x1p-512;
      ++digit;
    }
  }

  static double in_double(double mantissa, std::int64_t digits) noexcept {
    if (digits == 0) return mantissa;
    if (digits < -4) return 0;
    return digits > 4 ? HUGE_VAL : std::ldexp(mantissa, static_cast<int>(512 * digits));
  }

  static constexpr double half_digit = 0x1p256;
};

// The same for plain counts, so that a search is one template for both kinds.
inline double quotient(double a, double b) noexcept { return a / b; }
inline double product(double a, double b) noexcept { return a * b; }

}  // namespace callisto::graph
