// Edges from the arrays of numpy: ends of edges in two arrays, entries of a matrix, and matrices of two modes.
#pragma once

#include <callisto/graph/construction/names.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/npy.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace callisto::graph::formats {

/// The ends of edges, by the number of the edge. Negative ends are no vertices.
struct array_ends {
  std::uint64_t edges;
  std::function<std::int64_t(std::uint64_t)> from;
  std::function<std::int64_t(std::uint64_t)> to;
  std::function<std::uint64_t(std::uint64_t)> value;  ///< the place of the weight, if there is one
};

/// Returns the list of edges between vertices from 0 on, `vertices` of them if given. `values` may be null.
any_edge_list edges_of_ends(const array_ends& ends, std::optional<std::uint64_t> vertices, const npy_array* values,
                            const input::source& from, const read_options& options, read_report& report);

/// An entry of a matrix, from row and column 0 on.
struct matrix_entry {
  std::uint64_t row;
  std::uint64_t column;
  double value;
};

/// Returns the list of a matrix: rows and columns are the same vertices if there are as many, unless the options say
/// otherwise; else of two modes.
any_edge_list edges_of_matrix(std::uint64_t rows, std::uint64_t columns, bool weighted,
                              const std::vector<matrix_entry>& entries, const input::source& from,
                              const read_options& options, const run_control& control, read_report& report);

/// Returns the list of one array: pairs of vertices, PyG's edge_index, or a matrix. Throws input_error for other
/// arrays.
any_edge_list edges_of_array(const npy_array& array, const input::source& from, const read_options& options,
                             const run_control& control, read_report& report);

/// The vertices of a matrix of two modes, called left-ID and right-ID.
class two_sides {
 public:
  /// Ids count from `first`. Throws input_error if there are none, or too many.
  two_sides(std::uint64_t rows, std::uint64_t columns, std::uint64_t first, const input::source& from);

  /// Returns the edge of the entry in this row and column, from 0 on.
  edge<std::uint32_t> between(std::uint64_t row, std::uint64_t column) const noexcept {
    return {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(rows_ + column)};
  }

  /// Returns the list of edges that between() returned. `report` tells.
  any_edge_list finish(std::vector<named_block> blocks, bool weighted, const read_options& options,
                       const run_control& control, read_report& report) &&;

 private:
  std::uint64_t rows_;
  std::uint64_t columns_ = 0;
  std::deque<name_table> tables_;
};

}  // namespace callisto::graph::formats
