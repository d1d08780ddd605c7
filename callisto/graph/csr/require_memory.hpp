// The refusal of work that would not fit in memory.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <string_view>

namespace callisto::graph {

/// Work that would not fit in memory, refused before it begins; what() has the numbers.
class CALLISTO_API memory_error : public error {
 public:
  using error::error;
};

/// Throws memory_error if fewer than `bytes` bytes are available: `granted`, or, if that is 0,
/// machine::available_memory(). The message says that `what` ("kcore", "building the graph") may need so many bytes,
/// how many are available and which limit applies. Takes 0.1 ms.
CALLISTO_API void require_memory(std::string_view what, std::uint64_t bytes, std::uint64_t granted = 0);

}  // namespace callisto::graph
