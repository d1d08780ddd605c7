// How much of the processors the system gives this process beside other processes: its nice level, its scheduling
// policy, and the weights of its control groups.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <string>

namespace callisto::machine {

/// The priority of a process at nice level 0 in groups of default weight.
inline constexpr unsigned usual_priority = 64;
inline constexpr unsigned highest_priority = 64 * 1024;

/// Returns the weight of a nice level, -20 to 19, as the kernel has it: each level is a quarter more or less than the
/// next (sched(7)); 1,024 for 0.
CALLISTO_API unsigned weight_of_nice(int nice) noexcept;

/// Returns the factor by which the groups of this process (cpu.weight, cpu.shares) change its weight, with /proc and
/// mounts in the tree `root`; an empty one is the machine's own. Reads all mounts; takes 50 to 200 us.
CALLISTO_API double weight_of_groups(const std::string& root);

/// Returns the priority of this process, from 1 to highest_priority: usual_priority times what its nice level and
/// `groups`, the factor by weight_of_groups(), make of it. SCHED_IDLE counts as the kernel has it, 3 of 1,024. Takes
/// about 1 us.
CALLISTO_API unsigned priority_of_this_process(double groups) noexcept;

}  // namespace callisto::machine
