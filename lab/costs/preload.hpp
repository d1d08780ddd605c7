// Programs that are started with Callisto's libgomp.so.1 preloaded, or without.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace callisto::lab {

/// Makes the programs that are started from now on load `library` first; null: none. Ends the program if the file is
/// not there: the loader would go on without it, and the stock library would be compared with itself.
inline void preload(const char* library) {
  if (library == nullptr) {
    unsetenv("LD_PRELOAD");
    return;
  }
  if (access(library, R_OK) != 0) {
    fmt::print(stderr, "{}: cannot be read\n", library);
    std::exit(1);
  }
  setenv("LD_PRELOAD", library, 1);
}

}  // namespace callisto::lab
