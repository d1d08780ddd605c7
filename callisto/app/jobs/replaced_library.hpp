// Which OpenMP library of a program Callisto's would replace.
#pragma once

#include <string>
#include <vector>

namespace callisto::app {

/// Returns lines that tell which OpenMP library a program has, and whether a preloaded one replaces it. `program` is
/// found as a shell finds it. Lets the program's loader list its libraries; does not run the program. Throws
/// usage_error if there is no such program.
std::vector<std::string> what_is_replaced(const std::string& program);

}  // namespace callisto::app
