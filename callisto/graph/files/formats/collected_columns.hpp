// Columns of a file that gives the attributes of vertices and edges one by one, in any order.
#pragma once

#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::formats {

/// The attributes of the vertices, or of the edges, of one file. Thread-safety: one thread.
class collected_columns {
 public:
  /// Makes the column `name`, unless it is there. `usual` is the value of rows without one.
  void declare(std::string_view name, std::optional<column_type> type = {}, std::optional<std::string> usual = {}) {
    collected& c = of(name, type);
    if (usual) c.usual = std::move(*usual);
    c.has_usual = c.has_usual || usual.has_value();
  }

  /// Sets the value of a row; of several the last one counts.
  void set(std::string_view name, std::uint64_t row, std::string_view value, std::optional<column_type> type = {}) {
    collected& c = of(name, type);
    c.cells.add(value);
    c.rows.push_back(row);
  }

  /// Returns the columns, in the order in which they were met. Row i gets the value of row source[i].
  column_list finish(std::span<const std::uint64_t> source, std::uint64_t rows, const run_control& control);

  /// Takes values such as 0,5 as numbers, in columns that hold nothing else.
  void allow_decimal_commas() noexcept { decimal_commas_ = true; }

  bool empty() const noexcept { return columns_.empty(); }

 private:
  struct collected {
    std::optional<column_type> type = {};
    bool has_usual = false;  ///< no std::optional: GCC 12 warns of a string that it would not move
    std::string usual = {};
    column_cells cells = {};
    std::vector<std::uint64_t> rows = {};  ///< by cell
  };

  collected& of(std::string_view name, std::optional<column_type> type = {}) {
    const auto found = places_.find(name);
    if (found != places_.end()) return columns_[found->second];
    places_.emplace(name, columns_.size());
    columns_.emplace_back().type = type;
    return columns_.back();
  }

  bool decimal_commas_ = false;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::vector<collected> columns_;
};

/// Returns the vertex that is called so in a list with names or numbers as names. The list has it.
std::uint64_t vertex_called(const any_edge_list& list, std::string_view name);

}  // namespace callisto::graph::formats
