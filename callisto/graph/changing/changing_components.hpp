// Connected components, kept up to date while the graph changes.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace callisto::graph {

/// The component of every vertex; arcs of a directed graph count in both directions. The graph outlives it; changes of
/// the graph and calls take turns.
///
/// An edge between two components gives the vertices of the smaller one the name of the larger: each vertex at most
/// log2(n) times, if edges only come. When edges go, searches from their ends take turns until one is left: searches
/// that meet go on as one, and a search that has seen all that it can reach is a component. So the cost is that of all
/// parts but the largest. One thread does it.
class CALLISTO_API changing_components {
 public:
  /// Finds all components. Throws std::bad_alloc; cancelled.
  explicit changing_components(const changing_graph& graph, const run_control& control = {});

  /// Returns the smallest vertex of v's component.
  std::uint32_t operator[](std::uint32_t v) const noexcept;
  std::uint64_t count() const noexcept { return parts_.size(); }
  /// Vertices of v's component.
  std::uint64_t size(std::uint32_t v) const noexcept;

  /// Brings all up to date after these changes, which were made since the last call. Returns the vertices that have
  /// changed from one component's list to another component's, ascending.
  std::vector<std::uint32_t> update(std::span<const changing_graph::change> changes);

 private:
  struct part {
    std::uint64_t size;
    std::uint32_t smallest;
  };
  void add_vertices();
  void join(std::uint32_t u, std::uint32_t v);
  void part_ways(std::uint32_t name, const std::vector<std::uint32_t>& ends);
  void move(const std::vector<std::uint32_t>& vertices, std::uint32_t to);
  std::vector<std::uint32_t> component_of(std::uint32_t v) const;
  template <class F>
  void for_each_neighbour(std::uint32_t v, F f) const;

  const changing_graph* graph_;
  std::vector<std::uint32_t> name_;  ///< by vertex: its component's key in parts_
  std::unordered_map<std::uint32_t, part> parts_;
  std::uint32_t next_name_ = 0;
  std::vector<std::uint32_t> moved_;
};

}  // namespace callisto::graph
