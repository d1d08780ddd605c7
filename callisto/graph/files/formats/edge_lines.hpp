// Text with one edge a line, which edge lists, Matrix Market and DIMACS have in common.
#pragma once

#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/files/formats/parse_chunks.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace callisto::graph::formats {

/// What the weights of a format are.
enum class weights { none, whole, real };

/// How a format writes an edge.
struct edge_line_rules {
  formats::weights weights = formats::weights::none;
  char prefix = 0;                 ///< a column of this one letter before the vertices; 0: there is none
  std::string_view comments = {};  ///< lines that begin with one of these letters are comments
  bool letter_comments = false;    ///< a comment letter stands alone: "c text", but not "cat"
  std::uint64_t first_id = 0;      ///< the smallest and the largest id; an edge's vertices are counted from first_id
  std::uint64_t last_id = std::numeric_limits<std::uint64_t>::max();
};

/// What was found in a chunk.
struct edge_lines {
  std::uint64_t edges = 0;
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();  ///< of the vertices, counted from first_id
  std::uint64_t largest = 0;
  bool too_wide = false;  ///< a vertex does not fit Id: everything else here is void
  std::optional<fault> wrong;
};

/// Parses whole lines into `edges` and `values`, the weights (unless rules.weights is none), which have room for as
/// many edges as there are lines.
template <class Id>
edge_lines parse_edge_lines(std::string_view text, const edge_line_rules& rules, edge<Id>* edges, weight_array& values);

/// A finite number in all of `token`; whole numbers only if `kind` is weights::whole.
std::optional<double> to_weight(std::string_view token, weights kind) noexcept;

/// What is wrong with `token` as a weight.
std::string not_a_weight(std::string_view token, weights kind);

/// The edges of a format that declares its vertices, as blocks in the order of the file. `rules` bound the ids so that
/// they fit Vertex.
template <class Vertex>
std::vector<edge_block<Vertex>> read_declared_edges(input::source& from, const input::text_cut& cut,
                                                    const edge_line_rules& rules);

}  // namespace callisto::graph::formats
