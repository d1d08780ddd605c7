// Checks UTF-8, and converts Windows-1252.
#include <callisto/machine/system/encoding.hpp>

#include <array>
#include <cstdint>
#include <cstring>

namespace callisto::machine {
namespace {

/// The characters that the bytes 0x80 to 0x9f stand for (WHATWG Encoding Standard, index windows-1252).
constexpr std::array<char32_t, 32> high_controls = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                                    0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                                    0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                    0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};

}  // namespace

std::size_t character_length(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  const auto is = [&](std::size_t at, unsigned char low, unsigned char high) {
    return at < text.size() && static_cast<unsigned char>(text[at]) >= low &&
           static_cast<unsigned char>(text[at]) <= high;
  };
  const auto follows = [&](std::size_t at) { return is(at, 0x80, 0xbf); };
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  // The narrower bounds of the second byte refuse three things: encodings that are longer than necessary, surrogates,
  // and code points beyond U+10FFFF.
  if (lead >= 0xe0 && lead <= 0xef) {
    return is(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    return is(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    std::uint64_t word = 0;
    if (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        text.remove_prefix(sizeof word);
        continue;
      }
    }
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string from_windows_1252(std::string_view text) {
  std::string converted;
  converted.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(converted, byte >= 0x80 && byte < 0xa0 ? high_controls[byte - 0x80] : char32_t{byte});
  }
  return converted;
}

std::string as_utf8(std::string_view text) { return is_utf8(text) ? std::string(text) : from_windows_1252(text); }

void append_utf8(std::string& text, char32_t code) {
  const auto rest = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    rest(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    rest(6);
    rest(0);
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    rest(12);
    rest(6);
    rest(0);
  }
}

}  // namespace callisto::machine
