// The cost of a loop, in work that one thread does meanwhile. Limits of kernels that work alone are multiples of it.
#pragma once

#include <cstdint>

namespace callisto::loop {

/// Vertices that one thread looks at, or arcs that it follows in its own cache, in the 3 us that a loop takes to call
/// other threads and to wait for them (docs/results/loops.md). Fewer are left to one thread.
inline constexpr std::uint64_t loop_cost = 4096;

}  // namespace callisto::loop
