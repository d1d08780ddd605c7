// The sample of a table, and the separator that cuts its lines. For table_layout.cpp and table_guesses.cpp.
#pragma once

#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/source.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats::tables {

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// The lines of the sample. Views are into the head of the source.
struct sample {
  std::vector<std::string_view> comments;  ///< comments before the first line of data
  std::vector<std::string_view> lines;     ///< of data; the first may be a header
  std::vector<std::uint64_t> numbers;      ///< of the lines of data
  /// Lines behind the first line of data that begin as comments do, and their numbers.
  std::vector<std::pair<std::uint64_t, std::string_view>> marked;
  std::uint64_t first_end = 0;      ///< where the first line of data ends
  std::optional<char> separator;    ///< of a line "sep=;" before all other lines, as Excel writes it
  std::uint64_t separator_end = 0;  ///< where this line ends
  bool open_comments = false;       ///< a comment begins with a quote that its line does not close
};

sample take_sample(const input::source& from, char separator);

/// The cells of a line, as one separator cuts it.
using row = std::vector<std::string>;

row cells_of(std::string_view line, char separator);
/// Drops the empty cells at the end of a line, but its first cell.
void drop_empty_end(row& cells);
/// Returns the separator that cuts all lines into the same number of columns, two or more; nothing if none does. One
/// that leaves an end of all edges empty gives way to blanks.
std::optional<char> separator_of_all(const std::vector<std::string_view>& lines);
/// Returns the separator that cuts most lines into the same number of columns, two or more; nothing if none does.
std::optional<char> separator_of_most(const std::vector<std::string_view>& lines);
/// Returns the separator of a table with lines of different lengths: a blank, unless the first line has none.
char separator_of_first(std::string_view line);
/// True if all lines are in parentheses or brackets, "(0, 1)" or "[0, 1]", with none inside.
bool lines_are_in_brackets(const std::vector<std::string_view>& lines);
/// True if `token` is a vertex number or a real number.
bool is_number(std::string_view token);

}  // namespace callisto::graph::formats::tables
