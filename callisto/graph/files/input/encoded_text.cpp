// Converts encodings by iconv, which the C library has.
#include <callisto/graph/files/input/encoded_text.hpp>

#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include <iconv.h>

namespace callisto::graph::input {
namespace {

using namespace std::string_view_literals;

/// A conversion of iconv.
class conversion {
 public:
  explicit conversion(const std::string& encoding) : handle_(iconv_open("UTF-8", encoding.c_str())) {
    if (handle_ == reinterpret_cast<iconv_t>(-1)) {
      throw usage_error("--encoding: '" + encoding + "' is not known here; `iconv --list` shows the names");
    }
  }
  ~conversion() { iconv_close(handle_); }
  conversion(const conversion&) = delete;
  conversion& operator=(const conversion&) = delete;

  /// Appends the characters at the front of `from`, which moves behind them, to `to`. Returns false for bytes that are
  /// no character.
  bool convert(std::string_view& from, std::string& to) {
    char* in = const_cast<char*>(from.data());  // iconv does not write there
    std::size_t left = from.size();
    bool sound = true;
    while (left != 0 && sound) {
      std::array<char, 1 << 14> piece;
      char* out = piece.data();
      std::size_t room = piece.size();
      sound = iconv(handle_, &in, &left, &out, &room) != static_cast<std::size_t>(-1) || errno == E2BIG;
      to.append(piece.data(), piece.size() - room);
    }
    from.remove_prefix(from.size() - left);
    return sound;
  }

 private:
  iconv_t handle_;
};

/// Replaces the encoding that XML declares by blanks.
void blank_declaration(std::string& text) {
  if (!text.starts_with("<?xml")) return;
  const std::size_t end = text.find("?>");
  const std::size_t begin = text.find("encoding");
  if (end == text.npos || begin > end) return;
  const std::size_t open = text.find_first_of("\"'", begin);
  const std::size_t close = open < end ? text.find(text[open], open + 1) : text.npos;
  if (close < end)
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(close) + 1,
              ' ');
}

}  // namespace

std::optional<std::string> wide_encoding_of(std::string_view head) {
  for (const auto& [mark, name] : {std::pair("\xff\xfe\0\0"sv, "UTF-32LE"), std::pair("\0\0\xfe\xff"sv, "UTF-32BE"),
                                   std::pair("\xff\xfe"sv, "UTF-16LE"), std::pair("\xfe\xff"sv, "UTF-16BE")}) {
    if (head.starts_with(mark)) return name;
  }
  // Eight characters, of which six or more are ASCII beside a zero.
  constexpr std::size_t bytes = 16;
  constexpr std::size_t most = 6;
  if (head.size() < bytes) return std::nullopt;
  const auto is_ascii = [](char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r'; };
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < bytes; i += 2) {
      found += is_ascii(head[i + first]) && head[i + 1 - first] == '\0' ? 1 : 0;
    }
    if (found >= most) return first == 0 ? "UTF-16LE" : "UTF-16BE";
  }
  return std::nullopt;
}

std::string to_utf8(std::string_view text, const std::string& encoding, const std::string& file) {
  conversion with(encoding);
  std::string result;
  result.reserve(text.size());
  if (!with.convert(text, result)) {
    const auto line = static_cast<std::uint64_t>(std::count(result.begin(), result.end(), '\n')) + 1;
    throw input_error(file, line, "expected text in " + encoding + ", found the bytes " + shown(text.substr(0, 4)));
  }
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (result.starts_with(mark)) result.erase(0, mark.size());
  blank_declaration(result);
  return result;
}

}  // namespace callisto::graph::input
