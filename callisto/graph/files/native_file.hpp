// Graphs in Callisto's own binary format (suffix .cg): mapped into memory, so that opening takes milliseconds
// whatever the size. docs/reference/native-format.md describes the bytes.
//
// Layout. A header of 4096 bytes, then sections that each begin at a multiple of 4096. Numbers have the byte order of
// the machine that wrote the file, which the header tells. The header:
//
//     bytes   what
//     0-7     89 'C' 'G' 'R' 0d 0a 1a 0a: shows that the file is binary and was not altered as if it were text
//     8-11    version of the format, 1 to 4
//     12-15   the number 0x01020304: tells the byte order
//     16-23   length of the file in bytes
//     24-31   vertices n
//     32-39   arcs m: stored out-edges
//     40-47   label of vertex 0 if there is no section of labels (vertex v then has this label + v)
//     48-51   flags: 1 = directed; what is known of the weights: 2 = something, 4 = some are negative or no numbers,
//             8 = all are whole
//     52-55   bytes of a vertex number, 4 or 8
//     56-63   number of sections, up to 8
//     64-     for each section 32 bytes: kind, bytes of an element (4 bytes each), position, length in bytes, checksum
//     320-327 the largest weight, a double, if something is known
//     4088    checksum of the 4088 bytes before
//
// Kinds of sections: 1, 2, 3 = offsets (n + 1 of 8 bytes), targets (m vertex numbers), weights (m doubles, in version 4
// whole numbers of 16 bits) of the out-edges; 4, 5, 6 = the same of the in-edges of a directed graph; 7 = labels (n of
// 8 bytes); 8 = the vertices by label (n vertex numbers), without which labels ascend. Weights, in-edges, labels and
// these may be missing. Row v is targets[offsets[v]] .. targets[offsets[v + 1]], ascending; undirected graphs hold each
// edge in both rows.
//
// Checksums are XXH3 (64 bits, seed 0): of the header directly; of a section, of the sequence of the checksums of its
// blocks of 4 MiB (the last one shorter), so that threads can share the work.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <string>

namespace callisto::graph {

/// How much of a native file is checked when it is opened.
enum class native_check {
  header,   ///< the header, and that its sections lie in the file: reads three pages
  content,  ///< also all checksums, and that rows are what they should be: reads all of the file
};

/// Writes the graph to `path`, whole or not at all. Throws output_error, and graph::cancelled when asked to stop.
CALLISTO_API void write_native(const any_graph& graph, const std::string& path, const run_control& control = {});

/// The graph in a native file. Its arrays are the file's pages, mapped read-only while the graph lives; the file must
/// not be changed in place meanwhile (to replace it by rename, as write_native does, is fine).
///
/// Throws input_error if the file cannot be read, is not a native file, is cut short or was altered. Alterations
/// behind the header show only with native_check::content; without it, use files that you trust: an altered target
/// makes algorithms read outside their arrays.
CALLISTO_API any_graph open_native(const std::string& path, native_check check = native_check::header,
                                   const run_control& control = {});

/// Whether the file begins as a native file does; false if it cannot be read.
CALLISTO_API bool is_native(const std::string& path);

}  // namespace callisto::graph
