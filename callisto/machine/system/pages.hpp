// Memory from the kernel instead of malloc: for a thread that another one, which holds malloc's lock, may wait for.
#pragma once

#include <callisto/export.hpp>

#include <memory_resource>

namespace callisto::machine {

/// A memory resource in which each piece has separate pages and costs a system call; a source for allocators of smaller
/// pieces. Throws std::bad_alloc. Any thread may use it.
CALLISTO_API std::pmr::memory_resource& pages() noexcept;

}  // namespace callisto::machine
