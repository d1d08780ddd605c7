// What the test programs count: expectations that did not hold. For one thread at a time. And what they run on.
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

/// The program's last words, and its exit status.
inline int verdict() {
  if (failures == 0) std::puts("good");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Else it is the library that the program was linked with.
inline bool is_on_callisto() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "callisto") != nullptr;
}
