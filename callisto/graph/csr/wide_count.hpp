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

  /// A count from 1 on.
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
    }  // else it is lost in rounding
    carry();
    return *this;
  }

  /// a / b, of b not 0: 0 or denormal where it is less than a double can be.
  friend double ratio(const wide_count& a, const wide_count& b) noexcept {
    return in_double(a.mantissa / b.mantissa, a.digit - b.digit);
  }
  /// a * b, likewise.
  friend double product(const wide_count& a, const wide_count& b) noexcept {
    return in_double(a.mantissa * b.mantissa, a.digit + b.digit);
  }
  /// a / b, of a from 1 to 2^64 and b not 0.
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

}  // namespace callisto::graph
