// Loading a graph from a file of any format that Callisto knows.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/attributes/condition.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/read.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph {

/// How a file becomes a graph.
struct load_options {
  read_options read = {};                       ///< for files that are not native
  build_options build = {};                     ///< for native files see load_graph()
  bool verify = false;                          ///< checks all of a native file (native_check::content)
  std::shared_ptr<const condition> where = {};  ///< which edges are kept, before repeats merge; null: all
  bool repeats_chosen = false;                  ///< the caller chose build.repeats; else repeats that merge make a note
  unsigned copies = 0;                          ///< of the graph that the caller makes behind it, which must fit, too
};

/// Counts and times of a load.
struct load_report {
  bool native = false;
  file_format format = file_format::automatic;  ///< format of a file that is not native, as given or found
  std::uint64_t file_bytes = 0;                 ///< size of the file; 0 for a pipe
  double read_seconds = 0;           ///< time of reading and parsing, or of opening and checking a native file
  double build_seconds = 0;          ///< time of building, or of converting the graph of a native file
  build_report build;                ///< for a native file only `arcs` is set
  bool weights_listed = false;       ///< the edges of the file have weights; of a native file as of its graph
  bool weights_are_lengths = false;  ///< the file says that its weights are lengths of paths: DIMACS' `p sp`,
                                     ///< or a column called distance, dist or length
  bool direction_known = true;       ///< false if the file does not tell whether its edges have directions
  /// Decisions that another reader might take otherwise, a line each, with the flag of the command that changes it.
  std::vector<std::string> notes;
};

/// Returns the graph of a file: opens a native file (native_file.hpp); reads any other file (read.hpp) and builds its
/// graph.
///
/// A native file holds a built graph, so of `options.build` only three wishes apply, in memory: a directed graph is
/// made undirected (opposite arcs then repeat each other), self-loops are removed, missing in-edges are built.
/// If none of them applies, only the header and the names are read.
///
/// With `options.where`, edges that fail are left out; what it says of vertices is for kept_vertices().
///
/// Before a text is read, the memory for its edges, its graph and its copies is estimated from its beginning and its
/// size, also of a gzip file.
///
/// Throws input_error, cancelled, usage_error for `where`, memory_error, and what build_graph() throws.
CALLISTO_API any_graph load_graph(const std::string& path, const load_options& options = {},
                                  const run_control& control = {}, load_report* report = nullptr);

/// Does what load_graph() does around reading and building, for processes that read a file in parts. Throws
/// memory_error if a process' share of the list of a text would not fit.
CALLISTO_API void check_part(const std::string& path, const input::content_part& part);
/// Adds the notes that need the built graph. `reciprocal`: each arc has its reverse.
CALLISTO_API void add_notes_of_parts(load_report& report, bool undirected, bool reciprocal, bool weighted_list,
                                     const load_options& options);

/// Returns the graph with those of its columns that are wanted.
CALLISTO_API any_graph with_columns_chosen(any_graph graph, const attribute_choice& wanted);

/// Returns the graph with the names of the file at `path`: line i, counted from 0, names the vertex with the i-th
/// smallest label. If all lines are whole numbers, they become the labels. A table instead, with a column of whole
/// numbers and one of names behind it, names the vertices with these labels. Throws input_error if lines are not as
/// many as the vertices, or name two vertices alike. `notes` gets what was decided about the file, such as its
/// encoding.
CALLISTO_API any_graph with_names_of_file(any_graph graph, const std::string& path, const run_control& control = {},
                                          std::vector<std::string>* notes = nullptr);

}  // namespace callisto::graph
