// Files that describe a machine or a network: a parameter a line, with the source of its value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace callisto::machine::simulation {

/// A line `key = value  # comment`. Its texts are parts of the file's.
struct described_line {
  std::uint64_t number;  ///< from 1
  std::string_view key;
  std::string_view value;
  std::string_view comment;
};

/// Returns `text` without blanks at its ends.
std::string_view trimmed(std::string_view text);

/// Calls f for each line of `text` that is neither empty nor a comment. Throws input_error, with `file`, for a line
/// without '='.
void for_each_described_line(std::string_view text, const std::string& file,
                             const std::function<void(const described_line&)>& f);

/// Returns the message for a value of the wrong form.
std::string unexpected(std::string_view key, std::string_view found, std::string_view expected);

/// The words for the comment that is to stand behind a value.
inline constexpr std::string_view expected_source = "where the value comes from: '# source: ...' or '# estimated: ...'";

}  // namespace callisto::machine::simulation
