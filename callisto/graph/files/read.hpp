// Reading graphs from the files of other programs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/formats/file_format.hpp>
#include <callisto/graph/files/formats/read_options.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace callisto::graph {

/// The edges of the file at `path` ("-": standard input), plain or compressed with gzip or zstd, in the order of the
/// file. Uses all threads of the loops and one more for decompression.
///
/// Vertices: in (weighted) edge lists those are the distinct ids that occur, numbered densely by ascending id, and the
/// ids are kept as labels; other formats declare theirs, labelled from 1 (GAPBS: from 0). An undirected METIS or GAPBS
/// edge, which the file holds in both rows, is listed once.
///
/// Needs the edges (8 bytes each with 32-bit vertices, 2 or 8 more for a weight) and a few MiB a thread; an edge list
/// whose ids are too large and too sparse for a bitmap of 2 bytes an edge needs up to 48 bytes an edge.
///
/// Throws input_error for anything that the format does not allow, with the first faulty line of the file; also for an
/// empty file. `found`, if given, is told the format before anything is parsed. Throws cancelled when `what` asks to
/// stop. Reports bytes of the file as progress.
CALLISTO_API any_edge_list read_edges(const std::string& path, const read_options& options = {},
                                      const run_control& what = {}, file_format* found = nullptr);

/// The same from memory; `name` stands for the path in messages and for its suffix.
CALLISTO_API any_edge_list read_edges(std::span<const std::byte> bytes, const std::string& name,
                                      const read_options& options = {}, const run_control& what = {},
                                      file_format* found = nullptr);

}  // namespace callisto::graph
