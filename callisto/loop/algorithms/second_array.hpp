// Memory for the second array of a sort.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>

namespace callisto::loop {

/// Maps memory of any content on separate pages, if there are some those of an earlier array of the same size. Throws
/// std::bad_alloc.
CALLISTO_API void* map_second_array(std::size_t bytes);
/// Unmaps what map_second_array(bytes) returned, or keeps it for a later call.
CALLISTO_API void unmap_second_array(void* address, std::size_t bytes) noexcept;

}  // namespace callisto::loop
