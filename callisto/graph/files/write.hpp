// Writing graphs in the file formats of other programs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/formats/file_format.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace callisto::graph {

/// Writes `graph` to `path` in `format`, compressed if the name ends in .gz or .zst. The file appears complete or not
/// at all.
///
/// - Undirected graphs: METIS, GAPBS and DIMACS get each edge in both directions, other formats once.
/// - Names and labels: Matrix Market, DIMACS, METIS and GAPBS number the vertices densely and lose both; other formats
///   keep them.
/// - An edge list begins with a comment if its edges have no directions or if there are vertices without edges; it says
///   so, and which numbers are vertices. Edge lists called .el or .wel have no comment.
/// - Attributes: GraphML, GEXF, GML, JSON, DOT and Pajek hold those of vertices and edges, tables (.csv) those of
///   edges.
/// - Weights: in an unweighted graph they are 1 if the format requires weights (weighted edge list, DIMACS, .wsg).
///
/// Reports arcs as progress. Throws usage_error if the format cannot hold the graph: METIS requires an undirected
/// graph; METIS and DIMACS require whole weights; GAPBS at most 2^31 vertices, whole weights of 32 bits, and the
/// in-edges of a directed graph. Throws output_error if writing fails, and cancelled.
CALLISTO_API void write_graph(const any_graph& graph, const std::string& path, file_format format,
                              const run_control& control = {});

/// A value of each vertex, which GraphML and GEXF keep.
struct vertex_attribute {
  std::string name;
  bool number = true;  ///< a real number, else text
  /// Appends the value of the vertex with the i-th smallest label, nothing if it has none. Many threads call it at
  /// once.
  std::function<void(std::string& text, std::uint64_t i)> append;
};

/// Writes `graph` with attributes of its vertices; the rest as above. Other formats leave attributes out.
CALLISTO_API void write_attributed_graph(const any_graph& graph, const std::string& path, file_format format,
                                         std::span<const vertex_attribute> attributes, const run_control& control = {});

/// True if files of this format hold attributes of edges, and perhaps of vertices.
CALLISTO_API bool holds_attributes(file_format format) noexcept;

/// Returns what a file of this format and name does not keep of the graph: a line each, empty if nothing is lost.
CALLISTO_API std::vector<std::string> what_is_lost(const any_graph& graph, const std::string& path, file_format format);

}  // namespace callisto::graph
