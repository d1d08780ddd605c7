// Texts with places to fill: what loops need of formatting, so that a build of loops alone needs no other library.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace callisto::machine {

inline std::string text_of(std::string_view text) { return std::string(text); }
inline std::string text_of(std::integral auto number) { return std::to_string(number); }
/// Returns the shortest text from which the number can be read again.
inline std::string text_of(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}
/// Returns the number with `digits` digits behind the point; numbers of more than 200 digits lose the last.
inline std::string fixed(double number, int digits) {
  std::array<char, 256> text{};
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed, digits).ptr};
}

/// Returns `text` as a JSON string.
inline std::string quoted(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      json += "\\u00";
      json += {digits[code / 16], digits[code % 16]};
    } else {
      json += c;
    }
  }
  return json + '"';
}

/// Returns `pattern` with each `{}` replaced by the next of `with`. Two braces `{{` or `}}` stand for one.
inline std::string fill(std::string_view pattern, std::initializer_list<std::string> with) {
  std::string text;
  auto next = with.begin();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view two = pattern.substr(i, 2);
    if (two == "{}") {
      text += next != with.end() ? *next++ : std::string("{}");
    } else {
      text += pattern[i];
      if (two != "{{" && two != "}}") continue;
    }
    ++i;
  }
  return text;
}
template <class... Values>
std::string filled(std::string_view pattern, const Values&... with) {
  return fill(pattern, {text_of(with)...});
}

}  // namespace callisto::machine
