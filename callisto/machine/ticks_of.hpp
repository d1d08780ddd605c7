// Durations as machines measure them.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::machine {

/// Returns a duration in M::ticks().
template <machine::policy M>
std::uint64_t ticks_of(std::uint64_t nanoseconds) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(nanoseconds) * 1e-9 *
                                    static_cast<double>(M::ticks_per_second()));
}

}  // namespace callisto::machine
