// Names and numbers as text of the formats, and what formats can hold. For write.cpp and what_is_lost.cpp.
#pragma once

#include <callisto/graph/files/compress.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/graph/files/write.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace callisto::graph::text_of {

void append_number(std::string& to, std::uint64_t value);
void append_weight(std::string& to, double value);
/// Returns a weight as a whole number in [lowest, highest]; throws usage_error if it is none.
std::int64_t whole_weight(double weight, double lowest, double highest, file_format format);
/// True if a reader of a list or a table might cut, trim or skip this name unless it is in quotes: it holds a separator
/// or a line break, is a comment, a tuple or a sign between two columns, or begins with a byte order mark.
bool needs_quotes(std::string_view name);
/// Appends a column of a list or a table, in quotes if it needs them (RFC 4180) or is `always` to have them.
void append_quoted(std::string& to, std::string_view name, bool always);
/// Appends a reference to a character.
void append_reference(std::string& to, std::uint32_t code);
/// Appends a label of Pajek, in quotes. Pajek has no other way to hold a quote or a line break than a reference.
void append_label(std::string& to, std::string_view name);
/// Appends text between quotes of XML. Readers take a tab or a line break in an attribute for a blank unless it is a
/// reference.
void append_escaped(std::string& to, std::string_view name);
/// Appends text between quotes of GML, which is ASCII: all other characters are references.
void append_ascii(std::string& to, std::string_view name);
/// Appends a text of JSON, in quotes.
void append_json(std::string& to, std::string_view text);
/// Appends an id of DOT, in quotes if it needs them. It must hold no backslash, which DOT keeps in pairs only.
void append_dot_id(std::string& to, std::string_view id);
/// Appends a text of DOT, in quotes. Backslashes and other characters with a meaning there are references.
void append_dot_text(std::string& to, std::string_view text);
/// Appends a number of DOT, which has no exponents.
void append_dot_number(std::string& to, double value);
/// Returns what a file of this format cannot hold of `name`; empty if it can hold the name.
std::string_view fault_of(std::string_view name, file_format format);

inline bool is_gapbs(file_format format) noexcept {
  return format == file_format::gapbs_sg || format == file_format::gapbs_wsg;
}

inline bool is_edge_list(file_format format) noexcept {
  return format == file_format::edge_list || format == file_format::weighted_edge_list;
}

/// True for formats that number the vertices, and so hold no names.
inline bool numbers_vertices(file_format format) noexcept {
  return is_gapbs(format) || format == file_format::matrix_market || format == file_format::dimacs ||
         format == file_format::metis;
}

/// True if the file is a list or a table of edges of a graph that has none: then comments hold the vertices.
template <class Vertex>
bool is_list_without_edges(const csr_graph<Vertex>& graph, file_format format) noexcept {
  return graph.arcs() == 0 && (is_edge_list(format) || format == file_format::table);
}

/// True for edge lists that may begin with a comment: programs that read .el and .wel take none.
inline bool may_have_comments(std::string_view path, file_format format) {
  path = without_compression(path);
  return is_edge_list(format) && !path.ends_with(".el") && !path.ends_with(".wel");
}

/// True if labels are numbers without gaps.
template <class Vertex>
bool labels_are_a_range(const csr_graph<Vertex>& graph) {
  const std::uint64_t n = graph.vertices();
  return graph.names() == nullptr && n != 0 &&
         graph.label(graph.by_label(n - 1)) - graph.label(graph.by_label(0)) == n - 1;
}

/// Returns the number of vertices without edges.
template <class Vertex>
std::uint64_t count_isolated(const csr_graph<Vertex>& graph) {
  const bool has_in = graph.has_in();
  return parallel_reduce(std::uint64_t{0}, graph.vertices(), std::uint64_t{0}, [&](std::uint64_t v) {
    return std::uint64_t{graph.out().degree(v) == 0 && (!has_in || graph.in().degree(v) == 0) ? 1u : 0u};
  });
}

/// True if a reader of a table takes all names for numbers, and would show one of them in another form.
inline bool all_are_numbers(const vertex_names& names) {
  bool usual = true;
  for (std::uint64_t i = 0; i < names.size(); ++i) {
    const auto number = formats::to_vertex_number(names[i]);
    if (!number) return false;
    usual = usual && names[i] == std::to_string(*number);
  }
  return !usual;
}

template <class T>
void append_bytes(std::string& to, T value) {
  static_assert(std::endian::native == std::endian::little, "binary formats are little-endian");
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace callisto::graph::text_of
