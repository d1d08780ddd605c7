// The words of supersteps: a round, and two numbers of entries or positions in a list. supersteps.hpp and
// fixed_supersteps.hpp say what each word means, and why its changes need their orders.
#pragma once

#include <cstdint>

namespace callisto::loop {

struct superstep_words {
  static constexpr unsigned size_bits = 20;
  static constexpr unsigned round_bits = 23;
  static constexpr std::uint64_t over_bit = std::uint64_t{1} << 63;
  /// The largest of the two numbers.
  static constexpr std::uint64_t largest = (std::uint64_t{1} << size_bits) - 1;

  /// Entries [first, last) of a list.
  struct piece {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  static constexpr std::uint64_t word(std::uint64_t round, std::uint64_t a, std::uint64_t b) noexcept {
    return round << (2 * size_bits) | a << size_bits | b;
  }
  static constexpr bool is_over(std::uint64_t state) noexcept { return (state & over_bit) != 0; }
  static constexpr std::uint64_t round_of(std::uint64_t w) noexcept { return (w & ~over_bit) >> (2 * size_bits); }
};

}  // namespace callisto::loop
