// How much memory this process may still take.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <string>

namespace callisto::machine {

/// Bytes that can be taken without swapping: what the kernel calls available (MemAvailable), or what the memory limit
/// of the visible cgroup leaves, whichever is less; 2^64 - 1 if neither can be read. Read anew on every call.
CALLISTO_API std::uint64_t available_memory();

/// The same of a machine whose /proc and /sys/fs/cgroup lie in the tree `root`. With an empty `root`, the machine's
/// own.
CALLISTO_API std::uint64_t read_available_memory(const std::string& root);

}  // namespace callisto::machine
