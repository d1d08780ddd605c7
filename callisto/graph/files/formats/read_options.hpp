// How a file is read: the user's choices, and the reports of the readers of all formats about their choices.
#pragma once

#include <callisto/graph/files/formats/file_format.hpp>
#include <callisto/graph/files/input/content_part.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Kind of the ids of a text.
enum class vertex_ids {
  as_found,  ///< whole numbers if all ids of the first MiB are, else names
  numbers,   ///< whole numbers from 0 to 2^64 - 1
  names,     ///< texts, even if they look like numbers
};

/// The columns beside ends, names and weights that are read.
struct attribute_choice {
  bool all = false;
  std::vector<std::string> names = {};

  bool any() const noexcept { return all || !names.empty(); }
  bool has(std::string_view name) const noexcept {
    return all || std::find(names.begin(), names.end(), name) != names.end();
  }
};

struct read_options {
  /// The format. automatic: found from the content; if two formats fit, the suffix of the file's name decides.
  file_format format = file_format::automatic;
  /// Takes the edges of a format that lists arcs (all but METIS, symmetric Matrix Market and undirected .sg, .wsg) as
  /// undirected.
  bool undirected = false;
  /// Takes the edges of a text as arcs, even if its header says that they are undirected.
  bool directed = false;

  // Tables of text only:
  /// The columns of both ends and, as a third, of the weight; each by its name in the header, or by its number from 1.
  std::vector<std::string> columns = {};
  /// The column of the weight, by name or number; "none": there is none.
  std::optional<std::string> weights_column = {};
  /// The character between columns; unset: found from the content. A space stands for any blanks.
  std::optional<char> separator = {};
  /// True if the first line that is no comment is a header; unset: found from the content.
  std::optional<bool> header = {};
  vertex_ids ids = vertex_ids::as_found;
  /// Takes the ids of the first column as other vertices than the ids of the second, even if they are equal.
  bool bipartite = false;

  /// The columns that become attributes of vertices and edges; none by default, for reading them takes time.
  attribute_choice attributes = {};

  /// The member of an archive to read; empty: the first that is no documentation.
  std::string member = {};
  /// Bytes of text that a thread parses at a time; 0: the reader chooses. For tests: results never depend on it.
  std::size_t chunk_bytes = 0;
  /// The part of a plain text of edges that is read; by default all. The list then has the vertices of this part only,
  /// numbered by themselves, and may be empty. input::read_as_whole is thrown for all else.
  input::content_part part = {};

  /// Leaves out the lines of a list or a table that are no edges, and tells of them.
  bool skip_bad_lines = false;
  /// The encoding of the file, as iconv names it; empty: UTF-8, UTF-16 or UTF-32 by a mark, else Windows-1252 if it is
  /// not UTF-8. XML declares its own.
  std::string encoding = {};
};

/// Findings in a part of a file that only all parts together give a meaning.
struct part_report {
  bool large_weights = false;   ///< as line_findings
  bool other_encoding = false;  ///< a name is not UTF-8
  /// The first and the last vertex that a header declares, with all between.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> vertices;
  /// Vertices and edges, if line 1 may state them instead of an edge.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> counts;
  std::optional<std::uint64_t> entries;  ///< of a header: how many edges the whole file lists
};

/// Findings and decisions of a reader.
struct read_report {
  file_format format = file_format::automatic;  ///< as given or found
  bool weights_are_lengths = false;             ///< the file says that its weights are lengths of paths
  bool direction_known = false;                 ///< true if the format, its header or the caller states the direction
  /// Decisions that another reader might take otherwise: a line each, with the flag of the command that changes it.
  std::vector<std::string> notes;
  part_report part;  ///< if a part was asked for
};

}  // namespace callisto::graph
