// Layout of a table of text: its separator, its header, and the roles of its columns. Found from the first 64 KiB;
// docs/reference/formats.md has the rules.
#pragma once

#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/files/formats/read_options.hpp>
#include <callisto/graph/files/input/source.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats {

/// The columns of a line, in sequence. Blanks around a column are not part of it, and quotes around it are removed (""
/// in quotes is one quote: RFC 4180). A tuple in parentheses is one column.
class column_reader {
 public:
  /// A separator ' ' stands for any blanks, ':' for any colons; `unquoted` keeps columns in which quotes were doubled.
  column_reader(std::string_view line, char separator, std::deque<std::string>& unquoted) noexcept
      : rest_(line), size_(line.size()), separator_(separator), unquoted_(unquoted) {
    if (rest_.ends_with('\r')) rest_.remove_suffix(1);
    skip_blanks();
    more_ = !rest_.empty();
  }

  /// Moves to the next column. Returns false if there is none, or if a quote is not closed: broken().
  bool next(std::string_view& column) {
    if (!more_) return false;
    if (rest_.starts_with('"')) return next_quoted(column);
    const char* const begin = rest_.data();
    const char* const end = begin + rest_.size();
    const char* p = begin;
    if (p != end && *p == '(') p += tuple_size();
    if (separator_ == ' ') {
      while (p != end && *p != ' ' && *p != '\t') ++p;
    } else {
      while (p != end && *p != separator_) ++p;
    }
    const char* last = p;
    while (last != begin && (last[-1] == ' ' || last[-1] == '\t')) --last;
    column = {begin, static_cast<std::size_t>(last - begin)};
    rest_.remove_prefix(static_cast<std::size_t>(p - begin));
    behind_column();
    return true;
  }

  bool broken() const noexcept { return broken_; }
  /// Returns what follows the columns read so far.
  std::string_view rest() const noexcept { return rest_; }
  /// Returns the bytes looked at for the ends of tuples: at most some times the line, however it is made.
  std::size_t looked_at() const noexcept { return looked_at_; }

 private:
  void skip_blanks() noexcept {
    while (!rest_.empty() && (rest_.front() == ' ' || (rest_.front() == '\t' && separator_ != '\t'))) {
      rest_.remove_prefix(1);
    }
  }

  /// Moves behind the separator that ends a column.
  void behind_column() noexcept {
    if (separator_ == ' ') {
      skip_blanks();
      more_ = !rest_.empty();
      return;
    }
    more_ = !rest_.empty();
    if (!more_) return;
    rest_.remove_prefix(1);
    while (separator_ == ':' && rest_.starts_with(':')) rest_.remove_prefix(1);
    skip_blanks();
  }

  bool next_quoted(std::string_view& column);
  /// Returns the bytes of a tuple "(0, 1)" that is the whole next column; 0 if there is none.
  std::size_t tuple_size() noexcept;

  std::string_view rest_;
  std::size_t size_;           ///< bytes of the line
  std::size_t looked_at_ = 0;  ///< bytes, for the ends of tuples
  char separator_;
  bool more_ = false;
  bool broken_ = false;
  std::deque<std::string>& unquoted_;
};

/// How a table is read. Columns are counted from 0.
struct table_layout {
  file_format format = file_format::table;
  char separator = ' ';
  std::uint64_t skip = 0;  ///< bytes up to the end of the header
  std::size_t columns = 2;
  std::size_t from = 0;
  std::size_t to = 1;
  std::optional<std::size_t> weight;
  bool matrix = false;        ///< an adjacency matrix
  bool matrix_names = false;  ///< with names in its first line and column
  bool two_modes = false;     ///< of the matrix the rows are other vertices than the columns
  bool bracketed = false;     ///< all lines are in parentheses or brackets
  bool attributes = false;    ///< behind the ends stands a Python dictionary, as NetworkX writes it
  bool weighted = false;      ///< `weight` is set, or the dictionaries hold weights
  bool named = false;         ///< vertices are names
  bool bipartite = false;     ///< ends are `left-ID` and `right-ID`
  bool exact = false;         ///< two or three columns of whole numbers: edge_lines.hpp reads them
  bool undirected = false;
  bool without_edges = false;  ///< comments that Callisto wrote hold the vertices, and there is no edge
  /// Below a header, a line with as many columns as the header is data, whatever it begins with: "#metoo,#timesup".
  bool marked_data = false;
  bool optional_weight = false;  ///< lines without the weight weigh 1
  bool skip_bad = false;         ///< lines with faults are left out
  bool open_comments = false;    ///< the sample has comments that begin with a quote and do not close it
  /// The columns that become attributes of edges, in ascending order, and their names.
  std::vector<std::pair<std::size_t, std::string>> kept;
  /// First and last vertex, of a header that Callisto wrote; all between are vertices, too.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> vertices;
  /// Vertices and edges, if line 1 may state them instead of an edge.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> counts;
};

/// Reads an adjacency matrix with this layout. Throws input_error.
any_edge_list read_table_matrix(input::source& from, const table_layout& layout, const read_options& options,
                                const run_control& control, read_report& report);

/// Reads the vertices of a list that write_graph() wrote of a graph without edges. Throws input_error.
any_edge_list read_without_edges(input::source& from, const table_layout& layout, const read_options& options,
                                 const run_control& control, read_report& report);

/// Returns the layout of a table and tells `report` of it. Throws input_error if the lines have different numbers of
/// columns, and usage_error for a column that the table does not have.
table_layout find_layout(const input::source& from, const read_options& options, read_report& report);

/// Returns the layout of a list of vertex numbers and, if `weighted`, weights, separated by blanks: only comments tell
/// something.
table_layout layout_of_list(const input::source& from, bool weighted, const read_options& options, read_report& report);

/// Returns what is between the parentheses or brackets around a line; the line itself if there are none.
std::string_view inside_brackets(std::string_view line) noexcept;

/// True if the line is a comment in a table with this separator.
bool is_comment(std::string_view line, char separator) noexcept;

/// True for lines that databases and Markdown print around a table: "+-----+-----+", "|---|:--|", "(3 rows)".
bool is_rule(std::string_view line) noexcept;

/// True if the line begins with a quote and has no other quote.
bool begins_open_quote(std::string_view line) noexcept;

/// Parses all of `token` as a whole number that may have the form of a real one: 17, 17.0; nothing if it is none.
std::optional<std::uint64_t> to_vertex_number(std::string_view token) noexcept;

/// Parses a weight, in which a comma may stand for the point if commas do not separate; nothing if it is none.
std::optional<double> to_table_weight(std::string_view token, char separator);

/// Returns the value of the key 'weight' in a Python dictionary, and 1 if it has none; nothing if it is no number.
std::optional<double> weight_in_attributes(std::string_view dictionary);

/// True for a dictionary that has a weight.
bool has_weight(std::string_view dictionary) noexcept;

}  // namespace callisto::graph::formats
