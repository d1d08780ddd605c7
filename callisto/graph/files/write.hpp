// Writing graphs in the file formats of other programs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/formats/file_format.hpp>

#include <string>

namespace callisto::graph {

/// Writes `graph` to `path` in `format`, compressed if the name ends in .gz or .zst. The file appears complete or not
/// at all.
///
/// - Undirected graphs: Matrix Market and edge lists get each edge once (the reader of an edge list must be told that
/// it
///   is undirected). METIS, GAPBS and DIMACS get it in both directions.
/// - Labels: edge lists keep labels and lose vertices without edges. Other formats number the vertices densely and lose
///   the labels.
/// - Weights: in an unweighted graph they are 1 if the format requires weights (weighted edge list, DIMACS, .wsg).
///
/// Reports arcs as progress. Throws usage_error if the format cannot hold the graph: METIS requires an undirected
/// graph; METIS and DIMACS require whole weights; GAPBS at most 2^31 vertices, whole weights of 32 bits, and the
/// in-edges of a directed graph. Throws output_error if writing fails, and cancelled.
CALLISTO_API void write_graph(const any_graph& graph, const std::string& path, file_format format,
                              const run_control& control = {});

}  // namespace callisto::graph
