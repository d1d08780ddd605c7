// Finds quoted cells that hold line breaks.
#include <callisto/graph/files/formats/quoted_lines.hpp>

#include <callisto/graph/files/input/source.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace callisto::graph::formats {
namespace {

constexpr std::string_view borders = ",;|:\t \r\n";

bool is_border(char c) noexcept { return borders.find(c) != borders.npos; }

/// Returns the bytes of what the quote at `quote` begins if it closes no cell: a doubled quote, or what stands for a
/// line break, which may follow a '\r'; else 0.
std::size_t bytes_within_quotes(std::string_view text, std::size_t quote) noexcept {
  if (quote == text.npos) return 0;
  const std::string_view rest = text.substr(quote);
  return rest.starts_with(joined_line) ? joined_line.size() : rest.starts_with("\"\"") ? 2 : 0;
}

/// Returns where the next quoted cell with a line break begins and ends, from `at` on: [begin, end) with both quotes.
/// begin == text.size() if there is none.
std::pair<std::size_t, std::size_t> next_broken_cell(std::string_view text, std::size_t at) {
  while (true) {
    const std::size_t begin = text.find('"', at);
    if (begin == text.npos) return {text.size(), text.size()};
    at = begin + 1;
    if (begin != 0 && !is_border(text[begin - 1])) continue;
    // A cell is a line at most, so that a stray quote costs little.
    const std::string_view near = text.substr(0, std::min(text.size(), begin + input::longest_line));
    std::size_t close = near.find('"', at);
    while (const std::size_t bytes = bytes_within_quotes(near, close)) close = near.find('"', close + bytes);
    if (close == near.npos || (close + 1 < text.size() && !is_border(text[close + 1]))) continue;
    at = close + 1;
    if (text.substr(begin, close - begin).find('\n') != text.npos) return {begin, close + 1};
  }
}

}  // namespace

bool has_quoted_line_break(std::string_view text) { return next_broken_cell(text, 0).first != text.size(); }

std::string without_quoted_line_breaks(std::string_view text) {
  std::string whole;
  whole.reserve(text.size() + text.size() / 64);
  std::size_t done = 0;
  std::uint64_t owed = 0;  // empty lines, to follow the next line break
  const auto copy = [&](std::size_t end) {
    if (owed != 0) {
      const std::size_t line_end = text.substr(0, end).find('\n', done);
      if (line_end != text.npos) {
        whole.append(text, done, line_end - done);
        whole.append(owed, '\n');
        owed = 0;
        done = line_end;
      }
    }
    whole.append(text, done, end - done);
    done = end;
  };
  while (true) {
    const auto [begin, end] = next_broken_cell(text, done);
    copy(begin);
    if (begin == text.size()) return whole;
    for (const char c : text.substr(begin, end - begin)) {
      owed += c == '\n' ? 1 : 0;
      if (c == '\n') {
        whole += joined_line;
      } else {
        whole += c;
      }
    }
    done = end;
  }
}

}  // namespace callisto::graph::formats
