// Distances from one vertex, kept up to date while the graph changes (after Ramalingam and Reps, J. of Algorithms
// 1996).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace callisto::graph {

/// Distances of all vertices from `source`: the least sum of weights on a path, added from the source on, as sssp()
/// has it; or the least number of arcs. The graph outlives it; changes of the graph and calls take turns.
///
/// An edge that is put in or gets lighter shortens distances: a vertex with a distance that falls looks at its
/// neighbours. If an edge is taken out or gets heavier, the vertices that no other shortest path reaches are found
/// first, then they get new distances from their neighbours. Both cost what changes, not the graph. It takes 20 bytes a
/// vertex.
class CALLISTO_API changing_distances {
 public:
  static constexpr double unreached = std::numeric_limits<double>::infinity();

  /// Computes all distances. `weighted`: false counts arcs. Throws std::bad_alloc; cancelled.
  changing_distances(const changing_graph& graph, std::uint32_t source, bool weighted, const run_control& control = {});
  ~changing_distances();
  changing_distances(changing_distances&&) noexcept;
  changing_distances& operator=(changing_distances&&) noexcept;

  std::uint32_t source() const noexcept;
  /// Returns the distance of v, or `unreached`.
  double operator[](std::uint32_t v) const noexcept;

  /// Brings all distances up to date after these changes of the graph, which were made since the last call. Returns the
  /// vertices with other distances than before, ascending.
  std::vector<std::uint32_t> update(std::span<const changing_graph::change> changes);

  /// Tasks that ran in all updates.
  std::uint64_t tasks() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace callisto::graph
