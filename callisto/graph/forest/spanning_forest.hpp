// The minimum spanning forest: the lightest edges that connect all that is connected.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

struct forest_options {
  bool heaviest = false;  ///< the maximum spanning forest instead
};

/// An edge of a forest, its smaller end first.
struct forest_edge {
  std::uint64_t from;
  std::uint64_t to;
  double weight;

  friend bool operator==(const forest_edge&, const forest_edge&) noexcept = default;
};

struct forest_result {
  std::vector<forest_edge> edges;  ///< ascending by ends
  double weight = 0;               ///< their sum
  std::uint64_t trees = 0;         ///< connected components, single vertices included
};

/// Finds the minimum spanning forest of `graph`: of each connected component a tree of least weight. Arcs count as
/// edges in both directions; loops play no part; of edges that join the same vertices the lightest counts. Without
/// weights all edges weigh 1. Weights may be negative. Of edges of equal weight the one with the smaller ends is taken
/// first, as by Kruskal's algorithm, so that the forest depends on the graph alone.
///
/// Method: Boruvka's algorithm (1926). Each tree takes the lightest edge that leaves it, all trees in parallel; edges
/// inside of a tree are dropped from the rows after each round (filtering, as by Osipov, Sanders and Singler,
/// ALENEX'09).
///
/// Time: arcs times the logarithm of vertices at most. Memory: 36 bytes a vertex (44 with 64-bit vertices), 24 for each
/// edge of the forest, and from the second round on 8 (16) for each arc between trees. Reports vertices as progress.
/// Throws usage_error for a weight that is no number, and for a directed graph without the rows of its in-edges;
/// cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API forest_result spanning_forest(const csr_graph<Vertex>& graph, const forest_options& options = {},
                                           const run_control& control = {});

namespace needs {
/// Returns the bytes that spanning_forest() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t spanning_forest(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
