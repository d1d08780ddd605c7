// Finds the separator, the header and the roles of the columns of a table.
#include <callisto/graph/files/formats/table_layout.hpp>

#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/header_words.hpp>
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
  std::optional<char> separator;           ///< of a line "sep=;" before all others, as Excel writes it
  std::uint64_t separator_end = 0;         ///< where this line ends
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
    if (taken.lines.empty() && !taken.separator && line.size() == 5 && input::lower_case(line.substr(0, 4)) == "sep=") {
      taken.separator = line[4];
      taken.separator_end = lines.end();
      continue;
    }
    // Behind data, a quote that is not closed is a cell's, unless comments begin so.
    const bool may_be_open = taken.lines.empty() || taken.open_comments;
    if (is_comment(line, separator) && (may_be_open || !begins_open_quote(line))) {
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

/// Drops the empty cells at the end of a line, but its first cell.
void drop_empty_end(row& cells) {
  while (cells.size() > 1 && cells.back().empty()) cells.pop_back();
}

/// Returns the number of columns of all lines, if these differ that without empty cells at their ends, 0 if these
/// differ, too. Lines with a quote that is not closed do not count.
std::size_t columns_of(const std::vector<std::string_view>& lines, char separator) {
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
bool lacks_an_end(const std::vector<std::string_view>& lines, char separator) {
  bool first = true;
  bool second = true;
  for (const std::string_view line : lines) {
    const row cells = cells_of(line, separator);
    first = first && (cells.empty() || cells[0].empty());
    second = second && (cells.size() < 2 || cells[1].empty());
  }
  return first || second;
}

/// Returns the separator that cuts all lines into the same number of columns, two or more; nothing if none does. One
/// that leaves an end of all edges empty gives way to blanks.
std::optional<char> find_separator(const std::vector<std::string_view>& lines) {
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

/// Returns the separator of a table with lines of different lengths: a blank, unless the first line has none.
char separator_of_first(std::string_view line) {
  if (cells_of(line, ' ').size() >= 2) return ' ';
  for (const char separator : {'\t', ';', '|', ','}) {
    if (cells_of(line, separator).size() >= 2) return separator;
  }
  return ' ';
}

/// True if all lines are in parentheses or brackets, "(0, 1)" or "[0, 1]", with none inside.
bool are_in_brackets(const std::vector<std::string_view>& lines) {
  return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    const std::string_view inside = inside_brackets(line);
    return inside.size() != line.size() && inside.find_first_of("()[]"sv) == inside.npos;
  });
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
      tell_leading_zeros();
      find_counts();
      layout_.exact = true;
      layout_.format = file_format::edge_list;
      return layout_;
    }
    layout_.skip = taken_.separator_end;
    layout_.bracketed = are_in_brackets(taken_.lines);
    if (layout_.bracketed) {
      for (std::string_view& line : taken_.lines) line = inside_brackets(line);
    }
    if (!find_attributes()) cut();
    if (is_matrix()) {
      layout_.matrix = true;
      return layout_;
    }
    refuse_vertices();
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
        options_.separator || taken_.separator || !options_.columns.empty() || options_.weights_column) {
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

  /// Finds out whether line 1 may hold the numbers of vertices and edges.
  void find_counts() {
    const auto ends_of = [](std::string_view line) {
      const input::columns words = input::split(line);
      return std::pair(input::to_unsigned(words.text[0]).value_or(0), input::to_unsigned(words.text[1]).value_or(0));
    };
    const auto [vertices, edges] = ends_of(taken_.lines.front());
    const bool fits = std::all_of(taken_.lines.begin() + 1, taken_.lines.end(), [&](std::string_view line) {
      const auto [from, to] = ends_of(line);
      return from <= vertices && to <= vertices;
    });
    if (fits && options_.header != false && edges + 1 >= taken_.lines.size()) layout_.counts = {vertices, edges};
  }

  /// Takes from the comments what they say about the graph: SNAP, KONECT, and Callisto's own.
  void read_comments() {
    stated_direction stated;
    for (const std::string_view line : taken_.comments) {
      const std::string text = input::lower_case(line);
      const stated_direction here = direction_in(line);
      stated.directed |= here.directed;
      stated.undirected |= here.undirected;
      stated.each_pair |= here.each_pair;
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
    if (stated.directed || stated.undirected) state_direction(!stated.directed);
    if (options_.directed || options_.undirected) {
      // The user decides: nothing to tell.
    } else if (stated.directed && stated.undirected) {
      report_.notes.emplace_back(
          "the comments say directed, and undirected, too: taken as directed (--undirected ignores directions)");
    } else if (stated.directed && stated.each_pair) {
      report_.notes.emplace_back(
          "the header says directed, and that each unordered pair is saved once: taken as directed (--undirected)");
    }
    if (taken_.comments.empty() || !taken_.comments.front().starts_with('%')) return;
    const std::string first = input::lower_case(taken_.comments.front().substr(1));
    const input::columns words = input::split(first);
    if (words.count == 0 || words.count > 3) return;
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
    konect_ = words.count > 1;  // Network Repository writes "% sym" alone
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
    bool others = false;
    bool weighted = false;
    char separator = ' ';
    std::vector<row> rows;
    for (const std::string_view line : taken_.lines) {
      const std::size_t open = line.find('{');
      const std::size_t close = line.find_last_not_of(" \t"sv);
      if (open == line.npos || open == 0 || line[close] != '}') return false;
      // Multigraphs have a key between the ends and the dictionary.
      const std::string_view ends = line.substr(0, open);
      const auto are_ends = [](const row& cells) {
        return cells.size() == 2 || (cells.size() == 3 && input::to_unsigned(cells.back()));
      };
      row cells = cells_of(ends, ' ');
      separator = ' ';
      if (!are_ends(cells) || (contains(ends, ","sv) && !cells.front().starts_with('('))) {
        cells = cells_of(ends, ',');
        separator = ',';
        if (!cells.empty() && cells.back().empty()) cells.pop_back();
        if (!are_ends(cells)) return false;
      }
      cells.resize(2);
      weighted = weighted || has_weight(line.substr(open));
      others = others || line.substr(open).find_first_not_of("{} \t"sv) != line.npos;
      rows.push_back(std::move(cells));
    }
    rows_ = std::move(rows);
    layout_.separator = separator;
    layout_.weighted = weighted && options_.weights_column != "none";
    layout_.attributes = true;
    if (others && !weighted) {
      report_.notes.emplace_back("the dictionaries behind the edges hold no 'weight': all else is left out");
    }
    return true;
  }

  /// Cuts the lines into cells.
  void cut() {
    const auto separator = options_.separator ? options_.separator
                           : taken_.separator ? taken_.separator
                                              : find_separator(taken_.lines);
    layout_.separator = separator ? *separator : separator_of_first(taken_.lines.front());
    if (separator == ';' && !layout_.bracketed) taken_ = take_sample(from_, ';');
    for (const std::string_view line : taken_.lines) {
      rows_.push_back(cells_of(line, layout_.separator));
      ragged_ = ragged_ || rows_.back().size() != rows_.front().size();
    }
    if (ragged_) std::for_each(rows_.begin(), rows_.end(), drop_empty_end);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::size_t found = rows_[i].size();
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

  /// True for an adjacency matrix: with names, the first line and the first column hold the same; without, as many rows
  /// as columns, four or more, with nothing on the diagonal, and either symmetric or of 0 and 1.
  bool is_matrix() {
    if (layout_.attributes || !options_.columns.empty() || options_.weights_column || options_.header || konect_) {
      return false;
    }
    const std::size_t columns = rows_.front().size();
    const std::size_t named = std::min(rows_.size(), columns) - 1;
    layout_.matrix_names = named >= 2 && !is_number(rows_[0][0]);
    for (std::size_t i = 1; i <= named; ++i) {
      layout_.matrix_names = layout_.matrix_names && rows_[i][0] == rows_[0][i] && rows_[i].size() == columns;
    }
    layout_.matrix_names = layout_.matrix_names && (!from_.head_is_all() || rows_.size() == columns) &&
                           std::all_of(rows_[1].begin() + 1, rows_[1].end(),
                                       [](const std::string& cell) { return cell.empty() || is_number(cell); });
    if (layout_.matrix_names) return true;
    if (!from_.head_is_all() || rows_.size() != columns || columns < 4) return false;
    bool symmetric = true;
    bool marks = true;
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        const auto value = to_table_weight(rows_[i][j], layout_.separator);
        if (!value || (i == j && *value != 0)) return false;
        marks = marks && (*value == 0 || *value == 1);
        symmetric = symmetric && rows_[i][j] == rows_[j][i];
      }
    }
    return symmetric || marks;
  }

  /// Throws input_error for a table of vertices, such as Gephi's "Id,Label" and Neo4j's "movieId:ID,title", taken for
  /// edges.
  void refuse_vertices() const {
    if (!options_.columns.empty() || options_.header == false || rows_.size() < 2) return;
    const row& first = rows_.front();
    if (!is_vertex_column(first[0]) || ends_named_by(first) || !is_label_column(first[1])) return;
    throw input_error(from_.name(), 1,
                      "is a table of vertices, with columns " + input::shown(first[0]) + " and " +
                          input::shown(first[1]) + ", not of edges (--columns 1,2 takes it as edges all the same)");
  }

  void find_header() {
    header_ = options_.header ? *options_.header : looks_like_header();
    if (!header_) return;
    names_ = rows_.front();
    rows_.erase(rows_.begin());
    layout_.skip = taken_.first_end;
    if (rows_.empty() && from_.head_is_all())
      throw input_error(from_.name(), 1, "no edges: the file holds a header only");
  }

  bool looks_like_header() const {
    if (layout_.attributes) return false;
    const row& first = rows_.front();
    if (const auto ends = ends_named_by(first); ends && !data_goes_on(ends->first, ends->second)) return true;
    // The user names columns.
    for (const std::string& name : options_.columns) {
      if (!input::to_unsigned(name) && std::find(first.begin(), first.end(), name) != first.end()) return true;
    }
    if (rows_.size() < 2) return false;
    const auto number = [&](const std::string& cell) { return to_table_weight(cell, layout_.separator).has_value(); };
    const auto numbers_below = [&](std::size_t column) {
      return std::all_of(rows_.begin() + 1, rows_.end(), [&](const row& r) { return number(r[column]); });
    };
    const auto text_above = [&](std::size_t column) { return !first[column].empty() && !number(first[column]); };
    if (text_above(0) && text_above(1) && numbers_below(0) && numbers_below(1)) return true;
    for (std::size_t column = 2; column < first.size(); ++column) {
      if (text_above(column) && numbers_below(column)) return true;
    }
    return false;
  }

  /// Returns the columns that the names call the ends of an edge, the first one first.
  static std::optional<std::pair<std::size_t, std::size_t>> ends_named_by(const row& names) {
    std::optional<std::size_t> from;
    std::optional<std::size_t> to;
    bool relation = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const role found = role_of(names[i]);
      if (found == role::from && !from) from = i;
      if (found == role::to && !to) to = i;
      const std::string word = input::lower_case(names[i]);
      relation = relation || word == "relation" || word == "predicate";
    }
    if (!from || !to) return paired_ends(names);
    // A triple of a knowledge graph leads from the head to the tail.
    if (relation && input::lower_case(names[*from]) == "tail") std::swap(from, to);
    return std::pair(*from, *to);
  }

  /// True if the first line looks as those below in the columns of both ends: "node1 node2" above "node3 node4", or
  /// "u v" above "v w". Names that do not differ by their last characters only look like no data.
  bool data_goes_on(std::size_t from, std::size_t to) const {
    const std::string& one = rows_.front()[from];
    const std::string& other = rows_.front()[to];
    const auto differ = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
    const auto same = static_cast<std::size_t>(differ.first - one.begin());
    constexpr std::size_t most_digits = 2;
    if (one.size() - same > most_digits || other.size() - same > most_digits) return false;
    const std::string_view stem = std::string_view(one).substr(0, same);
    return std::any_of(rows_.begin() + 1, rows_.end(), [&](const row& r) {
      const auto again = [&](const std::string& cell) { return cell == one || cell == other; };
      if (again(r[from]) || again(r[to])) return true;
      return stem.empty() ? r[from].size() == 1 && !is_number(r[from]) : r[from].starts_with(stem);
    });
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
      if (const auto ends = ends_named_by(names_)) {
        layout_.from = ends->first;
        layout_.to = ends->second;
      } else if (!header_) {
        find_ends_without_header();
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
    if (header_ && are_users_and_items(names_[layout_.from], names_[layout_.to])) {
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

  /// Finds the ends where they are not the first two columns: behind times, around an arrow, and in Cytoscape's SIF.
  void find_ends_without_header() {
    if (layout_.columns < 3) return;
    const auto all = [&](const auto& is) { return std::all_of(rows_.begin(), rows_.end(), is); };
    const std::string_view middle = rows_.front()[1];
    const bool sign = std::none_of(middle.begin(), middle.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & '\x80') != 0;
    });
    if (sign && !middle.empty() && all([&](const row& r) { return r[1] == middle; })) {
      layout_.to = 2;
      std::string note =
          "edges lead from column 1 to column 3, for column 2 is " + input::shown(middle) + " in all lines";
      if (!report_.direction_known && contains(middle, ">"sv) != contains(middle, "<"sv)) {
        if (contains(middle, "<"sv)) std::swap(layout_.from, layout_.to);
        state_direction(false);
      } else if (!report_.direction_known && (middle == "--" || middle == "<->")) {
        state_direction(true);
        note += ", undirected (--directed)";
      }
      report_.notes.push_back(note);
      told_columns_ = layout_.columns <= 4;
    } else if (from_.name().ends_with(".sif")) {
      layout_.to = 2;
    } else if (looks_like_time(0, true) && !looks_like_time(1, false)) {
      layout_.from = 1;
      layout_.to = 2;
      report_.notes.emplace_back("column 1 looks like time stamps: edges lead from column 2 to column 3 (--columns)");
    }
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
    // The column behind both ends.
    const std::size_t next = std::max(layout_.from, layout_.to) + 1;
    if (std::min(layout_.from, layout_.to) != 0 || next > 3 || layout_.columns <= next || !holds_numbers(next)) {
      return std::nullopt;
    }
    if (konect_) return konect_unweighted_ ? std::nullopt : std::optional<std::size_t>(next);
    if (header_ && role_of(names_[next]) != role::none) return std::nullopt;
    const std::string number = std::to_string(next + 1);
    if (!looks_like_time(next, false)) {
      if (!header_ && looks_like_years(next)) {
        report_.notes.push_back("column " + number +
                                " is taken as weights, though it may hold years (--weights-column none)");
      }
      return next;
    }
    report_.notes.push_back("column " + number + " looks like time stamps and is left out (--weights-column " + number +
                            " takes it as weights)");
    told_time_ = true;
    return std::nullopt;
  }

  /// True if all numbers of the column are dates between the years 1980 and 2100: in seconds, milliseconds,
  /// microseconds or nanoseconds since 1970, or as YYYYMMDD. If `sorted`, they must not fall; else 1,000 or more whole
  /// numbers that never fall, and rise by 1 a line or more, are times, too.
  bool looks_like_time(std::size_t column, bool sorted) const {
    constexpr double first = 315532800;
    constexpr double last = 4102444800;
    bool dates = true;
    bool never_fall = true;
    bool whole = true;
    double before = 0;
    for (const row& r : rows_) {
      const double value = to_table_weight(r[column], layout_.separator).value_or(0);
      whole = whole && value == std::floor(value);
      const auto within = [&](double unit) { return value >= first * unit && value <= last * unit; };
      const bool units = within(1e3) || within(1e6) || within(1e9);
      dates = dates && (within(1) || (whole && (units || is_calendar_date(value))));
      never_fall = never_fall && (&r == &rows_.front() || value >= before);
      before = value;
    }
    if (dates) return !sorted || never_fall;
    const double begin = to_table_weight(rows_.front()[column], layout_.separator).value_or(0);
    return !sorted && never_fall && whole && rows_.size() >= 1000 &&
           before - begin >= static_cast<double>(rows_.size());
  }

  /// True for 20240131.
  static bool is_calendar_date(double value) {
    const auto number = static_cast<std::uint64_t>(std::clamp(value, 0.0, 1e9));
    const std::uint64_t month = number / 100 % 100;
    const std::uint64_t day = number % 100;
    return number >= 19800101 && number <= 21001231 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  }

  bool looks_like_years(std::size_t column) const {
    return rows_.size() >= 2 && std::all_of(rows_.begin(), rows_.end(), [&](const row& r) {
             const double value = to_table_weight(r[column], layout_.separator).value_or(0);
             return value == std::floor(value) && value >= 1900 && value <= 2100;
           });
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
    if (!layout_.named) tell_leading_zeros();
    if (layout_.named && numbers == 0 && !header_ && !options_.header && first_line_stands_alone()) {
      report_.notes.push_back("line " + std::to_string(taken_.numbers[0]) +
                              " is taken as an edge, not as a header: " + input::shown(rows_[0][layout_.from]) +
                              " and " + input::shown(rows_[0][layout_.to]) + " are vertices (--header yes)");
    }
    if (other && numbers != 0) {
      report_.notes.push_back("vertices are taken as names, because line " +
                              std::to_string(taken_.numbers[other->first + (header_ ? 1 : 0)]) + " has " +
                              input::shown(other->second) + " (--ids numbers refuses such lines)");
    }
  }

  /// True if the first line might be a header: the lines below name neither of its ends again.
  bool first_line_stands_alone() const {
    return rows_.size() >= 2 && std::none_of(rows_.begin() + 1, rows_.end(), [&](const row& r) {
             return r[layout_.from] == rows_[0][layout_.from] || r[layout_.from] == rows_[0][layout_.to] ||
                    r[layout_.to] == rows_[0][layout_.from] || r[layout_.to] == rows_[0][layout_.to];
           });
  }

  /// Tells that 007 and 7 are one vertex, if an id of the sample begins so.
  void tell_leading_zeros() {
    for (std::size_t i = 0; i < taken_.lines.size(); ++i) {
      const std::string_view line = taken_.lines[i];
      if (line.size() < 2 || line[0] != '0' || line[1] < '0' || line[1] > '9') continue;
      report_.notes.push_back("ids with leading zeros, as in line " + std::to_string(taken_.numbers[i]) +
                              ", are numbers: 07 is 7 (--ids names keeps them apart)");
      return;
    }
  }

  std::string words_for(std::size_t column) const {
    return header_ ? input::shown(names_[column]) : "column " + std::to_string(column + 1);
  }

  /// Tells which columns were taken as what, if a header or further columns leave a choice.
  void tell_columns() {
    const std::size_t used = layout_.weight ? 3 : 2;
    if (layout_.attributes || told_columns_ ||
        (!header_ && (layout_.columns <= used || told_time_) && layout_.columns <= 3))
      return;
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
    layout_.exact = !layout_.named && !layout_.attributes && !layout_.bracketed && ends_first && all_used &&
                    layout_.separator != ':' && !quoted && !ragged_ && std::all_of(rows_.begin(), rows_.end(), plain);
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
  bool ragged_ = false;  ///< lines differ in their numbers of cells, at least in empty ones at their ends
  bool konect_ = false;
  bool konect_unweighted_ = false;
  bool told_time_ = false;
  bool told_columns_ = false;
};

}  // namespace

std::size_t column_reader::tuple_size() const noexcept {
  int depth = 0;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    depth += rest_[i] == '(' ? 1 : rest_[i] == ')' ? -1 : 0;
    if (depth != 0) continue;
    const std::size_t next = i + 1;
    const bool ends = next == rest_.size() || rest_[next] == separator_ ||
                      (separator_ == ' ' && (rest_[next] == '\t' || rest_[next] == '{'));
    return ends ? next : 0;
  }
  return 0;
}

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

table_layout layout_of_list(const input::source& from, bool weighted, const read_options& options,
                            read_report& report) {
  return finder(from, options, report).find_list(weighted);
}

table_layout find_layout(const input::source& from, const read_options& options, read_report& report) {
  return finder(from, options, report).find();
}

}  // namespace callisto::graph::formats
