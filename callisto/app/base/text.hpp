// Values as people read them (counts with separators, bytes, times), and text made fit for one line.
#pragma once

#include <callisto/machine/system/one_line.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace callisto::app {

/// Returns `count` with a comma between groups of three digits: 1234567 as "1,234,567".
std::string with_separators(std::uint64_t count);

/// Returns a count and its noun, with an s unless `count` is 1: "1 run", "1,000 runs".
std::string counted(std::uint64_t count, std::string_view noun);

/// Returns bytes in binary units with three digits: "812 B", "1.50 KiB", "23.4 GiB".
std::string human_bytes(std::uint64_t bytes);

/// Returns a time with three digits in the unit that suits it: "340 ns", "12.3 ms", "4.20 s", or "3 min 05 s" and "2 h
/// 10 min" from two minutes on.
std::string human_seconds(double seconds);

/// Returns a rate with a metric prefix and its unit: "312 MB/s" if `unit` is "bytes", else as "1.20 M edges/s".
std::string human_rate(double per_second, std::string_view unit);

/// Replaces line breaks and other control characters of a text, so that a message stays on one line whatever a file is
/// called.
using machine::one_line;

/// Returns `bytes` with a question mark for each byte that belongs to no character of UTF-8.
std::string whole_characters(std::string_view bytes);

/// Returns the number of columns that UTF-8 `text` takes on a terminal. Wide characters, such as East Asian ones, count
/// as two columns.
std::size_t columns(std::string_view text) noexcept;

/// Returns the longest beginning of `text` that takes at most `width` columns. It ends at a whole character.
std::string_view first_columns(std::string_view text, std::size_t width) noexcept;

}  // namespace callisto::app
