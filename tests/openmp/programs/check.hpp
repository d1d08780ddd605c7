// Counts of failed expectations, for one thread at a time; and which library the program runs on.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

inline int failures = 0;

inline void check(bool good, const char* what) {
  if (good) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

/// Prints the result; returns the exit status.
inline int verdict() {
  if (failures == 0) std::puts("good");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Else it is the library that the program was linked with.
inline bool is_on_callisto() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "callisto") != nullptr;
}
