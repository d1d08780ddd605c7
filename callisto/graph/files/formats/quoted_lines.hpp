// Quoted cells of a table that go on in the next line (RFC 4180): found, and put into one line.
#pragma once

#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace callisto::graph::formats {

/// Thrown by the reader of tables, which reads line by line, for a quote that is not closed in its line.
struct quoted_line_break : input_error {
  quoted_line_break(const std::string& name, std::uint64_t line, bool nothing_delivered)
      : input_error(name, line, "a quote is not closed in its line"), early(nothing_delivered) {}
  bool early;  ///< nothing of the source has been delivered yet
};

/// True if a quoted cell of `text` holds a line break: a quote behind a separator or at the beginning of a line, closed
/// before another separator or the end of a line.
bool has_quoted_line_break(std::string_view text);

/// Stands for a line break in a quoted cell until the cell is cut out of its line. No cell holds it otherwise: a quote
/// in quotes is doubled.
inline constexpr std::string_view joined_line = "\"\x1e\"";

/// Returns `text` with `joined_line` for each line break in a quoted cell. As many empty lines follow the line, so that
/// later lines keep their numbers.
std::string without_quoted_line_breaks(std::string_view text);

}  // namespace callisto::graph::formats
