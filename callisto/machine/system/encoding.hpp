// The encoding of texts: UTF-8, or Windows-1252 where bytes are not UTF-8.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace callisto::machine {

/// Returns the number of bytes of the character of UTF-8 that `text`, which is not empty, begins with; 0 if its bytes
/// are no character (RFC 3629, section 4).
CALLISTO_API std::size_t character_length(std::string_view text) noexcept;

/// True if all of `text` is UTF-8. Time: linear; eight bytes of ASCII at a time.
CALLISTO_API bool is_utf8(std::string_view text) noexcept;

/// Returns text of Windows-1252 as UTF-8. Bytes that this code page leaves undefined become the control characters of
/// Latin-1, so different texts stay different.
CALLISTO_API std::string from_windows_1252(std::string_view text);

/// Returns `text` as it is if it is UTF-8, else as from_windows_1252().
CALLISTO_API std::string as_utf8(std::string_view text);

/// Appends a character as UTF-8.
CALLISTO_API void append_utf8(std::string& text, char32_t code);

}  // namespace callisto::machine
