// Numbers on the command line. They are read strictly. A number that does not fit is refused with one line that names
// the flag and what was expected.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace callisto::app {

/// Returns `text` as a whole number in [least, most]. Accepts decimal digits only: no sign, no space, no unit. Throws
/// usage_error, which names `flag`, for anything else.
std::uint64_t parse_count(std::string_view flag, std::string_view text, std::uint64_t least,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// The numbers that a flag accepts: low <= x < high. `above_low` leaves out low, `up_to_high` takes in high.
struct real_range {
  double low;
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;
  bool up_to_high = false;
};

/// Returns `text` as a finite number in `range`. Throws usage_error, which names `flag`, for anything else, NaN and
/// infinities included.
double parse_real(std::string_view flag, std::string_view text, real_range range);

}  // namespace callisto::app
