// Attributes in the text of the formats that have them. For write.cpp and what_is_lost.cpp.
#pragma once

#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/files/write.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph {

/// True for formats that hold columns of vertices, and of edges.
bool holds_vertex_columns(file_format format) noexcept;
bool holds_edge_columns(file_format format) noexcept;

/// Writes the columns of a graph, and what was found of its vertices, beside the vertices and edges of a text.
/// Thread-safety: any number of threads may append.
class attribute_writer {
 public:
  /// The columns and `found` must outlive this object. Throws usage_error for a text that the format cannot hold.
  attribute_writer(const graph_attributes* columns, std::span<const vertex_attribute> found, file_format format);

  bool of_vertices() const noexcept { return !vertices_.empty() || !found_.empty(); }
  bool of_edges() const noexcept { return !edges_.empty(); }

  /// Returns the elements that declare the attributes, before vertices and edges.
  std::string declared() const;
  /// Returns the cells of a header, each behind a comma.
  std::string header_cells() const;

  /// Appends the attributes of the vertex with the i-th smallest label.
  void append_vertex(std::string& text, std::uint64_t i) const;
  /// Appends the attributes of edge e, within its element or at the end of its line.
  void append_edge(std::string& text, std::uint64_t e) const;

  /// Returns what the format does not keep of columns that it holds: each loss in a line.
  std::vector<std::string> lost(bool weighted) const;

 private:
  struct written {
    const column* values;
    std::string name;  ///< as the format has it
    bool as_text;      ///< its values are texts there
  };
  using columns = std::vector<written>;

  /// True for a column that holds places along an axis, where the format has a column for them.
  static bool is_place(const written& c) noexcept;
  /// True if the line of this vertex begins with places.
  bool has_places(std::uint64_t row) const noexcept;
  void append_pair(std::string& text, const written& c, std::string_view value, std::uint64_t row) const;
  void append_values(std::string& text, const columns& all, std::string_view key, std::uint64_t row) const;
  std::string declared(const columns& all, bool edges) const;
  columns named(const column_list& list, bool edges) const;
  void check(const column& c) const;

  std::span<const vertex_attribute> found_;
  file_format format_;
  columns vertices_;
  columns edges_;
};

}  // namespace callisto::graph
