// Collects vertices and edges of a file that one thread reads in order: the formats that declare vertices by id and may
// call them otherwise, too.
#pragma once

#include <callisto/graph/construction/names.hpp>
#include <callisto/graph/files/formats/collected_columns.hpp>
#include <callisto/graph/files/formats/formats.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::formats {

/// Kind of the owner of an attribute.
enum class attribute_of { vertices, edges };

/// The vertices and edges of one file. Thread-safety: one thread.
class collector {
 public:
  explicit collector(const input::source& from) : from_(from) {}
  /// `wanted` says which attributes are kept.
  collector(const input::source& from, const attribute_choice& wanted) : from_(from), wanted_(wanted) {}

  /// Returns the number of the vertex with this id, which becomes a vertex if it is none yet.
  std::uint32_t vertex(std::string_view id) { return ids_.number_of(id); }

  /// Returns the same for an id in the list of vertices. `report` tells of ids that are listed twice, and of ends of
  /// edges that are not listed, if any are.
  std::uint32_t declare(std::string_view id);

  /// Notes that the file has an attribute that is not used, for `report` to tell.
  void leave_out(attribute_of of, std::string_view name);

  /// Declares an attribute, if it is wanted. `usual`: the value of vertices or edges without one.
  void declare_attribute(attribute_of of, std::string_view name, std::optional<column_type> type,
                         std::optional<std::string> usual) {
    if (wanted_.has(name)) columns_[static_cast<std::size_t>(of)].declare(name, type, std::move(usual));
  }

  /// Sets an attribute of a vertex or of the edge of this number, which is edges() for the next one, if it is wanted;
  /// else notes that it is left out.
  void set_attribute(attribute_of of, std::uint64_t row, std::string_view name, std::string_view value,
                     std::optional<column_type> type = {}) {
    if (wanted_.has(name)) {
      columns_[static_cast<std::size_t>(of)].set(name, row, value, type);
    } else {
      leave_out(of, name);
    }
  }

  /// Returns the number of edges so far.
  std::uint64_t edges() const noexcept { return edges_.size(); }

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

  /// Returns the list. Vertices are called by their labels if at least half have a unique label, else by their ids.
  /// Among labels, a vertex without one is called by its id; one that shares its label, by both.
  /// Where some edges have directions and some do not, edges without a direction become two arcs; `report` tells. If
  /// there is no edge, `directed` decides. Throws input_error if there is no vertex.
  any_edge_list finish(bool directed, const read_options& options, const run_control& control, read_report& report);

 private:
  /// Returns what vertices are called; `report` tells where labels do not do. Empties ids_ or not.
  name_table names(read_report& report);
  void tell_declared(read_report& report) const;
  void tell_left_out(read_report& report) const;

  const input::source& from_;
  attribute_choice wanted_;
  std::array<collected_columns, 2> columns_;  ///< by attribute_of
  name_table ids_;
  std::vector<bool> declared_;  ///< by vertex; empty if no vertex is listed
  std::uint64_t listed_ = 0;    ///< vertices that are listed
  std::uint64_t repeated_ = 0;  ///< times that a vertex is listed again
  std::uint32_t first_repeated_ = 0;
  std::array<std::set<std::string, std::less<>>, 2> left_out_;  ///< by attribute_of
  std::vector<std::optional<std::string>> labels_;
  std::vector<edge<std::uint32_t>> edges_;
  std::vector<double> weights_;
  std::vector<bool> directed_;
  bool arcs_ = false;   ///< an edge is directed
  bool lines_ = false;  ///< an edge is undirected
  bool weighted_ = false;
};

}  // namespace callisto::graph::formats
