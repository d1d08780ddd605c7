// Hooks that threads of the library call when they start and before they end.
#pragma once

#include <callisto/export.hpp>

#include <functional>

namespace callisto {

/// Functions that each thread of the library calls with its number, from 1 on, to name itself, to set what belongs to a
/// thread, or to tell a tool. They must not throw or run loops. The leader of a loop is the program's own thread, and
/// calls none.
struct thread_hooks {
  std::function<void(unsigned thread)> start = {};  ///< before the thread's first loop
  std::function<void(unsigned thread)> end = {};    ///< after its last; not at the end of the process if it still works
};

/// Sets the hooks of threads that start from now on, and returns those before. Call it before the first loop: threads
/// that run already keep theirs, until set_threads() ends them. Thread-safe.
CALLISTO_API thread_hooks set_thread_hooks(thread_hooks hooks);

}  // namespace callisto
