// The keys of NAS IS (NPB 3.4): the sequence, the classes, and the ranks that verify each iteration.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace callisto::lab {

/// The generator of the NAS benchmarks: x -> 5^13 x mod 2^46, from 314159265.
class nas_random {
 public:
  /// Begins behind the first `skipped` numbers.
  explicit nas_random(std::uint64_t skipped) noexcept {
    std::uint64_t factor = multiplier;
    for (; skipped != 0; skipped >>= 1) {
      if ((skipped & 1) != 0) state_ = state_ * factor & mask;
      factor = factor * factor & mask;
    }
  }
  /// Returns a number of (0, 1).
  double operator()() noexcept {
    state_ = state_ * multiplier & mask;
    return static_cast<double>(state_) * 0x1p-46;
  }

 private:
  static constexpr std::uint64_t multiplier = 1'220'703'125;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
  std::uint64_t state_ = 314'159'265;
};

/// A size of the benchmark. Iteration i finds the key of sequence number checked[k] at rank expected[k] + i - rises_by
/// or, if the bit k of `falls` is set, at expected[k] - i + falls_by.
struct nas_class {
  char name;
  unsigned log2_keys;
  unsigned log2_values;
  std::array<std::uint64_t, 5> checked;
  std::array<std::uint64_t, 5> expected;
  unsigned falls;
  unsigned rises_by;
  unsigned falls_by;
};

// clang-format off
inline constexpr std::array<nas_class, 5> nas_classes{{
    {'S', 16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, 0b11000, 0, 0},
    {'W', 20, 16, {357773, 934767, 875723, 898999, 404505},
     {1249, 11698, 1039987, 1043896, 1048018}, 0b11100, 2, 0},
    {'A', 23, 19, {2112377, 662041, 5336171, 3642833, 4250760},
     {104, 17523, 123928, 8288932, 8388264}, 0b11000, 1, 1},
    {'B', 25, 21, {41869, 812306, 5102857, 18232239, 26860214},
     {33422937, 10244, 59149, 33135281, 99}, 0b01001, 0, 0},
    {'C', 27, 23, {44172927, 72999161, 74326391, 129606274, 21736814},
     {61147, 882988, 266290, 133997595, 133525895}, 0b11000, 0, 0},
}};
// clang-format on

/// Returns the class of this name; null if there is none.
constexpr const nas_class* nas_class_of(std::string_view name) noexcept {
  for (const nas_class& c : nas_classes) {
    if (name.size() == 1 && name[0] == c.name) return &c;
  }
  return nullptr;
}

constexpr std::uint64_t nas_iterations = 10;

}  // namespace callisto::lab
