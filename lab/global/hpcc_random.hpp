// The random numbers of HPCC's RandomAccess: powers of x modulo x^64 + x^2 + x + 1.
#pragma once

#include <cstdint>

namespace callisto::lab {

constexpr std::uint64_t next_random(std::uint64_t r) { return (r << 1) ^ (static_cast<std::int64_t>(r) < 0 ? 7 : 0); }

/// Returns number `n` of the sequence, which begins with 1: about a microsecond.
inline std::uint64_t random_at(std::uint64_t n) {
  const auto times = [](std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    for (; b != 0; b >>= 1, a = next_random(a)) product ^= (b & 1) != 0 ? a : 0;
    return product;
  };
  std::uint64_t r = 1;
  for (std::uint64_t square = 2; n != 0; n >>= 1, square = times(square, square)) {
    if ((n & 1) != 0) r = times(r, square);
  }
  return r;
}

}  // namespace callisto::lab
