// Spells numbers and messages for people.
#include <callisto/app/base/text.hpp>

#include <callisto/machine/system/encoding.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace callisto::app {
namespace {

using machine::character_length;

/// Returns `value` with two decimals below 10, with one below 100, else with none: three digits from 1 to 999.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

struct code_points {
  char32_t first, last;
};
/// Characters that take two columns (East Asian ones, pictures) and marks that take none, roughly by Unicode's blocks.
constexpr code_points wide[] = {{0x1100, 0x115f},  {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97c},
                                {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                                {0x20000, 0x3fffd}};
constexpr code_points combining[] = {{0x300, 0x36f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
                                     {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

struct shown_character {
  std::size_t bytes;
  std::size_t columns;
};

/// Returns the bytes and columns of the first character of `text`. A byte that belongs to no character counts as a
/// character of one column.
shown_character first_of(std::string_view text) {
  const std::size_t length = character_length(text);
  if (length < 2) return {1, 1};
  char32_t code = static_cast<unsigned char>(text.front()) & (0xffu >> (length + 1));
  for (const char c : text.substr(1, length - 1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  const auto in = [code](const code_points& range) { return code >= range.first && code <= range.last; };
  return {length, std::ranges::any_of(combining, in) ? 0u : std::ranges::any_of(wide, in) ? 2u : 1u};
}

}  // namespace

std::string with_separators(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_separators(count), noun, count == 1 ? "" : "s");
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string human_seconds(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 0.9995e-3) return fmt::format("{} us", three_digits(seconds * 1e6));
  if (seconds < 0.9995) return fmt::format("{} ms", three_digits(seconds * 1e3));
  if (seconds < 119.5) return fmt::format("{} s", three_digits(seconds));
  const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string human_rate(double per_second, std::string_view unit) {
  static constexpr std::array<std::string_view, 5> prefixes{"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (per_second >= 999.5 && prefix + 1 < prefixes.size()) {
    per_second /= 1000;
    ++prefix;
  }
  if (unit == "bytes") return fmt::format("{} {}B/s", three_digits(per_second), prefixes[prefix]);
  return fmt::format("{} {}{}{}/s", three_digits(per_second), prefixes[prefix], prefixes[prefix].empty() ? "" : " ",
                     unit);
}

std::string whole_characters(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = character_length(bytes);
    text += length != 0 ? bytes.substr(0, length) : "?";
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::size_t columns(std::string_view text) noexcept {
  std::size_t shown = 0;
  for (; !text.empty(); text.remove_prefix(first_of(text).bytes)) shown += first_of(text).columns;
  return shown;
}

std::string_view first_columns(std::string_view text, std::size_t width) noexcept {
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size();) {
    const shown_character next = first_of(text.substr(end));
    shown += next.columns;
    if (shown > width) break;
    end += next.bytes;
  }
  return text.substr(0, end);
}

}  // namespace callisto::app
