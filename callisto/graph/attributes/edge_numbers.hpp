// The number of an edge: the row of the columns of edges that belongs to it.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::graph {

/// Edges in the order of the rows of out-edges: of a directed graph number e is arc e; of an undirected graph an edge
/// counts where it leads to no smaller vertex. Thread-safety: any number of threads may read.
template <class Vertex>
class edge_numbers {
 public:
  /// `graph` must outlive this object. Time: constant; of an undirected graph a binary search a row.
  explicit edge_numbers(const csr_graph<Vertex>& graph) : graph_(graph) {
    if (graph.directed()) return;
    first_ = machine::page_array<std::uint64_t>(graph.vertices() + 1, machine::page_kind::small);
    for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
      first_[v + 1] = first_[v] + graph.out().offsets[v + 1] - begin(v);
    }
  }

  std::uint64_t size() const noexcept { return graph_.directed() ? graph_.arcs() : first_[graph_.vertices()]; }

  /// Returns the first arc of row v that has a number; the arcs behind it have one, too.
  std::uint64_t begin(std::uint64_t v) const noexcept {
    const std::uint64_t first = graph_.out().offsets[v];
    if (graph_.directed()) return first;
    const auto row = graph_.out().row(v);
    return first + static_cast<std::uint64_t>(std::lower_bound(row.begin(), row.end(), v) - row.begin());
  }

  /// Returns the number of begin(v).
  std::uint64_t first(std::uint64_t v) const noexcept {
    return graph_.directed() ? graph_.out().offsets[v] : first_[v];
  }

 private:
  const csr_graph<Vertex>& graph_;
  machine::page_array<std::uint64_t> first_;  ///< of an undirected graph: by vertex
};

}  // namespace callisto::graph
