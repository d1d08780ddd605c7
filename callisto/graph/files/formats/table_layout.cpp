// Finds the separator, the header and the roles of the columns of a table.
#include <callisto/graph/files/formats/table_layout.hpp>

#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/quoted_lines.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace callisto::graph::formats {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t sample_bytes = std::size_t{1} << 16;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// The lines of the sample. Views are into the head of the source.
struct sample {
  std::vector<std::string_view> comments;  ///< those before the first line of data
  std::vector<std::string_view> lines;     ///< of data; the first may be a header
  std::vector<std::uint64_t> numbers;      ///< of the lines of data
  std::uint64_t first_end = 0;             ///< where the first line of data ends
  bool open_comments = false;              ///< a comment begins with a quote that its line does not close
};

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
    if (is_comment(line, separator)) {
      if (taken.lines.empty()) taken.comments.push_back(line);
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

/// The cells of a sample, as one separator cuts it.
using row = std::vector<std::string>;

bool begins_comment(std::string_view column) noexcept {
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

/// Returns the number of columns of all lines, 0 if they differ. Lines with a quote that is not closed do not count.
std::size_t columns_of(const std::vector<std::string_view>& lines, char separator) {
  std::size_t count = 0;
  for (const std::string_view line : lines) {
    const std::size_t found = cells_of(line, separator).size();
    if (found == 0) continue;
    if (count != 0 && found != count) return 0;
    count = found;
  }
  return count;
}

/// Returns the separator that cuts all lines into the same number of columns, two or more; nothing if none does.
std::optional<char> find_separator(const std::vector<std::string_view>& lines) {
  const std::size_t by_blanks = columns_of(lines, ' ');
  for (const char separator : {'\t', ';', '|', ','}) {
    if (lines.front().find(separator) == std::string_view::npos) continue;
    const std::size_t columns = columns_of(lines, separator);
    // Tabs are blanks, too, unless columns hold blanks or nothing.
    if (columns >= 2) return separator == '\t' && columns == by_blanks ? ' ' : separator;
  }
  if (contains(lines.front(), "::"sv) && columns_of(lines, ':') >= 2) return ':';
  if (by_blanks >= 2) return ' ';
  return std::nullopt;
}

/// What the name of a column tells.
enum class role { none, from, to, weight, time, type };

role role_of(std::string_view name) {
  std::string word;
  const std::string small = input::lower_case(name);
  // Neo4j: "name:START_ID(Group)".
  const std::size_t group = small.find('(');
  const std::string plain = small.substr(0, group);
  if (contains(plain, ":start_id"sv)) return role::from;
  if (contains(plain, ":end_id"sv)) return role::to;
  if (contains(plain, ":type"sv)) return role::type;
  for (const char c : plain) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) word += c;
  }
  const auto is = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (is({"from",    "src",      "start",      "startid", "tail",       "node1",  "nodea",    "id1",
          "vertex1", "v1",       "n1",         "user",    "userid",     "sender", "follower", "citing",
          "origin",  "fromnode", "fromnodeid", "fromid",  "fromvertex", "ego",    "parent"}) ||
      word.starts_with("source")) {
    return role::from;
  }
  if (is({"to",       "dst",   "dest",   "end",      "endid",   "head",     "node2",  "nodeb",    "id2",
          "vertex2",  "v2",    "n2",     "movie",    "movieid", "item",     "itemid", "receiver", "recipient",
          "followee", "cited", "tonode", "tonodeid", "toid",    "tovertex", "alter",  "child"}) ||
      word.starts_with("target") || word.starts_with("destination")) {
    return role::to;
  }
  if (is({"weight", "weights", "w", "wt", "value", "rating", "strength", "count", "capacity", "distance", "dist",
          "length", "cost", "score", "frequency", "freq", "amount", "similarity"}) ||
      word.ends_with("weight")) {
    return role::weight;
  }
  if (is({"time", "timestamp", "date", "datetime", "epoch", "unixtime"})) return role::time;
  if (is({"type"})) return role::type;
  return role::none;
}

/// True if `token` is a vertex number or a real number.
bool is_number(std::string_view token) { return to_weight(token, weights::real).has_value(); }

class finder {
 public:
  finder(const input::source& from, const read_options& options, read_report& report)
      : from_(from), options_(options), report_(report) {}

  table_layout find_list(bool weighted) {
    taken_ = take_sample(from_, ' ');
    read_comments();
    layout_.exact = true;
    layout_.weighted = weighted;
    layout_.format = weighted ? file_format::weighted_edge_list : file_format::edge_list;
    return layout_;
  }

  table_layout find() {
    taken_ = take_sample(from_, options_.separator.value_or(' '));
    if (taken_.lines.empty()) refuse_without_edges(from_);
    layout_.open_comments = taken_.open_comments;
    read_comments();
    if (is_plain_list()) {
      layout_.exact = true;
      layout_.format = file_format::edge_list;
      return layout_;
    }
    if (!find_attributes()) cut();
    find_header();
    find_roles();
    find_ids();
    tell_columns();
    decide_format();
    return layout_;
  }

 private:
  /// True if nothing remains to be found: each line is two numbers with a blank between, and the user asks for nothing
  /// else. Saves most files the work of cutting the sample into cells.
  bool is_plain_list() const {
    if (layout_.bipartite || options_.bipartite || options_.ids == vertex_ids::names || options_.header == true ||
        options_.separator || !options_.columns.empty() || options_.weights_column) {
      return false;
    }
    return std::all_of(taken_.lines.begin(), taken_.lines.end(), [](std::string_view line) {
      constexpr std::size_t most_digits = 19;  // fit 64 bits
      const auto digits = [&] {
        std::size_t count = 0;
        while (count < line.size() && line[count] >= '0' && line[count] <= '9') ++count;
        line.remove_prefix(count);
        return count - 1 < most_digits;
      };
      if (!digits() || line.empty() || !input::is_blank(line[0])) return false;
      line.remove_prefix(1);
      return digits() && line.empty();
    });
  }

  /// Takes from the comments what they say about the graph: SNAP, KONECT, and Callisto's own.
  void read_comments() {
    for (const std::string_view line : taken_.comments) {
      const std::string text = input::lower_case(line);
      if (contains(text, "undirected"sv)) {
        state_direction(true);
      } else if (contains(text, "directed"sv)) {
        state_direction(false);
      }
      const std::size_t at = text.find(", vertices ");
      if (at != text.npos) {
        const input::columns words = input::split(std::string_view(text).substr(at));
        if (words.count == 5 && words.text[3] == "to"sv) {
          const auto first = input::to_unsigned(words.text[2]);
          const auto last = input::to_unsigned(words.text[4]);
          if (first && last && *first <= *last && *last - *first < std::uint64_t{1} << 37) {
            layout_.vertices = std::pair(*first, *last);
          }
        }
      }
    }
    if (taken_.comments.empty() || !taken_.comments.front().starts_with('%')) return;
    const std::string first = input::lower_case(taken_.comments.front().substr(1));
    const input::columns words = input::split(first);
    if (words.count != 2 && words.count != 3) return;
    if (words.text[0] == "sym"sv) {
      state_direction(true);
    } else if (words.text[0] == "asym"sv) {
      state_direction(false);
    } else if (words.text[0] == "bip"sv) {
      state_direction(true);
      layout_.bipartite = true;
      report_.notes.emplace_back("the header says bipartite: vertices are called left-ID and right-ID");
    } else {
      return;
    }
    konect_ = true;
    konect_unweighted_ = words.text[1] == "unweighted"sv || words.text[1] == "dynamic"sv;
    if (words.text[1] == "dynamic"sv) {
      report_.notes.emplace_back("edges come and go in this file (dynamic): all that ever were are read");
    }
  }

  void state_direction(bool undirected) {
    report_.direction_known = true;
    layout_.undirected = undirected;
  }

  /// Finds NetworkX's edge lists with data: "0 1 {'weight': 3}". Returns false if the table is none.
  bool find_attributes() {
    for (const std::string_view line : taken_.lines) {
      const std::size_t open = line.find('{');
      const std::size_t close = line.find_last_not_of(" \t"sv);
      if (open == line.npos || open == 0 || line[close] != '}') return false;
      const std::string_view ends = line.substr(0, open);
      const bool by_commas = contains(ends, ","sv);
      row cells = cells_of(ends, by_commas ? ',' : ' ');
      if (by_commas && cells.size() == 3 && cells.back().empty()) cells.pop_back();
      if (cells.size() != 2) return false;
      layout_.separator = by_commas ? ',' : ' ';
      layout_.weighted = layout_.weighted || has_weight(line.substr(open));
      rows_.push_back(std::move(cells));
    }
    layout_.attributes = true;
    if (options_.weights_column == "none") layout_.weighted = false;
    return true;
  }

  /// Cuts the lines into cells.
  void cut() {
    const auto separator = options_.separator ? options_.separator : find_separator(taken_.lines);
    layout_.separator = separator.value_or(' ');
    if (separator == ';') taken_ = take_sample(from_, ';');
    for (std::size_t i = 0; i < taken_.lines.size(); ++i) {
      rows_.push_back(cells_of(taken_.lines[i], layout_.separator));
      const std::size_t found = rows_.back().size();
      if (found == rows_.front().size() && found >= 2) continue;
      if (found == 0) throw quoted_line_break(from_.name(), taken_.numbers[i], true);
      if (i == 0) {
        throw input_error(from_.name(), taken_.numbers[i],
                          "expected two or more columns, found one: " + input::shown(rows_.front().front()));
      }
      throw input_error(from_.name(), taken_.numbers[i],
                        input::counted(found, "column") + " where " + std::to_string(rows_.front().size()) +
                            " are expected" +
                            (std::max(found, rows_.front().size()) > 3
                                 ? "; --format adjacency-list reads a vertex and its neighbours a line"
                                 : ""));
    }
    layout_.columns = rows_.front().size();
  }

  void find_header() {
    header_ = options_.header ? *options_.header : looks_like_header();
    if (!header_) return;
    names_ = rows_.front();
    rows_.erase(rows_.begin());
    layout_.skip = taken_.first_end;
    if (rows_.empty() && from_.head_is_all())
      throw input_error(from_.name(), 0, "no edges: the file holds a header only");
  }

  bool looks_like_header() const {
    if (layout_.attributes) return false;
    const row& first = rows_.front();
    const auto has = [&](role wanted) {
      return std::any_of(first.begin(), first.end(), [&](const std::string& cell) { return role_of(cell) == wanted; });
    };
    if (has(role::from) && has(role::to)) return true;
    // The user names columns.
    for (const std::string& name : options_.columns) {
      if (!input::to_unsigned(name) && std::find(first.begin(), first.end(), name) != first.end()) return true;
    }
    if (rows_.size() < 2) return false;
    const auto numbers_below = [&](std::size_t column) {
      return std::all_of(rows_.begin() + 1, rows_.end(), [&](const row& r) { return is_number(r[column]); });
    };
    const auto text_above = [&](std::size_t column) { return !first[column].empty() && !is_number(first[column]); };
    if (text_above(0) && text_above(1) && numbers_below(0) && numbers_below(1)) return true;
    for (std::size_t column = 2; column < first.size(); ++column) {
      if (text_above(column) && numbers_below(column)) return true;
    }
    return false;
  }

  /// Returns the column that the user calls `name`.
  std::size_t column_called(const std::string& name, const char* flag) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (input::lower_case(names_[i]) == input::lower_case(name)) return i;
    }
    const auto number = input::to_unsigned(name);
    if (number && *number >= 1 && *number <= layout_.columns) return static_cast<std::size_t>(*number - 1);
    throw usage_error(std::string(flag) + ": " + from_.name() + " has " + input::counted(layout_.columns, "column") +
                      (header_ ? "" : " and no header") + ", but none is called " + input::shown(name));
  }

  void find_roles() {
    if (layout_.attributes) return;
    if (!options_.columns.empty()) {
      layout_.from = column_called(options_.columns[0], "--columns");
      layout_.to = column_called(options_.columns[1], "--columns");
      if (options_.columns.size() == 3) layout_.weight = column_called(options_.columns[2], "--columns");
    } else {
      const auto from = first_with(role::from);
      const auto to = first_with(role::to);
      if (from && to) {
        layout_.from = *from;
        layout_.to = *to;
      }
      layout_.weight = usual_weight();
    }
    if (options_.weights_column) {
      layout_.weight.reset();
      if (*options_.weights_column != "none") {
        layout_.weight = column_called(*options_.weights_column, "--weights-column");
      }
    }
    layout_.weighted = layout_.weight.has_value();
    find_types();
    const auto movie = [&](std::size_t column, std::string_view word) {
      return header_ && contains(input::lower_case(names_[column]), word);
    };
    if (movie(layout_.from, "user"sv) && (movie(layout_.to, "movie"sv) || movie(layout_.to, "item"sv))) {
      layout_.bipartite = true;
      report_.notes.push_back("users and what they rate are different vertices, called left-ID and right-ID");
      if (!report_.direction_known) state_direction(true);
    }
    if (layout_.separator == ':' && layout_.columns >= 3 && options_.columns.empty()) {
      report_.notes.emplace_back(
          "columns separated by '::' are users and what they rate: vertices are called left-ID and right-ID "
          "(--columns 1,2 keeps equal numbers equal)");
      layout_.bipartite = true;
    }
    layout_.bipartite = layout_.bipartite || options_.bipartite;
    if (layout_.bipartite && !report_.direction_known) state_direction(true);
  }

  std::optional<std::size_t> first_with(role wanted) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (role_of(names_[i]) == wanted) return i;
    }
    return std::nullopt;
  }

  /// True if the first cell is a number, finite or not: then all must be finite numbers.
  bool holds_numbers(std::size_t column) const {
    if (rows_.empty()) return false;
    const std::string cell = input::lower_case(rows_.front()[column]);
    return to_table_weight(cell, layout_.separator).has_value() || cell == "inf" || cell == "-inf" || cell == "nan";
  }

  /// Returns the column of weights, if the table does not tell otherwise.
  std::optional<std::size_t> usual_weight() {
    if (const auto named = first_with(role::weight); named && holds_numbers(*named)) return named;
    if (layout_.columns < 3 || layout_.from != 0 || layout_.to != 1 || !holds_numbers(2)) return std::nullopt;
    if (konect_) return konect_unweighted_ ? std::nullopt : std::optional<std::size_t>(2);
    if (header_ && role_of(names_[2]) != role::none) return std::nullopt;
    if (!looks_like_time(2)) return 2;
    report_.notes.emplace_back(
        "column 3 looks like time stamps and is left out (--weights-column 3 takes it as weights)");
    told_time_ = true;
    return std::nullopt;
  }

  /// True if all numbers of the column are whole and lie between the years 1980 and 2100, in seconds, milliseconds or
  /// microseconds since 1970; or if there are 1,000 or more, they never fall, and rise by 1 a line or more.
  bool looks_like_time(std::size_t column) const {
    constexpr double first = 315532800;
    constexpr double last = 4102444800;
    bool dates = true;
    bool rise = rows_.size() >= 1000;
    double before = 0;
    for (const row& r : rows_) {
      const double value = to_table_weight(r[column], layout_.separator).value_or(0);
      if (value != std::floor(value)) return false;
      const auto within = [&](double unit) { return value >= first * unit && value <= last * unit; };
      dates = dates && (within(1) || within(1e3) || within(1e6));
      rise = rise && (&r == &rows_.front() || value >= before);
      before = value;
    }
    if (dates) return true;
    const double begin = to_table_weight(rows_.front()[column], layout_.separator).value_or(0);
    return rise && before - begin >= static_cast<double>(rows_.size());
  }

  /// Takes the direction from Gephi's column Type.
  void find_types() {
    const auto column = first_with(role::type);
    if (!column || rows_.empty()) return;
    bool directed = false;
    bool undirected = false;
    for (const row& r : rows_) {
      const std::string word = input::lower_case(r[*column]);
      if (word != "directed" && word != "undirected" && word != "mutual") return;
      (word == "directed" ? directed : undirected) = true;
    }
    state_direction(!directed);
    if (directed && undirected) {
      report_.notes.emplace_back(
          "some edges are directed and others are not: all are taken as directed (--undirected)");
    }
  }

  void find_ids() {
    layout_.named = layout_.bipartite || options_.ids == vertex_ids::names;
    if (layout_.named || options_.ids == vertex_ids::numbers) return;
    std::size_t numbers = 0;
    std::optional<std::pair<std::size_t, std::string_view>> other;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const std::size_t column : {layout_.from, layout_.to}) {
        if (to_vertex_number(rows_[i][column])) {
          ++numbers;
        } else if (!other) {
          other.emplace(i, rows_[i][column]);
        }
      }
    }
    layout_.named = other.has_value();
    if (other && numbers != 0) {
      report_.notes.push_back("vertices are taken as names, because line " +
                              std::to_string(taken_.numbers[other->first + (header_ ? 1 : 0)]) + " has " +
                              input::shown(other->second) + " (--ids numbers refuses such lines)");
    }
  }

  std::string words_for(std::size_t column) const {
    return header_ ? input::shown(names_[column]) : "column " + std::to_string(column + 1);
  }

  /// Tells which columns were taken as what, if a header or further columns leave a choice.
  void tell_columns() {
    const std::size_t used = layout_.weight ? 3 : 2;
    if (layout_.attributes || (!header_ && (layout_.columns <= used || told_time_) && layout_.columns <= 3)) return;
    std::string text = "edges from " + words_for(layout_.from) + " to " + words_for(layout_.to);
    text += layout_.weight ? ", weight " + words_for(*layout_.weight) : ", no weights";
    std::string others;
    for (std::size_t i = 0; i < layout_.columns; ++i) {
      if (i == layout_.from || i == layout_.to || layout_.weight == i) continue;
      others += (others.empty() ? "" : ", ") + words_for(i);
      constexpr std::size_t enough = 200;
      if (others.size() > enough) {
        others += " ...";
        break;
      }
    }
    if (!others.empty()) text += "; left out: " + others;
    report_.notes.push_back(text + " (--columns)");
  }

  void decide_format() {
    const bool ends_first = layout_.from == 0 && layout_.to == 1 && (!layout_.weight || *layout_.weight == 2);
    const bool all_used = layout_.columns == (layout_.weight ? 3u : 2u);
    const auto plain = [](const row& r) {
      return std::all_of(r.begin(), r.end(), [](const std::string& cell) { return cell.find(',') == cell.npos; });
    };
    const bool quoted = std::any_of(taken_.lines.begin(), taken_.lines.end(),
                                    [](std::string_view line) { return line.find('"') != line.npos; });
    layout_.exact = !layout_.named && !layout_.attributes && ends_first && all_used && layout_.separator != ':' &&
                    !quoted && std::all_of(rows_.begin(), rows_.end(), plain);
    if (layout_.exact && layout_.separator == ' ' && !header_) {
      layout_.format = layout_.weight ? file_format::weighted_edge_list : file_format::edge_list;
    }
  }

  const input::source& from_;
  const read_options& options_;
  read_report& report_;
  sample taken_;
  std::vector<row> rows_;
  row names_;
  table_layout layout_;
  bool header_ = false;
  bool konect_ = false;
  bool konect_unweighted_ = false;
  bool told_time_ = false;
};

}  // namespace

bool column_reader::next_quoted(std::string_view& column) {
  std::size_t from = 1;
  std::size_t close = rest_.find('"', from);
  bool doubled = false;
  while (close != rest_.npos && close + 1 < rest_.size() && rest_[close + 1] == '"') {
    doubled = true;
    close = rest_.find('"', close + 2);
  }
  if (close == rest_.npos) {
    broken_ = true;
    return more_ = false;
  }
  column = rest_.substr(from, close - from);
  if (doubled) {
    std::string& text = unquoted_.emplace_back();
    for (std::size_t i = 0; i < column.size(); ++i) {
      text += column[i];
      if (column[i] == '"') ++i;
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
  return contains(dictionary, "'weight':"sv) || contains(dictionary, "\"weight\":"sv);
}

std::optional<double> weight_in_attributes(std::string_view dictionary) {
  for (const std::string_view key : {"'weight':"sv, "\"weight\":"sv}) {
    const std::size_t at = dictionary.find(key);
    if (at == dictionary.npos) continue;
    const std::string_view value = dictionary.substr(at + key.size());
    return to_weight(input::trimmed(value.substr(0, value.find_first_of(",}"sv))), weights::real);
  }
  return 1;
}

table_layout layout_of_list(const input::source& from, bool weighted, const read_options& options,
                            read_report& report) {
  return finder(from, options, report).find_list(weighted);
}

table_layout find_layout(const input::source& from, const read_options& options, read_report& report) {
  return finder(from, options, report).find();
}

}  // namespace callisto::graph::formats
