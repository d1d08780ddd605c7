// How much memory this process may still take.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <string>

namespace callisto::machine {

/// The memory that is left, and what limits it.
struct memory_left {
  std::uint64_t bytes;  ///< bytes that can be taken without swapping; 2^64 - 1 if no limit can be read
  std::string limit;    ///< "free memory", "the limit of its cgroup", "the limit of its address space"
};

/// Returns the least of what the kernel calls available (MemAvailable), what the memory limits of the process's cgroups
/// leave, and what the limit of its address space leaves (RLIMIT_AS, `ulimit -v`). Read at every call, 0.1 ms.
CALLISTO_API memory_left available_memory();

/// Returns the memory left to a process with /proc and cgroups in the tree `root`; an empty `root` is this process's
/// own.
CALLISTO_API memory_left read_available_memory(const std::string& root);

}  // namespace callisto::machine
