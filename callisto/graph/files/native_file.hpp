// Graphs in Callisto's own binary format (suffix .cg), opened by mapping the file into memory: that takes milliseconds
// whatever the size.
//
// Layout: a header of 4096 bytes, then sections, each of which begins at a multiple of 4096. Numbers have the byte
// order of the machine that wrote the file; the header tells it. The header:
//
//     bytes   what
//     0-7     89 'C' 'G' 'R' 0d 0a 1a 0a: shows that the file is binary, and that no program converted it like text
//     8-11    version of the format, 1 to 7
//     12-15   the number 0x01020304: tells the byte order
//     16-23   length of the file in bytes
//     24-31   vertices n
//     32-39   arcs m: stored out-edges
//     40-47   label of vertex 0 if there is no section of labels (vertex v then has this label + v)
//     48-51   flags: 1 = directed; survey of the weights: 2 = there is one, 4 = a weight is negative or NaN,
//             8 = all are whole
//     52-55   bytes of a vertex number, 4 or 8
//     56-63   number of sections
//     64-     for each section 32 bytes: kind, bytes of an element (4 bytes each), position, length in bytes, checksum
//     320-327 the largest weight, a double, if there is a survey
//     4088    checksum of the 4088 bytes before
//
// Kinds of sections: 1, 2, 3 = offsets (n + 1 of 8 bytes), targets (m vertex numbers), weights (m doubles, in version 4
// whole numbers of 16 bits) of the out-edges; 4, 5, 6 = offsets, targets, weights of the in-edges of a directed
// graph; 7 = labels (n of 8 bytes); 8 = the vertices by label (n vertex numbers); without it labels ascend. Sections 3
// to 8 may be missing. Versions from 5 on have further kinds. Row v holds the targets [offsets[v], offsets[v + 1]),
// ascending; undirected graphs hold each edge in both rows.
//
// Checksums are XXH3 (64 bits, seed 0). That of the header is over its bytes. That of a section is over the sequence of
// the checksums of its blocks of 4 MiB (the last one shorter), so that threads can share the work.
// docs/reference/native-format.md describes the format in full.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/pair/routes.hpp>

#include <optional>
#include <string>

namespace callisto::graph {

/// Checks that open_native() makes.
enum class native_check {
  header,   ///< the header, and that the sections lie in the file: reads three pages
  content,  ///< also all checksums, and that rows are valid: reads the whole file
};

/// Writes the graph to `path`, whole or not at all. Throws output_error and cancelled.
CALLISTO_API void write_native(const any_graph& graph, const std::string& path, const run_control& control = {});

/// Writes the graph and its routes, which are views of no file at `path`.
CALLISTO_API void write_native(const any_graph& graph, const any_routes& routes, const std::string& path,
                               const run_control& control = {});

/// Writes the graph together with control.among: the same file as write_native() writes of the whole graph. Each
/// process writes the targets and weights of its rows, the one that tells the rest; all see the path. The target is a
/// plain file or none yet: throws usage_error for other targets. Throws output_error at all processes if one cannot
/// write; cancelled.
CALLISTO_API void write_native_among(const any_graph& graph, const std::string& path, const shared_control& control);

/// Opens the graph of a native file. Its arrays are the file's pages, mapped read-only while the graph lives. The file
/// must not be changed in place during that time; replacing it by rename, as write_native() does, is safe.
///
/// Throws input_error if the file cannot be read, is not a native file, is truncated or was altered, and cancelled.
/// Alterations behind the header are found only with native_check::content. Without it, open only files that you trust:
/// an altered target makes algorithms read outside their arrays.
CALLISTO_API any_graph open_native(const std::string& path, native_check check = native_check::header,
                                   const run_control& control = {});

/// Returns the routes that a native file holds, if it does: they belong to its graph as open_native() returns it. Their
/// arrays are the file's pages. Throws input_error as open_native() does with native_check::header. Searches by damaged
/// routes throw input_error.
CALLISTO_API std::optional<any_routes> open_routes(const std::string& path);

/// True if the file can be read and begins like a native file.
CALLISTO_API bool is_native(const std::string& path);

}  // namespace callisto::graph
