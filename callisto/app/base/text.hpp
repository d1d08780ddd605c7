// Values as people read them: counts with separators, bytes, times; and text made fit for one line.
#pragma once

#include <callisto/machine/system/one_line.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace callisto::app {

/// 1234567 as "1,234,567".
std::string with_separators(std::uint64_t count);

/// A count and its noun, which takes an s unless there is one of it: "1 run", "1,000 runs".
std::string counted(std::uint64_t count, std::string_view noun);

/// Bytes in binary units with three digits: "812 B", "1.50 KiB", "23.4 GiB".
std::string human_bytes(std::uint64_t bytes);

/// A time in the unit that suits it, with three digits: "340 ns", "12.3 ms", "4.20 s", "3 min 05 s", "2 h 10 min".
std::string human_seconds(double seconds);

/// A rate with a metric prefix and its unit: "312 MB/s" for bytes, "1.20 M edges/s" for others.
std::string human_rate(double per_second, std::string_view unit);

/// `text` with line breaks and other control characters replaced, so that a message stays on one line whatever a file
/// is called.
using machine::one_line;

/// `bytes` with a question mark for each that belongs to no character of UTF-8.
std::string whole_characters(std::string_view bytes);

/// The columns that UTF-8 `text` takes on a terminal: two for wide characters, as East Asian ones are.
std::size_t columns(std::string_view text) noexcept;

/// What of `text` fits into so many columns: whole characters.
std::string_view first_columns(std::string_view text, std::size_t width) noexcept;

}  // namespace callisto::app
