// Numbers on the command line: read strictly, refused with one line that names the flag and what was expected.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace callisto::app {

/// `text` as a whole number in [least, most]; throws usage_error naming `flag` otherwise. Accepts decimal digits only:
/// no sign, no space, no unit.
std::uint64_t parse_count(std::string_view flag, std::string_view text, std::uint64_t least,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// The numbers that a flag takes: low <= x < high, or low < x where `above_low`.
struct real_range {
  double low;
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;
};

/// `text` as a finite number in `range`; throws usage_error naming `flag` otherwise (NaN and infinities included).
double parse_real(std::string_view flag, std::string_view text, real_range range);

}  // namespace callisto::app
