// Texts in encodings of any bytes a character, as UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace callisto::graph::input {

/// Returns the encoding, as iconv names it, that the first bytes of a text show: UTF-16 or UTF-32, by a byte order mark
/// or by the zeros among its first characters; nothing for any other.
std::optional<std::string> wide_encoding_of(std::string_view head);

/// Returns `text` as UTF-8, without a byte order mark; XML loses the encoding that it declares. Throws usage_error for
/// an encoding that iconv does not know, and input_error, which names `file` and the line, for bytes that are no
/// character of it.
std::string to_utf8(std::string_view text, const std::string& encoding, const std::string& file);

}  // namespace callisto::graph::input
