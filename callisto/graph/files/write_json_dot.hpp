// The vertices and edges of a graph as text of JSON and of DOT. For write.cpp.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/files/write_attributes.hpp>
#include <callisto/graph/files/write_text.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace callisto::graph {

/// Appends the elements of either format. Labels of the graph must ascend with its vertices. Thread-safety: any number
/// of threads may append.
template <class Vertex>
class json_and_dot {
 public:
  /// `graph` and `attributes` must outlive this object, which is of no use to other formats.
  json_and_dot(const csr_graph<Vertex>& graph, const attribute_writer& attributes, file_format format)
      : graph_(graph), attributes_(attributes) {
    if (format == file_format::node_link) first_row_ = row_of_first_edge();
    dot_labels_ = format == file_format::dot && has_backslashes();
  }

  /// Returns the begin of a JSON file, up to the list of vertices.
  std::string json_head() const {
    return std::string("{\n\"directed\": ") + (graph_.directed() ? "true" : "false") +
           ",\n\"multigraph\": " + (has_repeats() ? "true" : "false") + ",\n\"graph\": {},\n\"nodes\": [";
  }

  void append_json_vertex(std::string& text, std::uint64_t v) const {
    text += v == 0 ? "\n{\"id\": " : ",\n{\"id\": ";
    append_json_id(text, v);
    attributes_.append_vertex(text, v);
    text += '}';
  }

  void append_dot_element(std::string& text, std::uint64_t v) const {
    text += "  ";
    append_dot_vertex(text, v);
    text += " [";
    if (dot_labels_) {
      std::string name;
      graph_.append_name(name, v);
      text += "label=";
      text_of::append_dot_text(text, name);
    }
    attributes_.append_vertex(text, v);
    end_list(text);
  }

  void append_json_edge(std::string& text, std::uint64_t v, std::uint64_t a, std::uint64_t number) const {
    const std::uint64_t to = graph_.out().targets[a];
    const auto row = graph_.out().row(v);
    const auto first = graph_.directed() ? row.begin() : std::lower_bound(row.begin(), row.end(), v);
    const bool is_first =
        v == first_row_ && a == graph_.out().offsets[v] + static_cast<std::uint64_t>(first - row.begin());
    text += is_first ? "\n{\"source\": " : ",\n{\"source\": ";
    append_json_id(text, v);
    text += ", \"target\": ";
    append_json_id(text, to);
    if (graph_.weighted()) {
      text += ", \"weight\": ";
      text_of::append_weight(text, graph_.out().weights[a]);
    }
    if (attributes_.of_edges()) attributes_.append_edge(text, number);
    text += '}';
  }

  void append_dot_edge(std::string& text, std::uint64_t v, std::uint64_t to, double weight,
                       std::uint64_t number) const {
    text += "  ";
    append_dot_vertex(text, v);
    text += graph_.directed() ? " -> " : " -- ";
    append_dot_vertex(text, to);
    if (graph_.weighted() || attributes_.of_edges()) {
      text += " [";
      if (graph_.weighted()) {
        text += "weight=";
        text_of::append_dot_number(text, weight);
      }
      if (attributes_.of_edges()) attributes_.append_edge(text, number);
      end_list(text);
      return;
    }
    text += ";\n";
  }

 private:
  /// Ends the list of attributes of an element, or takes away its begin if there are none.
  static void end_list(std::string& text) {
    if (text.ends_with(" [")) {
      text.resize(text.size() - 2);
    } else {
      text += ']';
    }
    text += ";\n";
  }

  /// True if a row leads to a vertex twice.
  bool has_repeats() const {
    return parallel_reduce(
        std::uint64_t{0}, graph_.vertices(), false,
        [&](std::uint64_t v) {
          const auto row = graph_.out().row(v);
          return std::adjacent_find(row.begin(), row.end()) != row.end();
        },
        std::logical_or<>());
  }

  /// Returns the row of the first edge that is written.
  std::uint64_t row_of_first_edge() const {
    for (std::uint64_t v = 0; v < graph_.vertices(); ++v) {
      const auto row = graph_.out().row(v);
      if (!row.empty() && (graph_.directed() || row.back() >= v)) return v;
    }
    return graph_.vertices();
  }

  /// True if vertices of DOT are called by labels: an id holds backslashes in pairs only.
  bool has_backslashes() const {
    if (graph_.names() == nullptr) return false;
    const auto& bytes = graph_.names()->bytes();
    return std::string_view(bytes.data(), bytes.size()).find('\\') != std::string_view::npos;
  }

  /// Appends what JSON calls a vertex: numbers that other programs round are texts.
  void append_json_id(std::string& text, std::uint64_t v) const {
    constexpr std::uint64_t largest = std::uint64_t{1} << 53;
    const bool large = graph_.label(graph_.by_label(graph_.vertices() - 1)) > largest;
    std::string name;
    graph_.append_name(name, v);
    if (graph_.names() != nullptr || large) return text_of::append_json(text, name);
    text += name;
  }

  /// Appends the id of a vertex in DOT.
  void append_dot_vertex(std::string& text, std::uint64_t v) const {
    if (dot_labels_) return text_of::append_number(text, v);
    std::string name;
    graph_.append_name(name, v);
    text_of::append_dot_id(text, name);
  }

  const csr_graph<Vertex>& graph_;
  const attribute_writer& attributes_;
  std::uint64_t first_row_ = 0;  ///< of JSON: the row of the first edge that is written
  bool dot_labels_ = false;      ///< vertices of DOT are numbers with labels
};

}  // namespace callisto::graph
