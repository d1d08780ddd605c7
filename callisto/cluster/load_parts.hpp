// Reading a text by all ranks: each rank reads a range of bytes, and gets the rows of its vertices.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/load.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace callisto::cluster {

/// The graph at a rank: all offsets, and the targets and weights of the rank's vertices.
struct parted_graph {
  graph::any_graph graph;             ///< all offsets; labels and names at rank 0 only
  std::vector<std::uint64_t> bounds;  ///< the first vertex of each rank, and the number of vertices
};

/// Loads a text as graph::load_graph() does, by all ranks together: the same graph, with the same notes at rank 0. The
/// targets and weights of other ranks' rows must not be read.
///
/// 1. Each rank parses the lines that begin in its range of the bytes.
/// 2. All ranks number the labels or names that they met (vertex_numbers.hpp).
/// 3. Arcs go to the ranks of their rows, a window at a time (gathered_rows.hpp), which sort and merge them.
///
/// Memory of a rank: its share of the list, 8 bytes an edge, which is given back as arcs leave; its rows; 12 to 16
/// bytes for each vertex.
///
/// Returns nothing, at all ranks, where a file has to be read as a whole: if it is compressed, no list of edges, has
/// attributes that are wanted, or is at fault in a way that depends on all of it. Throws what load_graph() throws: a
/// fault of the text at rank 0, which has the message of the first one.
std::optional<parted_graph> load_parts(const std::string& path, const graph::load_options& options,
                                       const graph::run_control& control, graph::load_report& report);

}  // namespace callisto::cluster
