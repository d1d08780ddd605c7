// Cells of a table: how a line is cut, what is a comment, and which cells are numbers and weights.
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/quoted_lines.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <algorithm>

namespace callisto::graph::formats {

using namespace std::string_view_literals;

std::size_t column_reader::tuple_size() noexcept {
  // Without a limit, a line of "( ( (" would be looked at once for each column.
  constexpr std::size_t most_looks = 16;
  if (looked_at_ > most_looks * size_) return 0;
  std::size_t found = 0;
  std::size_t i = 0;
  for (int depth = 0; i < rest_.size(); ++i) {
    depth += rest_[i] == '(' ? 1 : rest_[i] == ')' ? -1 : 0;
    if (depth != 0) continue;
    const std::size_t next = i + 1;
    const bool ends = next == rest_.size() || rest_[next] == separator_ ||
                      (separator_ == ' ' && (rest_[next] == '\t' || rest_[next] == '{'));
    if (ends) found = next;
    break;
  }
  looked_at_ += i;
  return found;
}

bool column_reader::next_quoted(std::string_view& column) {
  // A quote within quotes is doubled, or part of what stands for a line break.
  const auto bytes_within = [&](std::string_view text, std::size_t quote) -> std::size_t {
    if (text.substr(quote).starts_with(joined_line)) return joined_line.size();
    return text.substr(quote).starts_with("\"\"") ? 2 : 0;
  };
  std::size_t close = rest_.find('"', 1);
  bool as_it_is = true;
  for (std::size_t bytes; close != rest_.npos && (bytes = bytes_within(rest_, close)) != 0;) {
    as_it_is = false;
    close = rest_.find('"', close + bytes);
  }
  if (close == rest_.npos) {
    broken_ = true;
    return more_ = false;
  }
  column = rest_.substr(1, close - 1);
  if (!as_it_is) {
    std::string& text = unquoted_.emplace_back();
    for (std::size_t i = 0; i < column.size(); ++i) {
      const std::size_t bytes = column[i] == '"' ? bytes_within(column, i) : 0;
      text += bytes == joined_line.size() ? '\n' : column[i];
      i += bytes != 0 ? bytes - 1 : 0;
    }
    column = text;
  }
  rest_.remove_prefix(close + 1);
  if (separator_ != ' ') {
    // Anything between the quote and the separator belongs to nothing: skip it.
    const std::size_t end = rest_.find(separator_);
    rest_.remove_prefix(std::min(end, rest_.size()));
  }
  behind_column();
  return true;
}

std::string_view inside_brackets(std::string_view line) noexcept {
  const std::string_view text = input::trimmed(line, " \t\r,");
  const bool round = text.starts_with('(') && text.ends_with(')');
  const bool square = text.starts_with('[') && text.ends_with(']');
  return (round || square) && text.size() > 2 ? text.substr(1, text.size() - 2) : line;
}

bool is_comment(std::string_view line, char separator) noexcept {
  const std::size_t first = line.find_first_not_of(" \t"sv);
  if (first == line.npos) return false;
  line.remove_prefix(first);
  const char c = line.front();
  if (c == '#' || c == '%' || (c == ';' && separator != ';') || line.starts_with("//"sv)) return true;
  if (c != '"') return false;
  // A quote begins a comment if the line is not closed or has no second column.
  const std::size_t close = line.find('"', 1);
  return close == line.npos || line.find_first_not_of(" \t\r\n"sv, close + 1) == line.npos;
}

bool is_rule(std::string_view line) noexcept {
  line = input::trimmed(line, " \t\r");
  if (line.empty() || "-+|=:("sv.find(line.front()) == "-+|=:("sv.npos) return false;
  if (line.front() == '(') {
    const std::size_t behind = std::min(line.find_first_not_of("0123456789"sv, 1), line.size());
    return behind > 1 && (line.substr(behind) == " rows)"sv || line.substr(behind) == " row)"sv);
  }
  return line.find_first_not_of("-+|=: \t"sv) == line.npos &&
         (line.find("---"sv) != line.npos || line.find("==="sv) != line.npos);
}

bool begins_open_quote(std::string_view line) noexcept {
  const std::size_t first = line.find_first_not_of(" \t"sv);
  return first != line.npos && line[first] == '"' && line.find('"', first + 1) == line.npos;
}

std::optional<std::uint64_t> to_vertex_number(std::string_view token) noexcept {
  const std::size_t point = token.find('.');
  if (point != token.npos) {
    if (token.find_first_not_of('0', point + 1) != token.npos || point == 0) return std::nullopt;
    token = token.substr(0, point);
  }
  return input::to_unsigned(token);
}

std::optional<double> to_table_weight(std::string_view token, char separator) {
  if (const auto value = to_weight(token, weights::real)) return value;
  const std::size_t comma = token.find(',');
  if (separator == ',' || comma == token.npos) return std::nullopt;
  std::string with_point(token);
  with_point[comma] = '.';
  return to_weight(with_point, weights::real);
}

bool has_weight(std::string_view dictionary) noexcept {
  return dictionary.find("'weight':"sv) != dictionary.npos || dictionary.find("\"weight\":"sv) != dictionary.npos;
}

std::optional<double> weight_in_attributes(std::string_view dictionary) {
  for (const std::string_view key : {"'weight':"sv, "\"weight\":"sv}) {
    const std::size_t at = dictionary.find(key);
    if (at == dictionary.npos) continue;
    std::string_view value = dictionary.substr(at + key.size());
    value = input::trimmed(value.substr(0, value.find_first_of(",}"sv)), " \t'\"");
    // "np.float64(3.0)", as NumPy 2 shows its numbers.
    if (value.starts_with("np."sv) && value.ends_with(')')) {
      value.remove_suffix(1);
      value.remove_prefix(value.find('(') + 1);
    }
    return to_weight(value, weights::real);
  }
  return 1;
}

}  // namespace callisto::graph::formats
