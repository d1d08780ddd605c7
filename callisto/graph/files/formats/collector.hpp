// Collects vertices and edges of a file that one thread reads in order: the formats that declare vertices by id and may
// call them otherwise, too.
#pragma once

#include <callisto/graph/construction/names.hpp>
#include <callisto/graph/files/formats/formats.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::formats {

/// The vertices and edges of one file. Thread-safety: one thread.
class collector {
 public:
  explicit collector(const input::source& from) : from_(from) {}

  /// Returns the number of the vertex with this id, which becomes a vertex if it is none yet.
  std::uint32_t vertex(std::string_view id) { return ids_.number_of(id); }

  /// Says what people call a vertex.
  void call(std::uint32_t vertex, std::string_view label) {
    if (labels_.size() <= vertex) labels_.resize(vertex + std::size_t{1});
    labels_[vertex] = std::string(label);
  }

  /// Adds an edge; without a weight it counts 1.
  void add(std::uint32_t from, std::uint32_t to, bool directed, std::optional<double> weight) {
    edges_.push_back({from, to});
    directed_.push_back(directed);
    (directed ? arcs_ : lines_) = true;
    weighted_ = weighted_ || weight.has_value();
    weights_.push_back(weight.value_or(1));
  }

  /// Returns the list. Vertices are called by their labels if at least half have one of their own, else by their ids.
  /// Among labels, a vertex without one is called by its id; one that shares its label, by both.
  /// Where some edges have directions and some do not, those without become two arcs; `report` tells. If there is no
  /// edge, `directed` decides. Throws input_error if there is no vertex.
  any_edge_list finish(bool directed, const read_options& options, const run_control& control, read_report& report);

 private:
  /// Returns what vertices are called; `report` tells where labels do not do. Empties ids_ or not.
  name_table names(read_report& report);

  const input::source& from_;
  name_table ids_;
  std::vector<std::optional<std::string>> labels_;
  std::vector<edge<std::uint32_t>> edges_;
  std::vector<double> weights_;
  std::vector<bool> directed_;
  bool arcs_ = false;   ///< an edge is directed
  bool lines_ = false;  ///< an edge is undirected
  bool weighted_ = false;
};

}  // namespace callisto::graph::formats
