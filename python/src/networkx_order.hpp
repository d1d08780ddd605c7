// Algorithms with answers that depend on the order of nodes and neighbours, done in NetworkX's order: paths, trees,
// greedy choices. Sequential, linear or nearly so.
#pragma once

#include "networkx_walk.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace callisto::python::networkx {

using control = graph::run_control;

/// A breadth-first search: vertices in the order in which they are found.
struct search {
  std::vector<vertex> order;        ///< the sources first
  std::vector<vertex> parents;      ///< of order[i], the vertex that found it; of a source no_vertex
  std::vector<std::size_t> levels;  ///< order[levels[d] ... levels[d + 1]) has distance d
  bool found = false;               ///< the target was found; the search ended there
};

/// Searches along `rows`, and then along `also` at each vertex if it is not null, up to distance `depth`.
search breadth_first(const ordered_rows& rows, const ordered_rows* also, std::span<const vertex> sources,
                     std::uint64_t depth, vertex target, const control& control);

/// Returns the components, each in breadth-first order from its first vertex, as one sequence and where each begins.
/// Arcs count in both directions if `also` is not null.
search all_components(const ordered_rows& rows, const ordered_rows* also, const control& control);

/// Returns the path that NetworkX's bidirectional search finds; empty if there is none.
std::vector<vertex> bidirectional(const ordered_rows& out, const ordered_rows& in, vertex source, vertex target,
                                  const control& control);

/// Returns the strongly connected components as one sequence and where each begins, in the order in which the search of
/// Nuutila and Soisalon-Soininen (Information Processing Letters 1994) ends them.
search strong_components_in_order(const ordered_rows& rows, const control& control);

/// Shortest paths by Dijkstra's algorithm, over values of at least 0; of equally near vertices the one that was reached
/// first is taken first.
struct weighted_search {
  std::vector<vertex> order;                    ///< by distance
  std::vector<double> distances;                ///< of order[i]
  std::vector<vertex> parents;                  ///< by vertex, the first one at the final distance; no_vertex: none
  std::vector<std::pair<vertex, vertex>> more;  ///< (vertex, parent): the other parents, in order
  std::vector<vertex> reached;                  ///< by the time when each was reached first
};
struct weighted_options {
  double cutoff = std::numeric_limits<double>::infinity();  ///< no path is longer
  vertex target = no_vertex;                                ///< the search ends there
  bool all_parents = false;
};
weighted_search dijkstra(const ordered_rows& rows, std::span<const double> values, std::span<const vertex> sources,
                         const weighted_options& options, const control& control);

/// A path found from both of its ends; empty if there is none.
struct met_path {
  std::vector<vertex> path;
  double length = 0;
};
/// Searches as NetworkX's bidirectional_dijkstra() does, over values of at least 0. `in`: the rows of predecessors,
/// with the values of `out` if there are any: with values, both must be the same rows.
met_path bidirectional_dijkstra(const ordered_rows& out, const ordered_rows& in, std::span<const double> values,
                                vertex source, vertex target, const control& control);

/// Returns the arcs (row, index) of the forest that Kruskal's algorithm takes; of equal values the first in the order
/// of rows. Loops and the second ends of edges play no part.
std::vector<std::pair<vertex, std::uint64_t>> kruskal(const ordered_rows& rows, std::span<const double> values,
                                                      bool heaviest, const control& control);

/// Returns the edges of the matching that takes each edge, in the order of rows, if both ends are free.
std::vector<std::pair<vertex, vertex>> greedy_matching(const ordered_rows& rows, const control& control);

/// Returns colours: each vertex, in the order of falling `degrees`, gets the smallest that no neighbour has.
struct colouring {
  std::vector<vertex> order;
  std::vector<std::uint32_t> colours;  ///< by vertex
};
colouring largest_first(const ordered_rows& rows, std::span<const std::uint64_t> degrees, const control& control);

/// Returns labels by vertex: label propagation in rounds over the classes of a colouring (Cordasco and Gargano 2010).
/// Takes the largest of the most frequent labels among a vertex's neighbours, unless its own is one of these.
std::vector<vertex> propagate_labels(const ordered_rows& rows, const colouring& colours, const control& control);

/// Returns the vertices in generations, each after all generations with arcs to it; those on cycles, and behind them,
/// are left out. `copies`: by arc, how often it counts; empty: once.
search topological(const ordered_rows& rows, std::span<const double> copies, const control& control);

/// A depth-first search: vertices as they are found (preorder) and left (postorder).
struct depth_search {
  std::vector<vertex> preorder;
  std::vector<vertex> parents;  ///< of preorder[i]; of a root no_vertex
  std::vector<vertex> postorder;
};
/// Searches from `source` or, if that is no_vertex, from each vertex in turn; no path is longer than `depth`.
depth_search depth_first(const ordered_rows& rows, vertex source, std::uint64_t depth, const control& control);

/// Returns whether the vertices can have two colours, and by vertex the colour: 1 for the first of each component.
std::pair<bool, std::vector<char>> two_colours(const ordered_rows& out, const ordered_rows* in, const control& control);

}  // namespace callisto::python::networkx
