// Each algorithm with a policy, against the standard library's of the same name.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace callisto::tests {

/// Runs one group of algorithms on these elements, with what `random` gives. Returns the name of an algorithm that
/// differs; empty: none.
std::string standard_of(std::mt19937_64& random, std::vector<std::int32_t> in);
std::string standard_of(std::mt19937_64& random, std::vector<std::string> in);

}  // namespace callisto::tests
