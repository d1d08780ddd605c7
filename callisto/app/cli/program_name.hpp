// The name before the messages of a program: "callisto: interrupted".
#pragma once

#include <string_view>

namespace callisto::app {

/// Returns the name of this program, "callisto" unless name_program() gave another name.
std::string_view program_name() noexcept;

/// Names this program. `name` is valid as long as the process; call it before any other thread starts.
void name_program(std::string_view name) noexcept;

}  // namespace callisto::app
