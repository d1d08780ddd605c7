// What the test programs count: expectations that did not hold. For one thread at a time.
#pragma once

#include <cstdio>

inline int failures = 0;

inline void check(bool good, const char* what) {
  if (good) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}
