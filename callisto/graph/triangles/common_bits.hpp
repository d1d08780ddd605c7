// The number of common bits of two bitmaps, by the widest instructions that the processor has.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Returns the number of bits set in both a[0, words) and b[0, words).
using common_bits_function = std::uint64_t (*)(const std::uint64_t* a, const std::uint64_t* b,
                                               std::size_t words) noexcept;

/// Returns all versions that this processor can run, the fastest first.
CALLISTO_API std::vector<common_bits_function> common_bits_versions();

}  // namespace callisto::graph
