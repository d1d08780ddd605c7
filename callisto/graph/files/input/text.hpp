// Text of graph files: decimals parsed eight digits at a time, lines split into columns, text shown in messages.
#pragma once

#include <callisto/export.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace callisto::graph::input {

/// Bytes behind a text that parse_digits() may read; it ignores their values.
inline constexpr std::size_t readable_behind = 16;

namespace detail {

/// Returns eight characters, the first in the lowest byte.
inline std::uint64_t load_eight(const char* p) noexcept {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// Returns a word with the high bit of each byte that is not 0 to 9; exact up to the first such byte, as callers need.
inline std::uint64_t not_digits(std::uint64_t word) noexcept {
  return ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
}

/// Returns the number that eight digit values spell, the first in the lowest byte. Joins neighbours to pairs, to fours
/// and to eight, each step one multiplication (folklore; see Lemire, "Number parsing at a gigabyte per second",
/// Software: Practice and Experience 2021, section 3).
inline std::uint64_t join_eight(std::uint64_t word) noexcept {
  word = word * 10 + (word >> 8);
  constexpr std::uint64_t mask = 0x000000FF000000FFu;
  return ((word & mask) * 0x000F424000000064u + ((word >> 16) & mask) * 0x0000271000000001u) >> 32;
}

inline constexpr std::array<std::uint64_t, 9> power_of_ten = {1,       10,        100,        1'000,      10'000,
                                                              100'000, 1'000'000, 10'000'000, 100'000'000};

/// Continues parse_digits() behind the first eight digits; `value` holds their value.
[[gnu::noinline]] inline bool parse_more_digits(const char*& p, std::uint64_t& value) noexcept {
  const std::uint64_t word = load_eight(p) ^ 0x3030303030303030u;
  const std::uint64_t others = not_digits(word);
  if (others != 0) {
    const auto digits = static_cast<unsigned>(std::countr_zero(others)) / 8;
    p += digits;
    if (digits != 0) value = value * power_of_ten[digits] + join_eight(word << (64 - 8 * digits));
    return true;
  }
  value = value * power_of_ten[8] + join_eight(word);
  p += 8;
  for (; *p >= '0' && *p <= '9'; ++p) {
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(*p - '0'), &value)) {
      return false;
    }
  }
  return true;
}

}  // namespace detail

/// Reads the decimal at `p` and moves `p` behind its last digit. Returns false, with `p` anywhere, if there is no
/// number or it is 2^64 or more. Another character, at the latest a line break, and `readable_behind` bytes must
/// follow.
[[gnu::always_inline]] inline bool parse_digits(const char*& p, std::uint64_t& value) noexcept {
  const std::uint64_t word = detail::load_eight(p) ^ 0x3030303030303030u;
  const std::uint64_t others = detail::not_digits(word);
  if (others == 0) [[unlikely]] {
    p += 8;
    value = detail::join_eight(word);
    return detail::parse_more_digits(p, value);
  }
  const auto digits = static_cast<unsigned>(std::countr_zero(others)) / 8;
  if (digits == 0) return false;
  value = detail::join_eight(word << (64 - 8 * digits));
  p += digits;
  return true;
}

inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// Returns `text` without the characters of `blanks` at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") noexcept {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns `text` with a to z for A to Z, in any locale.
std::string lower_case(std::string_view text);

/// The first columns of a line, and their number.
struct columns {
  static constexpr std::size_t kept = 8;
  std::array<std::string_view, kept> text;
  std::size_t count = 0;
};

/// Splits a line, without its '\n', at `separator`; blanks around columns and a '\r' at its end are dropped.
CALLISTO_API columns split_at(std::string_view line, char separator) noexcept;

/// Splits a line, without its '\n', at spaces and tabs; a '\r' at its end is dropped.
inline columns split(std::string_view line) noexcept {
  if (line.ends_with('\r')) line.remove_suffix(1);
  columns found;
  for (std::size_t i = 0;;) {
    while (i != line.size() && is_blank(line[i])) ++i;
    if (i == line.size()) return found;
    const std::size_t begin = i;
    while (i != line.size() && !is_blank(line[i])) ++i;
    if (found.count < columns::kept) found.text[found.count] = line.substr(begin, i - begin);
    ++found.count;
  }
}

/// Splits a line, without its '\n', at `separator`; a space stands for blanks and tabs.
inline columns split(std::string_view line, char separator) noexcept {
  return separator == ' ' ? split(line) : split_at(line, separator);
}

/// Parses all of `token` as a decimal; returns nothing if it is none.
inline std::optional<std::uint64_t> to_unsigned(std::string_view token) noexcept {
  std::uint64_t value = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// Iterates over the lines of a text.
class line_reader {
 public:
  /// `whole`: text behind the last '\n' is a line; else it is not delivered.
  line_reader(std::string_view text, bool whole) noexcept : text_(text), whole_(whole) {}

  /// Moves to the next line. Returns false if there is none.
  bool next() noexcept {
    if (end_ == text_.size()) return false;
    const std::size_t found = text_.find('\n', end_);
    if (found == std::string_view::npos && !whole_) return false;
    begin_ = end_;
    end_ = found == std::string_view::npos ? text_.size() : found + 1;
    line_ = text_.substr(begin_, (found == std::string_view::npos ? end_ : found) - begin_);
    ++number_;
    return true;
  }

  std::string_view line() const noexcept { return line_; }   ///< the current line, without its '\n'
  std::uint64_t number() const noexcept { return number_; }  ///< its number, from 1
  std::size_t end() const noexcept { return end_; }          ///< offset of the next line in the text

 private:
  std::string_view text_;
  bool whole_;
  std::string_view line_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
};

/// Returns `token` for a message: in quotes, with control and non-ASCII characters as \xNN, shortened to about 40
/// characters.
CALLISTO_API std::string shown(std::string_view token);

/// Returns "1 column", "2 columns" ...
std::string counted(std::uint64_t count, std::string_view thing);
/// Returns "1 vertex", "2 vertices" ...
std::string counted(std::uint64_t count, std::string_view thing, std::string_view things);

/// Returns the message that `token` is not a number in [first, last]; `what` names the number.
std::string not_a_number_in(std::string_view token, std::uint64_t first, std::uint64_t last, std::string_view what);

}  // namespace callisto::graph::input
