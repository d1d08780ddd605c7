// Lists of edges from the rows of a matrix in memory.
#pragma once

#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <string>

namespace callisto::graph::formats {

/// A matrix in compressed sparse rows, read through functions of the index.
template <class Offset, class Target, class Weight>
struct csr_matrix {
  std::uint64_t rows;
  std::uint64_t entries;
  Offset offset;  ///< offset(i), i in [0, rows]: the number of entries before row i; offset(rows) = entries
  Target target;  ///< target(k): the column of entry k
  Weight weight;  ///< weight(k), if `weighted`
  bool weighted;
};

/// Returns the edges row -> column, or column -> row if `transposed`; labels begin with `first_label`. Throws
/// input_error for offsets that do not ascend and columns that are no vertices.
template <class Vertex, class Matrix>
edge_list<Vertex> edges_of_rows(const Matrix& matrix, bool transposed, std::uint64_t first_label,
                                const input::source& from) {
  edge_list<Vertex> list;
  list.vertices = matrix.rows;
  list.weighted = matrix.weighted;
  list.first_label = first_label;
  edge_block<Vertex> block;
  block.edges = machine::page_array<edge<Vertex>>(static_cast<std::size_t>(matrix.entries));
  if (matrix.weighted) block.weights = weight_array(static_cast<std::size_t>(matrix.entries));
  std::uint64_t first = matrix.offset(0);
  for (std::uint64_t row = 0; row < matrix.rows; ++row) {
    const std::uint64_t last = matrix.offset(row + 1);
    if (first > last || last > matrix.entries || (row == 0 && first != 0)) {
      throw input_error(from.name(), 0,
                        "row " + std::to_string(row) + " has the entries " + std::to_string(first) + " to " +
                            std::to_string(last) + " of " + std::to_string(matrix.entries));
    }
    for (std::uint64_t k = first; k < last; ++k) {
      const std::uint64_t column = matrix.target(k);
      if (column >= matrix.rows) {
        throw input_error(from.name(), 0,
                          "row " + std::to_string(row) + " leads to vertex " + std::to_string(column) + " of " +
                              std::to_string(matrix.rows));
      }
      const auto a = static_cast<Vertex>(transposed ? column : row);
      const auto b = static_cast<Vertex>(transposed ? row : column);
      block.edges[static_cast<std::size_t>(k)] = {a, b};
      if (matrix.weighted) block.weights.set(static_cast<std::size_t>(k), matrix.weight(k));
    }
    first = last;
  }
  if (first != matrix.entries) {
    throw input_error(
        from.name(), 0,
        "the rows hold " + std::to_string(first) + " entries, expected " + std::to_string(matrix.entries));
  }
  list.blocks.push_back(std::move(block));
  return list;
}

}  // namespace callisto::graph::formats
