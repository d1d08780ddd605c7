// Makes text from anywhere fit for a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace callisto::machine {

/// Returns UTF-8 `text` with line breaks and all other control characters (U+0000 to 1F, 7F to 9F) replaced by spaces.
inline std::string one_line(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const bool long_control = byte(i) == 0xc2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0;
    const bool control = long_control || byte(i) < 0x20 || byte(i) == 0x7f;
    line += control ? ' ' : text[i];
    if (long_control) ++i;
  }
  return line;
}

}  // namespace callisto::machine
