// Makes columns of values that came in any order.
#include <callisto/graph/files/formats/collected_columns.hpp>

#include <callisto/graph/files/formats/decimal_commas.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace callisto::graph::formats {

column_list collected_columns::finish(std::span<const std::uint64_t> source, std::uint64_t rows,
                                      const run_control& control) {
  std::vector<std::string> names(columns_.size());
  for (const auto& [name, place] : places_) names[place] = name;
  column_list result;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    collected& c = columns_[i];
    std::vector<std::uint64_t> cell(rows, no_row);
    for (std::uint64_t k = 0; k < c.rows.size(); ++k) cell.at(c.rows[k]) = k;
    if (c.has_usual) {
      std::replace(cell.begin(), cell.end(), no_row, c.cells.size());
      c.cells.add(c.usual);
    }
    std::vector<std::uint64_t> order(source.size());
    for (std::size_t r = 0; r < source.size(); ++r) order[r] = cell[source[r]];
    std::vector<column_cells> cells;
    cells.push_back(std::move(c.cells));
    if (decimal_commas_) take_decimal_commas(cells);
    const auto all = column_of(names[i], cells, c.type, control);
    c.cells = {};
    c.rows = {};
    result.push_back(rows_of({all}, order, control).front());
  }
  return result;
}

std::uint64_t vertex_called(const any_edge_list& list, std::string_view name) {
  return std::visit(
      [&](const auto& l) -> std::uint64_t {
        if (l.names != nullptr) return l.names->find(name).value_or(0);
        const std::uint64_t number = input::to_unsigned(name).value_or(0);
        if (l.labels.empty()) return number - l.first_label;
        return static_cast<std::uint64_t>(std::lower_bound(l.labels.begin(), l.labels.end(), number) -
                                          l.labels.begin());
      },
      list);
}

}  // namespace callisto::graph::formats
