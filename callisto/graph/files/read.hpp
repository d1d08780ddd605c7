// Reading graphs from the files of other programs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/formats/file_format.hpp>
#include <callisto/graph/files/formats/read_options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace callisto::graph {

/// Reads the edges of the file at `path` ("-": standard input), plain or compressed with gzip or zstd, in the order of
/// the file. If `report` is given, stores there what was found and decided. Uses all threads of the loops, and one more
/// thread for a compressed file or a pipe.
///
/// Vertices of a (weighted) edge list are the distinct ids that occur, numbered densely by ascending id; the ids become
/// labels. Other formats declare their vertices, which are labelled from 1 (GAPBS: from 0). METIS and undirected GAPBS
/// files hold each edge in both rows; it is listed once.
///
/// Memory: the edges (8 bytes each with 32-bit vertices, and 2 or 8 for a weight) and a few MiB a thread. An edge list
/// with ids too large and sparse for a bitmap of 2 bytes an edge takes up to 48 bytes an edge.
///
/// Reports bytes of the file as progress. Throws input_error, with the line of the first fault, for everything that the
/// format does not allow and for an empty file; cancelled; std::bad_alloc.
CALLISTO_API any_edge_list read_edges(const std::string& path, const read_options& options = {},
                                      const run_control& control = {}, read_report* report = nullptr);

/// Completes the notes of a file that was read in parts (read_options::part) with what all parts have found together;
/// `edges`: how many they list. `report` is that of one part.
CALLISTO_API void finish_parts(read_report& report, const part_report& all, std::uint64_t edges);

/// Reads the edges of a file in memory; `name` stands in messages and has the suffix.
CALLISTO_API any_edge_list read_edges(std::span<const std::byte> bytes, const std::string& name,
                                      const read_options& options = {}, const run_control& control = {},
                                      read_report* report = nullptr);

}  // namespace callisto::graph
