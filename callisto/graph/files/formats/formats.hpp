// The readers of the single formats, and the detection of a format. Users call read_edges() (files/read.hpp).
#pragma once

#include <callisto/graph/construction/names.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/files/formats/file_format.hpp>
#include <callisto/graph/files/formats/read_options.hpp>
#include <callisto/graph/files/input/source.hpp>

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace callisto::graph::formats {

struct table_layout;
struct line_findings;

/// Throws input_error for an empty file and for encodings that are not ASCII.
void refuse_unreadable(const input::source& from);

/// Returns the format of a file, found in its first MiB; if two formats fit, the suffix of its name decides. Throws
/// input_error for binary files of unknown kind.
file_format detect(const input::source& from);

/// The readers return the edges in the order of the file. They throw input_error for the first fault, and cancelled;
/// `control` controls work after parsing, and `from` has its own control.
any_edge_list read_table(input::source& from, const read_options& options, const run_control& control,
                         read_report& report);
any_edge_list read_edge_list(input::source& from, const table_layout& layout, const read_options& options,
                             const run_control& control, line_findings& left_out);
any_edge_list read_matrix_market(input::source& from, const read_options& options, const run_control& control,
                                 read_report& report);
any_edge_list read_dimacs(input::source& from, const read_options& options, read_report& report);
any_edge_list read_adjacency_list(input::source& from, const read_options& options, const run_control& control,
                                  read_report& report);
any_edge_list read_ligra(input::source& from, const read_options& options, read_report& report);
any_edge_list read_pajek(input::source& from, const read_options& options, const run_control& control,
                         read_report& report);
any_edge_list read_gml(input::source& from, const read_options& options, const run_control& control,
                       read_report& report);
any_edge_list read_graphml(input::source& from, const read_options& options, const run_control& control,
                           read_report& report);
any_edge_list read_gexf(input::source& from, const read_options& options, const run_control& control,
                        read_report& report);
any_edge_list read_npz(input::source& from, const read_options& options, const run_control& control,
                       read_report& report);
any_edge_list read_npy(input::source& from, const read_options& options, const run_control& control,
                       read_report& report);
any_edge_list read_node_link(input::source& from, const read_options& options, const run_control& control,
                             read_report& report);
any_edge_list read_dot(input::source& from, const read_options& options, const run_control& control,
                       read_report& report);
any_edge_list read_lgl(input::source& from, const read_options& options, const run_control& control,
                       read_report& report);
any_edge_list read_sif(input::source& from, const read_options& options, const run_control& control,
                       read_report& report);
any_edge_list read_tgf(input::source& from, const read_options& options, const run_control& control,
                       read_report& report);
any_edge_list read_dl(input::source& from, const read_options& options, const run_control& control,
                      read_report& report);
any_edge_list read_ntriples(input::source& from, const read_options& options, const run_control& control,
                            read_report& report);
any_edge_list read_metis(input::source& from, const read_options& options, const run_control& control);
any_edge_list read_gapbs(input::source& from, bool weighted, const read_options& options);

/// True for LGL: lines "# VERTEX" above lines of one neighbour each.
bool is_lgl(std::string_view head, bool all);

/// True for UCINET's data language: "DL", then a phrase about sizes or the format.
bool is_dl(std::string_view head);

/// True for RDF's N-Triples and N-Quads: the first line is a statement.
bool is_ntriples(std::string_view head, bool all);

/// True for the Graphviz language: comments, then "graph {" or "digraph {".
bool is_dot(std::string_view head);

/// True for the banner of a Matrix Market file, also if it lacks one of the two '%'.
bool is_banner(std::string_view line);

/// The header of a METIS file: its first line that is not a comment.
struct metis_header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool sizes = false;                ///< each row begins with the size of its vertex
  std::uint64_t vertex_weights = 0;  ///< number of vertex weights that follow in each row
  bool edge_weights = false;         ///< the weight of the edge follows each neighbour
};
/// Parses a METIS header; returns nothing if `line` is none.
std::optional<metis_header> to_metis_header(std::string_view line) noexcept;

/// The header of a .sg or .wsg file: its first 17 bytes.
struct gapbs_header {
  bool directed = false;
  std::uint64_t arcs = 0;
  std::uint64_t vertices = 0;

  static constexpr std::size_t bytes = 17;
  /// Returns the size of the whole file if a neighbour takes `neighbour_bytes` bytes.
  std::uint64_t file_bytes(std::uint64_t neighbour_bytes) const noexcept;
};
/// Parses a GAPBS header; returns nothing if `head` cannot be the begin of such a file.
std::optional<gapbs_header> to_gapbs_header(std::string_view head) noexcept;

/// Throws input_error if a file declares 0 vertices, or more than build_graph() can number.
void check_vertices(std::uint64_t vertices, const input::source& from, std::uint64_t line);

/// Throws input_error for a text without edges, or with none but lines that are left out.
[[noreturn]] void refuse_without_edges(const input::source& from);
[[noreturn]] void refuse_without_edges(const input::source& from, const line_findings& left_out);

/// Returns the list of a part of a text that has no edges.
any_edge_list no_edges(bool weighted);

/// True if a weight is from 2^53 to 2^64, where whole numbers are rounded. Linear in the weights.
bool has_large_weights(const weight_array& values) noexcept;
/// Tells `report` of such weights.
void tell_large_weights(read_report& report);

/// Adds a note to `report` if line 1 may state the numbers of vertices and edges, `counts`: if a list of `edges` edges
/// has it as one of them.
void tell_counts(read_report& report, const std::pair<std::uint64_t, std::uint64_t>& counts, std::uint64_t edges);

/// Converts names that are not UTF-8: all names of a file are Windows-1252 if one of them is not UTF-8. `report` tells.
void make_names_utf8(std::deque<name_table>& tables, read_report& report);

/// Returns all bytes of `from`, as read_all(). A text that is not UTF-8 is taken as Windows-1252; `report` tells.
std::string read_all_as_utf8(input::source& from, read_report& report);

/// Returns how the options cut the text behind its first `skip` bytes.
input::text_cut cut_for(const read_options& options, std::uint64_t skip);

/// Returns the direction of edges that a file calls undirected, or not: the options go before the file.
direction direction_of(bool undirected, const read_options& options) noexcept;

/// Returns f(Vertex{}) for the narrowest type that numbers `vertices` vertices.
template <class F>
any_edge_list with_vertex_type(std::uint64_t vertices, const F& f) {
  if (vertices <= std::numeric_limits<std::uint32_t>::max()) return f(std::uint32_t{});
  return f(std::uint64_t{});
}

}  // namespace callisto::graph::formats
