// How much memory of dead arrays waits for new arrays.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>

namespace callisto::machine {

/// Keeps at most `most` bytes of pages of dead page arrays, instead of most_kept_pages. For processes of which several
/// share a machine. Any thread may call it.
CALLISTO_API void keep_pages(std::size_t most) noexcept;

}  // namespace callisto::machine
