// How long threads of the native machine poll before they sleep.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstdint>

namespace callisto::machine {

/// A futex wake-up costs the waker 2 to 12 us and the sleeper about 50 us
/// (docs/notebook/2026-11-21-cost-of-a-loop.md). Spinning a few times that long before sleeping costs at most a few
/// times the best choice (Karlin et al., "Competitive randomized algorithms for non-uniform problems", SODA 1990).
struct spin_limits {
  /// Spins of waits that end soon, or where the thread has something better to do than to sleep.
  static constexpr std::uint64_t brief_us = 50;  ///< us; flat
  /// Spins of all other waits, such as those of followers between loops.
  static constexpr std::uint64_t long_us = 200;  ///< us; flat
};

}  // namespace callisto::machine
