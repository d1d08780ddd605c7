// The memory that it takes to build a graph beside its list.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>

namespace callisto::graph::needs {

/// Returns the bytes that build_graph() takes at most beside a list without weights and attributes: it frees the blocks
/// as it reads them, `largest_block` bytes at a time.
CALLISTO_API std::uint64_t build_beside_list(std::uint64_t vertices, std::uint64_t bytes_of_list,
                                             std::uint64_t largest_block) noexcept;

}  // namespace callisto::graph::needs
