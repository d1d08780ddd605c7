#include <callisto/graph/files/formats/table_sample.hpp>

#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/quoted_lines.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <deque>
#include <map>

namespace callisto::graph::formats::tables {

using namespace std::string_view_literals;

static constexpr std::size_t sample_bytes = std::size_t{1} << 16;

sample take_sample(const input::source& from, char separator) {
  sample taken;
  std::string_view head = from.head();
  const bool all = from.head_is_all() && head.size() <= sample_bytes;
  if (!all) {
    // Whole lines only; a first line that is longer than the sample is taken whole.
    const std::size_t end = head.substr(0, sample_bytes).rfind('\n');
    head = head.substr(0, end == head.npos ? std::min(head.find('\n'), head.size() - 1) + 1 : end + 1);
  }
  if (has_quoted_line_break(head)) throw quoted_line_break(from.name(), 0, true);
  input::line_reader lines(head, true);
  while (lines.next()) {
    std::string_view line = lines.line();
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t"sv) == line.npos) continue;
    if (taken.lines.empty() && !taken.separator && line.size() == 5 && input::lower_case(line.substr(0, 4)) == "sep=") {
      taken.separator = line[4];
      taken.separator_end = lines.end();
      continue;
    }
    if (is_rule(line)) continue;
    // Behind data, a quote that is not closed is a cell's, unless comments begin so.
    const bool may_be_open = taken.lines.empty() || taken.open_comments;
    if (is_comment(line, separator) && (may_be_open || !begins_open_quote(line))) {
      if (taken.lines.empty()) {
        taken.comments.push_back(line);
      } else {
        taken.marked.emplace_back(lines.number(), line);
      }
      taken.open_comments = taken.open_comments || begins_open_quote(line);
      continue;
    }
    if (line.find('\0') != line.npos) {
      throw input_error(from.name(), lines.number(),
                        "expected text, found " + input::shown(line) + " (a NUL byte: is this a binary file?)");
    }
    if (taken.lines.empty()) taken.first_end = lines.end();
    taken.lines.push_back(line);
    taken.numbers.push_back(lines.number());
  }
  return taken;
}

static bool begins_comment(std::string_view column) noexcept {
  return column.starts_with('#') || column.starts_with('%') || column.starts_with("//"sv);
}

row cells_of(std::string_view line, char separator) {
  std::deque<std::string> unquoted;
  column_reader reader(line, separator, unquoted);
  row cells;
  std::string_view cell;
  while (reader.next(cell)) {
    if (separator == ' ' && cells.size() >= 2 && begins_comment(cell)) break;
    cells.emplace_back(cell);
  }
  if (reader.broken()) cells.clear();
  return cells;
}

void drop_empty_end(row& cells) {
  while (cells.size() > 1 && cells.back().empty()) cells.pop_back();
}

/// Returns the number of columns of all lines, if these differ that without empty cells at their ends, 0 if these
/// differ, too. Lines with a quote that is not closed do not count.
static std::size_t columns_of(const std::vector<std::string_view>& lines, char separator) {
  std::optional<std::size_t> whole;
  std::optional<std::size_t> filled;
  for (const std::string_view line : lines) {
    row cells = cells_of(line, separator);
    if (cells.empty()) continue;
    if (whole.value_or(cells.size()) != cells.size()) whole = 0;
    if (!whole) whole = cells.size();
    drop_empty_end(cells);
    if (filled.value_or(cells.size()) != cells.size()) filled = 0;
    if (!filled) filled = cells.size();
  }
  return whole.value_or(0) != 0 ? *whole : filled.value_or(0);
}

/// True if a cut leaves the first or the second column of all lines empty.
static bool lacks_an_end(const std::vector<std::string_view>& lines, char separator) {
  bool first = true;
  bool second = true;
  for (const std::string_view line : lines) {
    const row cells = cells_of(line, separator);
    first = first && (cells.empty() || cells[0].empty());
    second = second && (cells.size() < 2 || cells[1].empty());
  }
  return first || second;
}

std::optional<char> separator_of_all(const std::vector<std::string_view>& lines) {
  const std::size_t by_blanks = columns_of(lines, ' ');
  // The commas of "(0, 1) (0, 2)" are inside the vertices.
  if (lines.front().starts_with('(') && by_blanks >= 2) return ' ';
  for (const char separator : {'\t', ';', '|', ','}) {
    if (lines.front().find(separator) == std::string_view::npos) continue;
    const std::size_t columns = columns_of(lines, separator);
    if (columns < 2) continue;
    // Tabs are blanks, too, unless columns hold blanks or nothing.
    if (separator == '\t' && columns == by_blanks) return ' ';
    if (by_blanks < 2 || !lacks_an_end(lines, separator)) return separator;
  }
  if (contains(lines.front(), "::"sv) && columns_of(lines, ':') >= 2) return ':';
  if (by_blanks >= 2) return ' ';
  return std::nullopt;
}

std::optional<char> separator_of_most(const std::vector<std::string_view>& lines) {
  std::optional<char> best;
  std::size_t most = 0;
  for (const char separator : {'\t', ';', '|', ',', ' '}) {
    std::map<std::size_t, std::size_t> lines_with;
    for (const std::string_view line : lines) {
      const std::size_t columns = cells_of(line, separator).size();
      if (columns < 2) continue;
      const std::size_t with = ++lines_with[columns];
      if (with <= most) continue;
      most = with;
      best = separator;
    }
  }
  return best;
}

char separator_of_first(std::string_view line) {
  if (cells_of(line, ' ').size() >= 2) return ' ';
  for (const char separator : {'\t', ';', '|', ','}) {
    if (cells_of(line, separator).size() >= 2) return separator;
  }
  return ' ';
}

bool lines_are_in_brackets(const std::vector<std::string_view>& lines) {
  return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    const std::string_view inside = inside_brackets(line);
    return inside.size() != line.size() && inside.find_first_of("()[]"sv) == inside.npos;
  });
}

bool is_number(std::string_view token) { return to_weight(token, weights::real).has_value(); }

}  // namespace callisto::graph::formats::tables
