// The threads of another process, and where they may run. No number comes from the process itself.
#pragma once

#include <callisto/cosched/context_assignment.hpp>

#include <optional>
#include <vector>

#include <sys/types.h>

namespace callisto::broker {

/// Returns the threads of a process; none if there are more than `most`.
std::vector<pid_t> threads_of(pid_t process, unsigned most);
/// True if the number is still one of the process's threads.
bool is_thread(pid_t process, pid_t thread) noexcept;
/// Returns a thread's affinity; nullopt if it has ended.
std::optional<cosched::context_set> affinity_of_thread(pid_t thread) noexcept;
/// Sets the affinity of a thread, if it is still one of the process's.
bool set_affinity(pid_t process, pid_t thread, const cosched::context_set& to) noexcept;

}  // namespace callisto::broker
