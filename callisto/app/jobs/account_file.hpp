// Names and numbers in files such as /etc/passwd and /etc/group.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

/// Returns the names and numbers of passwd(5) or group(5), in the file's order; lines that are damaged are left out.
std::vector<std::pair<std::string, std::uint32_t>> accounts_in(std::istream& file);

}  // namespace callisto::app
