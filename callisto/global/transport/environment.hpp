// Numbers that a user sets by variables of the environment, and the words for what is wrong with them.
#pragma once

#include <cstdint>

namespace callisto::global {

/// A kind of numbers that a variable may hold, with its name in messages.
struct number_kind {
  const char* name = "a number";
  bool (*holds)(std::uint64_t) noexcept = [](std::uint64_t) noexcept { return true; };
};

/// Returns the number that a variable holds, of `kind` and from `least` to `most`; `otherwise` if it is not set or
/// empty. Throws usage_error that names the variable.
std::uint64_t number_from(const char* variable, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise,
                          const number_kind& kind = {});

}  // namespace callisto::global
