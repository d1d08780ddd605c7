// The text of --version about the build.
#pragma once

#include <string>

namespace callisto::app {

/// Returns lines that follow a program's name and version: the commit, if the build knew one, the compiler and the
/// processor, and what the build can do beyond the least.
std::string version_details();

}  // namespace callisto::app
