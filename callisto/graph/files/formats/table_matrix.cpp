// The reader of adjacency matrices as text: a row a vertex, with or without names in the first line and column.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

struct matrix {
  std::vector<std::string> names;      ///< of the columns
  std::vector<std::string> row_names;  ///< of two modes only
  std::vector<std::vector<double>> rows;
};

matrix parse(const std::string& text, const table_layout& layout, const std::string& file) {
  matrix found;
  input::line_reader lines(text, true);
  bool header = layout.matrix_names;
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (line.find_first_not_of(" \t\r") == line.npos || is_comment(line, layout.separator) || is_rule(line)) continue;
    std::deque<std::string> unquoted;
    column_reader reader(line, layout.separator, unquoted);
    std::string_view cell;
    if (layout.matrix_names) reader.next(cell);
    if (layout.two_modes && !header) found.row_names.emplace_back(cell);
    if (std::exchange(header, false)) {
      while (reader.next(cell)) found.names.emplace_back(cell);
      continue;
    }
    std::vector<double>& row = found.rows.emplace_back();
    while (reader.next(cell)) {
      // Nothing between separators is no edge.
      const auto value = cell.empty() ? 0 : to_table_weight(cell, layout.separator);
      if (!value) throw input_error(file, lines.number(), "expected a number of a matrix, found " + input::shown(cell));
      row.push_back(*value);
    }
    const std::size_t size = layout.matrix_names ? found.names.size() : found.rows.front().size();
    if (layout.two_modes) {
      if (row.size() != size) {
        throw input_error(
            file, lines.number(),
            input::counted(row.size(), "cell") + " behind a name where " + std::to_string(size) + " are expected");
      }
    } else if (row.size() != size || found.rows.size() > size) {
      throw input_error(file, lines.number(), "expected a matrix of " + input::counted(size, "row") + " and columns");
    }
  }
  if (!layout.two_modes && found.rows.size() != found.rows.front().size()) {
    throw input_error(file, lines.number(),
                      "expected a matrix of " + input::counted(found.rows.front().size(), "row") + " and columns");
  }
  if (!layout.matrix_names) {
    for (std::size_t i = 0; i < found.rows.size(); ++i) found.names.push_back(std::to_string(i));
  }
  return found;
}

/// Returns the list of a matrix with other vertices in its rows than in its columns.
any_edge_list two_modes(input::source& from, const matrix& all, const read_options& options, const run_control& control,
                        read_report& report) {
  collector graph(from);
  const auto called = [&](const char* side, const std::string& name) {
    return graph.vertex(options.bipartite ? side + name : name);
  };
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> columns;
  for (const std::string& name : all.row_names) rows.push_back(called("left-", name));
  for (const std::string& name : all.names) columns.push_back(called("right-", name));
  bool shared = false;
  for (const std::uint32_t v : columns) shared = shared || v < all.row_names.size();
  bool weighted = false;
  for (const auto& row : all.rows) {
    for (const double value : row) weighted = weighted || (value != 0 && value != 1);
  }
  const bool undirected = !shared && !options.directed;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double value = all.rows[i][j];
      if (value != 0) graph.add(rows[i], columns[j], !undirected, weighted ? std::optional(value) : std::nullopt);
    }
  }
  report.direction_known = true;
  report.notes.push_back("is taken as a matrix of two modes, " + input::counted(rows.size(), "row") + " by " +
                         input::counted(columns.size(), "column") + ", " +
                         (undirected ? "undirected" : "of edges from rows to columns") +
                         (shared && !options.bipartite ? "; equal names are one vertex (--bipartite)" : "") +
                         "; --columns FROM,TO takes it as a list of edges");
  return graph.finish(!undirected, options, control, report);
}

}  // namespace

any_edge_list read_table_matrix(input::source& from, const table_layout& layout, const read_options& options,
                                const run_control& control, read_report& report) {
  const matrix all = parse(read_all_as_utf8(from, report), layout, from.name());
  if (layout.two_modes) return two_modes(from, all, options, control, report);
  const std::size_t size = all.rows.size();
  bool symmetric = true;
  bool weighted = false;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      symmetric = symmetric && all.rows[i][j] == all.rows[j][i];
      weighted = weighted || (all.rows[i][j] != 0 && all.rows[i][j] != 1);
    }
  }
  const bool undirected = symmetric && !options.directed;
  report.direction_known = true;
  report.notes.push_back("is taken as a matrix of " + input::counted(size, "row") +
                         (undirected ? ", symmetric, so undirected (--directed)" : "") +
                         "; --columns 1,2 takes it as a list of edges");
  collector graph(from);
  for (const std::string& name : all.names) graph.vertex(name);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = undirected ? i : 0; j < size; ++j) {
      if (all.rows[i][j] == 0) continue;
      graph.add(graph.vertex(all.names[i]), graph.vertex(all.names[j]), !undirected,
                weighted ? std::optional(all.rows[i][j]) : std::nullopt);
    }
  }
  return graph.finish(!undirected, options, control, report);
}

}  // namespace callisto::graph::formats
