// Pieces of lines of a screen: text that fits, numbers in few columns.
#pragma once

#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace callisto::app {

/// Returns `text`, marked as a heading if `on`.
inline std::string emphasized(std::string_view text, bool on) {
  return on ? fmt::format("\x1b[7m{}\x1b[0m", text) : std::string(text);
}

/// Returns at most `width` columns of `text`, cut at a whole character, and padded with spaces if `fill`.
inline std::string fit(std::string_view text, std::size_t width, bool fill = false) {
  const std::string_view shown = first_columns(text, width);
  return std::string(shown) + std::string(fill ? width - columns(shown) : 0, ' ');
}

/// Formats a number of contexts up to 9999 in four columns.
inline std::string brief(double contexts) {
  return fmt::format("{:4.{}f}", contexts, contexts < 9.95 ? 2 : contexts < 99.95 ? 1 : 0);
}

/// Returns `text` with the letters of ASCII as small ones.
inline std::string small(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return all;
}

}  // namespace callisto::app
