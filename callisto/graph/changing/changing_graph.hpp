// A graph that changes: rows that edges are put into and taken out of.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace callisto::graph {

/// A graph with labelled vertices and weighted edges, each at most once. Between changes any number of threads may
/// read; a change has the graph to itself. 16 bytes an arc in each of its rows.
class CALLISTO_API changing_graph {
 public:
  struct arc {
    std::uint32_t to;
    double weight;
  };
  using row = std::vector<arc>;

  explicit changing_graph(bool directed) : directed_(directed) {}

  /// Takes over a graph's vertices, labels and edges; without weights each is 1. Of repeated arcs the lightest stays.
  /// Throws usage_error if it has more than 2^32 - 2 vertices, or a weight that is negative or not finite.
  explicit changing_graph(const any_graph& from);

  bool directed() const noexcept { return directed_; }
  std::uint32_t vertices() const noexcept { return static_cast<std::uint32_t>(out_.size()); }
  /// Edges; a directed graph's arcs.
  std::uint64_t edges() const noexcept { return edges_; }
  /// Arcs that leave a vertex, or come to it, by the other end.
  const row& out(std::uint32_t v) const noexcept { return out_[v]; }
  const row& in(std::uint32_t v) const noexcept { return directed_ ? in_[v] : out_[v]; }

  std::uint64_t label(std::uint32_t v) const noexcept { return labels_[v]; }
  /// Returns the vertex of a label, if there is one.
  std::optional<std::uint32_t> find(std::uint64_t label) const;
  /// Returns the vertex of a label, which it makes if there is none. Throws usage_error beyond 2^32 - 2 vertices.
  std::uint32_t vertex(std::uint64_t label);

  /// Returns the weight of the arc from u to v, if there is one.
  std::optional<double> weight(std::uint32_t u, std::uint32_t v) const noexcept;

  /// A change of one arc or edge.
  struct change {
    std::uint32_t from;
    std::uint32_t to;
    std::optional<double> before;  ///< the edge's weight; none: it was not there
    std::optional<double> after;   ///< none: it is no longer there
  };
  /// Puts an edge in, or gives it another weight, or takes it out if there is no weight. Throws usage_error for a
  /// weight that is negative or not finite.
  change set(std::uint32_t u, std::uint32_t v, std::optional<double> weight);

 private:
  static void set_arc(row& of, std::uint32_t to, std::optional<double> weight);

  bool directed_;
  std::uint64_t edges_ = 0;
  std::vector<row> out_;  ///< ascending
  std::vector<row> in_;   ///< of a directed graph
  std::vector<std::uint64_t> labels_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_label_;
};

}  // namespace callisto::graph
