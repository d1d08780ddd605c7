// Memory that is the kernel's, not malloc's: for threads that somebody may wait for while he holds malloc's lock.
#pragma once

#include <callisto/export.hpp>

#include <memory_resource>

namespace callisto::machine {

/// Each piece is pages of its own, and costs a system call: for what hands out smaller pieces. Throws std::bad_alloc.
/// From any thread.
CALLISTO_API std::pmr::memory_resource& pages() noexcept;

}  // namespace callisto::machine
