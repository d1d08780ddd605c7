// The file formats of graphs that other programs read and write, and their names.
#pragma once

#include <callisto/export.hpp>

#include <string>
#include <string_view>

namespace callisto::graph {

/// How edges stand in a file. Any of them may be compressed with gzip or zstd.
enum class file_format {
  automatic,           ///< found from the content
  edge_list,           ///< text, "from to" a line, # and % comments; vertices are arbitrary 64-bit labels (SNAP, .el)
  weighted_edge_list,  ///< text, "from to weight" a line (.wel)
  matrix_market,       ///< text, coordinate format (.mtx)
  dimacs,              ///< text, shortest-path format of the 9th DIMACS challenge (.gr)
  metis,               ///< text, a line of neighbours for each vertex (.graph)
  gapbs_sg,            ///< binary, the GAP Benchmark Suite's serialized graph (.sg)
  gapbs_wsg,           ///< the same with 32-bit integer weights (.wsg)
};

/// The name that flags and messages use: "edge-list", "matrix-market", ...
CALLISTO_API std::string_view name_of(file_format format) noexcept;

/// The format of that name; usage_error if there is none.
CALLISTO_API file_format format_from_name(std::string_view name);

/// What the suffix of `path` says, .gz and .zst set aside; automatic if it says nothing.
CALLISTO_API file_format format_from_suffix(std::string_view path) noexcept;

}  // namespace callisto::graph
