// The columns of a table that become attributes of edges.
#pragma once

#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/files/formats/decimal_commas.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats {

/// Returns the columns of a table that become attributes, with their names: those of the header `names`, which is empty
/// if there is none. `type`: the column that says which edges are directed.
std::vector<std::pair<std::size_t, std::string>> kept_columns(const table_layout& layout,
                                                              const std::vector<std::string>& names,
                                                              std::optional<std::size_t> type,
                                                              const attribute_choice& wanted);

/// A block of edges with the cells of the columns that are kept, by column and edge.
template <class Block>
struct attributed : Block {
  std::vector<column_cells> cells;
};

/// Cuts lines of a table into the cells that are kept. Thread-safety: one thread.
class attribute_cutter {
 public:
  /// `cells` and `layout` must outlive this object.
  attribute_cutter(const table_layout& layout, std::vector<column_cells>& cells) : layout_(layout), cells_(cells) {
    cells_.resize(layout.kept.size());
  }

  /// Adds the cells of the line of an edge. An empty cell is missing; one in quotes is an empty text.
  void take(std::string_view line) {
    if (!cells_.empty()) cut(line);
  }

 private:
  void cut(std::string_view line);

  const table_layout& layout_;
  std::vector<column_cells>& cells_;
};

/// Returns the blocks alone, and stores the columns of their cells in `columns`. Throws cancelled.
template <class Block>
std::vector<Block> without_cells(std::vector<attributed<Block>>&& parts, const table_layout& layout,
                                 const run_control& control, column_list& columns) {
  std::vector<Block> blocks;
  std::vector<std::vector<column_cells>> cells(layout.kept.size());
  for (attributed<Block>& part : parts) {
    for (std::size_t c = 0; c < part.cells.size(); ++c) cells[c].push_back(std::move(part.cells[c]));
    blocks.push_back(std::move(static_cast<Block&>(part)));
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (layout.separator != ',') take_decimal_commas(cells[c]);
    columns.push_back(column_of(layout.kept[c].second, cells[c], {}, control));
    cells[c] = {};
  }
  return blocks;
}

}  // namespace callisto::graph::formats
