// How much memory this process may still take.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <string>

namespace callisto::machine {

/// What is left, and what leaves no more.
struct memory_left {
  std::uint64_t bytes;  ///< that can be taken without swapping; 2^64 - 1 if no limit can be read
  std::string limit;    ///< "free memory", "the limit of its cgroup", "the limit of its address space"
};

/// The least of what the kernel calls available (MemAvailable), what the memory limits of the process's cgroups leave,
/// and what the limit of its address space does (RLIMIT_AS, `ulimit -v`). Read anew on every call, a tenth of a
/// millisecond.
CALLISTO_API memory_left available_memory();

/// The same of a process whose /proc and cgroups lie in the tree `root`. With an empty `root`, its own.
CALLISTO_API memory_left read_available_memory(const std::string& root);

}  // namespace callisto::machine
