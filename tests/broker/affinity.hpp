// Where threads may run, for tests of the broker.
#pragma once

#include <vector>

#include <sched.h>
#include <sys/types.h>

namespace callisto::broker {

/// Returns the contexts of a thread's affinity, up to two.
inline std::vector<unsigned> affinity_of(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(thread, sizeof set, &set);
  std::vector<unsigned> all;
  for (unsigned c = 0; c < CPU_SETSIZE && all.size() < 2; ++c) {
    if (CPU_ISSET(c, &set)) all.push_back(c);
  }
  return all;
}

}  // namespace callisto::broker
