// Graphs from files of any format that Callisto knows.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/read.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace callisto::graph {

/// How a file becomes a graph.
struct load_options {
  read_options read = {};    ///< for files that are not native
  build_options build = {};  ///< native files were built before: see load_graph
  bool verify = false;       ///< check all of a native file (native_check::content)
};

/// What loading did.
struct load_report {
  bool native = false;
  file_format format = file_format::automatic;  ///< of a file that is not native, as given or found
  std::uint64_t file_bytes = 0;                 ///< size of the file; 0 if it has none (a pipe)
  double read_seconds = 0;                      ///< reading and parsing, or opening and checking a native file
  double build_seconds = 0;                     ///< building, or converting what a native file holds
  build_report build;                           ///< of a native file only `arcs`
};

/// The graph in a file: a native file (graph/files/native_file.hpp) is opened, anything else read (graph/files/read.hpp) and built.
///
/// A native file holds a graph that was built before, so of `options.build` only this applies, in memory: what is
/// directed is made undirected if asked for (repeats then merge whatever `repeats` says), self-loops are removed if
/// asked for, and missing in-edges are built. Without such a request nothing but the header is read.
///
/// Throws input_error, what build_graph throws, and graph::cancelled.
CALLISTO_API any_graph load_graph(const std::string& path, const load_options& options = {},
                                  const run_control& control = {}, load_report* report = nullptr);

}  // namespace callisto::graph
