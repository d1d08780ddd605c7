// Parking for a limited time, on the native machine: for a thread that also watches for changes that wake no thread.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>

namespace callisto::machine {

/// Parks as native::park() for at most `nanoseconds`: true if that time is over. May return early.
CALLISTO_API bool park_for(const native::atomic<std::uint64_t>& word, std::uint32_t low,
                           std::uint64_t nanoseconds) noexcept;

}  // namespace callisto::machine
