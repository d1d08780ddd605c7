// The columns of a graph in two sections of a native file: a directory, and the arrays of all columns in sequence. For
// native_file.cpp and native_write.cpp.
#pragma once

#include <callisto/graph/attributes/attributes.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace callisto::graph::native {

/// A part of the section of arrays; length 0: there is none.
struct array_place {
  std::uint64_t position;
  std::uint64_t bytes;
};

/// An entry of the directory. Arrays begin at multiples of 64 bytes, as Arrow has it.
struct column_entry {
  std::uint32_t owner;  ///< 0: vertices, 1: edges
  std::uint32_t type;   ///< column_type
  std::uint64_t rows;
  array_place name;  ///< behind the arrays of the column
  array_place validity;
  array_place offsets;
  array_place values;
};
static_assert(sizeof(column_entry) == 80);

/// The bytes of both sections.
struct column_sections {
  std::vector<column_entry> directory;
  std::vector<std::byte> arrays;
};
column_sections sections_of(const graph_attributes& columns);

/// The numbers of vertices and edges that columns must have rows for.
struct column_rows {
  std::uint64_t vertices;
  std::uint64_t least_edges;
  std::uint64_t most_edges;
};

/// Returns the columns as views of `arrays`, which `owner` keeps. Calls fail(message), which throws, for a directory
/// that does not fit the arrays or the rows. With `content` it looks at all values, too.
std::shared_ptr<const graph_attributes> columns_in(std::span<const std::byte> directory,
                                                   std::span<const std::byte> arrays,
                                                   const std::shared_ptr<const void>& owner, const column_rows& rows,
                                                   bool content, const std::function<void(const std::string&)>& fail);

}  // namespace callisto::graph::native
