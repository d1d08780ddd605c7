// The limits of ranges that split. They change times, never which iterations a thread gets in all.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstdint>

namespace callisto::distributor {

/// How much a thread keeps of iterations that it has stolen, and how long it looks for some.
struct range_limits {
  /// A thief reserves this share of what a thread usually takes, and offers the rest: elsewhere in the loop, iterations
  /// may take a thousand times longer, and a begun piece cannot be stolen.
  static constexpr std::uint64_t adopted_share = 16;  ///< share; flat
  /// Times that a thread looks at all threads on behalf of those that wait, among more threads than one node of the
  /// tree has: some have work in hand that they are about to offer.
  static constexpr unsigned looks = 16;  ///< times; flat
};

}  // namespace callisto::distributor
