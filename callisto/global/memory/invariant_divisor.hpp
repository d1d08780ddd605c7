// Division by a number that stays the same, without a division instruction.
#pragma once

#include <bit>
#include <cstdint>

namespace callisto::global {

/// Divides any 64-bit number by one divisor that is at least 1. A multiplication and two shifts, about 2 ns less than
/// the instruction (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994, figure
/// 4.1).
class invariant_divisor {
 public:
  constexpr explicit invariant_divisor(std::uint64_t divisor = 1) noexcept : divisor_(divisor) {
    const int bits = divisor <= 1 ? 0 : 64 - std::countl_zero(divisor - 1);  // the least l with 2^l >= divisor
    const wide rest = (wide{1} << bits) - divisor;
    factor_ = static_cast<std::uint64_t>((rest << 64) / divisor) + 1;
    first_shift_ = bits == 0 ? 0 : 1;
    second_shift_ = bits == 0 ? 0 : static_cast<std::uint8_t>(bits - 1);
  }

  constexpr std::uint64_t divisor() const noexcept { return divisor_; }

  constexpr std::uint64_t quotient(std::uint64_t n) const noexcept {
    const std::uint64_t t = static_cast<std::uint64_t>((wide{factor_} * n) >> 64);
    return (t + ((n - t) >> first_shift_)) >> second_shift_;
  }

  constexpr std::uint64_t remainder(std::uint64_t n) const noexcept { return n - quotient(n) * divisor_; }

 private:
  __extension__ typedef unsigned __int128 wide;

  std::uint64_t divisor_;
  std::uint64_t factor_;
  std::uint8_t first_shift_;
  std::uint8_t second_shift_;
};

}  // namespace callisto::global
