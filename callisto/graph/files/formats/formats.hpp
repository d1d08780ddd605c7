// The readers of the single formats, and how a format is recognized. graph/files/read.hpp is what the world uses.
#pragma once

#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/files/formats/file_format.hpp>
#include <callisto/graph/files/formats/read_options.hpp>
#include <callisto/graph/files/input/source.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace callisto::graph::formats {

/// Throws input_error for an empty file and for encodings that are not ASCII.
void refuse_unreadable(const input::source& from);

/// The format of a file by its first MiB; the suffix of its name decides where that fits two formats. Throws
/// input_error for binary files that are not known.
file_format detect(const input::source& from);

/// The readers: an edge list in the order of the file, or input_error. `what` is for work after parsing.
any_edge_list read_edge_list(input::source& from, bool weighted, const read_options& options, const run_control& what);
any_edge_list read_matrix_market(input::source& from, const read_options& options);
any_edge_list read_dimacs(input::source& from, const read_options& options);
any_edge_list read_metis(input::source& from, const read_options& options, const run_control& what);
any_edge_list read_gapbs(input::source& from, bool weighted, const read_options& options);

/// The first line of a METIS file that is not a comment.
struct metis_header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool sizes = false;                ///< rows begin with the vertex's size
  std::uint64_t vertex_weights = 0;  ///< and then this many weights of the vertex
  bool edge_weights = false;         ///< each neighbour is followed by the edge's weight
};
std::optional<metis_header> to_metis_header(std::string_view line) noexcept;

/// The first bytes of a .sg or .wsg file.
struct gapbs_header {
  bool directed = false;
  std::uint64_t arcs = 0;
  std::uint64_t vertices = 0;

  static constexpr std::size_t bytes = 17;
  /// The bytes of the whole file with neighbours of `neighbour_bytes` each.
  std::uint64_t file_bytes(std::uint64_t neighbour_bytes) const noexcept;
};
/// Nothing unless the head can begin such a file.
std::optional<gapbs_header> to_gapbs_header(std::string_view head) noexcept;

/// Throws input_error unless a graph of this many declared vertices can be numbered and is not empty.
void check_vertices(std::uint64_t vertices, const input::source& from, std::uint64_t line);

/// How the options have the text behind `skip` bytes cut.
input::text_cut cut_for(const read_options& options, std::uint64_t skip);

/// Calls f(Vertex{}) with the type that numbers so many vertices.
template <class F>
any_edge_list with_vertex_type(std::uint64_t vertices, const F& f) {
  if (vertices <= std::numeric_limits<std::uint32_t>::max()) return f(std::uint32_t{});
  return f(std::uint64_t{});
}

}  // namespace callisto::graph::formats
