// Parsing text with one edge a line, shared by edge lists, Matrix Market and DIMACS.
#pragma once

#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/files/formats/parse_chunks.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace callisto::graph::formats {

/// The weights of a format.
enum class weights { none, whole, real };

/// How a format writes an edge.
struct edge_line_rules {
  formats::weights weights = formats::weights::none;
  char prefix = 0;                 ///< a column of this one letter before the vertices; 0: there is none
  std::string_view comments = {};  ///< lines that begin with one of these letters are comments
  bool letter_comments = false;    ///< a comment letter must stand alone: "c text", not "cat"
  char separator = ' ';            ///< between columns; ' ': blanks and tabs
  bool skip_bad = false;           ///< lines with faults are left out
  bool whole_reals = false;        ///< an id may have the form of a real number: 17.0
  std::uint64_t first_id = 0;      ///< smallest id; vertices are numbered from it
  std::uint64_t last_id = std::numeric_limits<std::uint64_t>::max();  ///< largest id
};

/// The result of parsing a chunk.
struct edge_lines {
  std::uint64_t edges = 0;
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();  ///< smallest vertex
  std::uint64_t largest = 0;                                           ///< largest vertex
  bool too_wide = false;  ///< a vertex does not fit Id: no other member is valid
  std::optional<fault> wrong;
  line_findings left_out;
};

/// Parses whole lines into `edges` and their weights into `values` (unless rules.weights is none). Both have room for
/// an edge a line.
template <class Id>
edge_lines parse_edge_lines(std::string_view text, const edge_line_rules& rules, edge<Id>* edges, weight_array& values);

/// Parses all of `token` as a finite number, or as a whole one if `kind` is weights::whole; returns nothing if it is
/// none.
std::optional<double> to_weight(std::string_view token, weights kind) noexcept;

/// Returns the message that `token` is not a weight.
std::string not_a_weight(std::string_view token, weights kind);

/// Reads the edges of a format that declares its vertices; returns blocks in the order of the file. `rules` bounds the
/// ids so that they fit Vertex. Throws input_error and cancelled.
template <class Vertex>
std::vector<edge_block<Vertex>> read_declared_edges(input::source& from, const input::text_cut& cut,
                                                    const edge_line_rules& rules);

}  // namespace callisto::graph::formats
