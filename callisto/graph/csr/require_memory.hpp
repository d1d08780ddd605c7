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

/// True if `bytes` bytes are available: `granted`, or, if that is 0, machine::available_memory(). Takes 0.1 to 0.5 ms;
/// nothing for at most 1 MiB, if none is granted.
CALLISTO_API bool has_memory(std::uint64_t bytes, std::uint64_t granted = 0);

/// Throws memory_error unless has_memory(). The message says that `what` ("kcore", "building the graph") may need
/// `bytes` bytes, how many are available and which limit applies.
CALLISTO_API void require_memory(std::string_view what, std::uint64_t bytes, std::uint64_t granted = 0);

}  // namespace callisto::graph
