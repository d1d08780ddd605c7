// Writing graphs in the formats of other programs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/formats/file_format.hpp>

#include <string>

namespace callisto::graph {

/// Writes `graph` to `path` in `format`, compressed if the name ends in .gz or .zst. The file appears when it is
/// complete, or not at all.
///
/// An undirected graph has each edge written once where the format can say that it is undirected (Matrix Market) or the
/// reader is to be told (edge lists), and in both directions where the format has it so (METIS, GAPBS) or knows arcs
/// only (DIMACS). Labels are written in edge lists, where vertices without edges are lost; other formats number the
/// vertices densely and labels are lost. An unweighted graph gets weights of 1 where the format has them always
/// (weighted edge list, DIMACS, .wsg).
///
/// Throws usage_error if the format cannot hold the graph: METIS takes undirected graphs only; METIS and DIMACS whole
/// weights; GAPBS fewer than 2^31 vertices, and whole weights of 32 bits; a directed graph without in-edges does not
/// become GAPBS. Throws output_error if writing fails, cancelled if `what` asks to stop. Reports arcs as progress.
CALLISTO_API void write_graph(const any_graph& graph, const std::string& path, file_format format,
                              const run_control& what = {});

}  // namespace callisto::graph
