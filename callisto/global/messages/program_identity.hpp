// Which builds of the program and of its libraries a process runs.
#pragma once

#include <cstdint>
#include <span>

namespace callisto::global {

/// Returns a number that is the same in processes that run the same build of the program and of its libraries, and
/// rarely the same for two builds. Counted are the program, what its linker needs outside of the system's folders
/// (/lib, /usr/lib and the like), and the files that hold `addresses`: by build id, or by all bytes where a file has
/// none.
std::uint64_t program_identity(std::span<const void* const> addresses);

}  // namespace callisto::global
