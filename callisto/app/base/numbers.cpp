// Parses numeric arguments strictly.
#include <callisto/app/base/numbers.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace callisto::app {
namespace {

/// True if the whole of `text` is one number of type T, which `value` then holds.
template <class T>
bool read_whole(std::string_view text, T& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(std::string_view flag, const std::string& expected, std::string_view text) {
  throw usage_error(fmt::format("{}: expected {}, found '{}'", flag, expected, one_line(text)));
}

}  // namespace

std::uint64_t parse_count(std::string_view flag, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  if (read_whole(text, value) && value >= least && value <= most) return value;
  const bool bounded = most != std::numeric_limits<std::uint64_t>::max();
  refuse(flag,
         bounded ? fmt::format("a whole number from {} to {}", least, most)
                 : fmt::format("a whole number, {} or more", least),
         text);
}

double parse_real(std::string_view flag, std::string_view text, real_range range) {
  double value = 0;
  if (read_whole(text, value) && std::isfinite(value) &&
      (range.up_to_high ? value <= range.high : value < range.high) &&
      (range.above_low ? value > range.low : value >= range.low)) {
    return value;
  }
  refuse(flag,
         fmt::format("a number {} {}{}", range.above_low ? "above" : "of at least", range.low,
                     std::isfinite(range.high)
                         ? fmt::format(" and {} {}", range.up_to_high ? "of at most" : "below", range.high)
                         : std::string()),
         text);
}

}  // namespace callisto::app
