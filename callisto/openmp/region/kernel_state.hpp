// Kernel state of a thread, which its creator hands on to it: priority, scheduling class, processors, filters of system
// calls, capabilities, namespaces, and so on (libc/thread_state.cpp has the list).
//
// A thread that changes it runs under its own pthread from then on, and no other OpenMP thread runs there:
// - A member stays on the thread that lends its identity.
// - A leader runs no members, and the members that it makes from then on stay each on a separate thread, which inherits
//   from the leader.
// Workers inherit the state that the thread which makes them has set. It is the workers' state, and sets none apart.
#pragma once

#include <cstdint>

namespace callisto::openmp {

struct kernel_state {
  std::uint32_t number = 0;  ///< of the change that the thread has made or inherited last; 0: none
  bool is_bound = false;     ///< it may run on some of the process's processors only

  bool operator==(const kernel_state&) const = default;
};

/// Returns the calling thread's.
kernel_state kernel_state_here() noexcept;
/// Says what the calling thread, which is new, has inherited.
void inherit_kernel_state(kernel_state from) noexcept;
/// Called by a thread after it has changed what the kernel keeps for it.
void kernel_state_changes() noexcept;
/// Called by a thread after it has set on which processors it runs: all processors of the process, or some.
void is_bound_here(bool to_some) noexcept;

/// Called by the thread that makes the workers.
void workers_inherit() noexcept;
/// True if what the kernel keeps for the calling thread may differ from what it keeps for the workers. Two loads.
bool is_set_apart() noexcept;

}  // namespace callisto::openmp
