// Random numbers that are a function of a seed and a position, so that any thread can make any part of a sequence.
//
// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) passes a counter
// through a mixing function, so number i is computed without the numbers before it.
#pragma once

#include <cstdint>

namespace callisto::graph {

/// Mixes a word: the function of SplitMix64 (Stafford's variant 13), a bijection of 64-bit words. Every output bit
/// depends on every input bit.
constexpr std::uint64_t mix_bits(std::uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// A sequence of uniform 64-bit words, chosen by a seed and a stream number; operator()(i) returns word i.
class counter_random {
 public:
  explicit constexpr counter_random(std::uint64_t seed, std::uint64_t stream = 0) noexcept
      : key_(mix_bits(mix_bits(seed + golden) + (stream + 1) * golden)) {}

  constexpr std::uint64_t operator()(std::uint64_t i) const noexcept { return mix_bits(key_ + i * golden); }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  std::uint64_t key_;
};

/// Returns a number below `bound` from a uniform word: Lemire's multiplication (2019) without the rejection step. The
/// probabilities of two results differ by a share of less than bound / 2^64.
constexpr std::uint64_t below(std::uint64_t word, std::uint64_t bound) noexcept {
  // The upper half of the 128-bit product, computed from products of 32-bit halves.
  const std::uint64_t low = (word & 0xffffffffu) * (bound & 0xffffffffu);
  const std::uint64_t mid = (word >> 32) * (bound & 0xffffffffu) + (low >> 32);
  const std::uint64_t mid2 = (word & 0xffffffffu) * (bound >> 32) + (mid & 0xffffffffu);
  return (word >> 32) * (bound >> 32) + (mid >> 32) + (mid2 >> 32);
}

/// Returns a number in [0, 1) from a uniform word.
constexpr double to_unit(std::uint64_t word) noexcept { return static_cast<double>(word >> 11) * 0x1p-53; }

}  // namespace callisto::graph
