// Parking for a limited time, on the native machine: for who also looks at what nobody tells it.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>

namespace callisto::machine {

/// As native::park(), for `nanoseconds` at most: true if they are over. May return early.
CALLISTO_API bool park_for(const native::atomic<std::uint64_t>& word, std::uint32_t low,
                           std::uint64_t nanoseconds) noexcept;

}  // namespace callisto::machine
