// Guesses from the cells of a table: each guess of layout_finder that needs the cells alone.
#pragma once

#include <callisto/graph/files/formats/header_words.hpp>
#include <callisto/graph/files/formats/table_sample.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats::tables {

/// Words of the comments of KONECT.
struct konect_words {
  bool found = false;
  bool unweighted = false;
};
/// Takes from the comments before the data what they say about the graph: SNAP, KONECT, and Callisto's own. `report`
/// tells.
konect_words read_comments(const std::vector<std::string_view>& comments, const read_options& options,
                           table_layout& layout, read_report& report);

/// True if the line is two numbers with a blank between.
bool is_pair_of_numbers(std::string_view line);
/// True for an adjacency matrix with names: its first line and its first column hold the same. `all`: `rows` is the
/// whole table.
bool is_matrix_with_names(const std::vector<row>& rows, char separator, bool all);
/// True for a matrix of two modes: names of columns above names of rows, and cells of which some are 0 or empty, and
/// all other cells 1, or any number if nothing stands in the corner. With `wanted`, which says that there are two
/// modes, any numbers do.
bool is_two_mode_matrix(const std::vector<row>& rows, char separator, bool wanted);
/// True for an adjacency matrix without names: as many rows as columns, four or more, with nothing on the diagonal, and
/// either symmetric or of 0 and 1.
bool is_square_matrix(const std::vector<row>& rows, char separator);
/// True if both columns are of the same things: a fifth of all their values is in both.
bool share_values(const std::vector<row>& rows, std::size_t one, std::size_t other);

/// NetworkX's edge lists with data, "0 1 {'weight': 3}", as cells of both ends.
struct attribute_lines {
  std::vector<row> rows;
  char separator = ' ';
  bool weighted = false;  ///< a dictionary has a weight
  bool others = false;    ///< a dictionary is not empty
};
/// Returns the cells if all lines end in a dictionary; nothing otherwise.
std::optional<attribute_lines> attributes_of(const std::vector<std::string_view>& lines);

/// Returns the numbers of vertices and edges that the first line may hold; nothing if it is an edge in any case.
std::optional<std::pair<std::uint64_t, std::uint64_t>> counts_in_first(const std::vector<std::string_view>& lines);

/// Returns the numbers of vertices and edges if the first line is these, above lines of two vertices and a number.
/// `all`: `rows` is the whole table, so that there must be as many edges.
std::optional<std::pair<std::uint64_t, std::uint64_t>> counts_above_edges(const std::vector<row>& rows, bool all);
/// True if some lines have two cells, and all other lines a third, which is a number, or the name of a column above.
bool weight_is_optional(const std::vector<row>& rows, char separator);
/// Keeps the rows that have as many cells as most, and their lines in `taken`.
void keep_usual_rows(std::vector<row>& rows, sample& taken);
bool some_are_numbers(const std::vector<row>& rows, std::size_t column, char separator);

/// Throws input_error for a header that does not tell which columns are the ends.
[[noreturn]] void refuse_header(const std::string& file, const row& names);
/// Returns the two columns of names, of a table without a header, that have most values in common, if the first two
/// columns have none and are not of one kind: airports at both ends of a route. Of three columns, the first and the
/// last if the second has fewer values, as the relations of triples.
std::optional<std::pair<std::size_t, std::size_t>> columns_of_same_names(const std::vector<row>& rows, char separator);

/// Throws input_error for a column called `name` of cells that are no numbers.
[[noreturn]] void refuse_weights(const std::string& file, const std::string& name, const std::string& cell);
/// Throws input_error for a line that does not have the columns of the first line.
[[noreturn]] void refuse_columns(const std::string& file, std::uint64_t line, const row& found, const row& first);

/// True if the first line has text where the lines below have numbers: in both of the first columns, or in a later one.
bool has_text_above_numbers(const std::vector<row>& rows, char separator);
/// Returns the columns that the names call the ends of an edge, the first one first.
std::optional<std::pair<std::size_t, std::size_t>> ends_named_by(const row& names);
/// Returns the first column with a name of this role; nothing if there is none.
std::optional<std::size_t> column_with(const row& names, role wanted);
/// Returns which directions a column of Gephi's Type holds; nothing if it holds other words.
std::optional<stated_direction> types_in(const std::vector<row>& rows, std::size_t column);
/// True if the first line looks as the lines below in the columns of both ends: "node1 node2" above "node3 node4", or
/// "u v" above "v w". Names that do not differ by their last characters only look like no data.
bool data_goes_on(const std::vector<row>& rows, std::size_t from, std::size_t to);
/// True if the first cell is a number, finite or not: then all must be finite numbers.
bool holds_numbers(const std::vector<row>& rows, std::size_t column, char separator);
/// True if all numbers of the column are dates between the years 1980 and 2100: in seconds, milliseconds,
/// microseconds or nanoseconds since 1970, or as YYYYMMDD. If `sorted`, they must not fall; else 1,000 or more whole
/// numbers that never fall, and rise by 1 a line or more, are times, too.
bool looks_like_time(const std::vector<row>& rows, std::size_t column, char separator, bool sorted);
bool looks_like_years(const std::vector<row>& rows, std::size_t column, char separator);
/// True if the first line might be a header: the lines below name neither of its ends again.
bool first_line_stands_alone(const std::vector<row>& rows, std::size_t from, std::size_t to);

}  // namespace callisto::graph::formats::tables
