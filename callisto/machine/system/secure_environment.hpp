// Variables of the environment that name files and folders.
#pragma once

#include <cstdlib>
#include <string_view>

#include <sys/auxv.h>

namespace callisto::machine {

/// True if the program has rights that its caller lacks: a setuid bit, or capabilities of its file.
inline bool in_secure_mode() noexcept { return getauxval(AT_SECURE) != 0; }

/// Returns a variable that names a file or a folder; empty if it is not set. In secure mode always
/// empty: the environment is the caller's, the rights are not.
inline std::string_view file_variable(const char* name) noexcept {
  const char* const value = secure_getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace callisto::machine
