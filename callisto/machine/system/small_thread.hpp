// Threads of the library that run little on their own stacks. A process that locks its memory (mlockall) has every
// stack in memory as a whole: 8 MiB for each usual thread.
#pragma once

#include <cerrno>
#include <cstddef>

#include <pthread.h>

namespace callisto::machine {

/// Starts a thread with a stack of 256 KiB, which has room for handlers of the program's. Returns 0 or an error number.
inline int start_small_thread(pthread_t& made, void* (*main)(void*), void* argument) noexcept {
  constexpr std::size_t stack_bytes = std::size_t{256} << 10;
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, stack_bytes);
  int failed = pthread_create(&made, &how, main, argument);
  pthread_attr_destroy(&how);
  // The program's thread-local data stand on the stack, too, and may need more.
  if (failed == EINVAL) failed = pthread_create(&made, nullptr, main, argument);
  return failed;
}

}  // namespace callisto::machine
