// Paths between two vertices: a shortest one, all shortest ones, and the k shortest without repeated vertices.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace callisto::graph {

/// The length of a path.
struct pair_options {
  bool weighted = false;  ///< the sum of the weights of its arcs; else their number
};

/// A path between two vertices. Of repeated arcs it takes the shortest.
struct pair_path {
  double length = std::numeric_limits<double>::infinity();  ///< summed from the first vertex on; infinity: no path
  std::vector<std::uint64_t> vertices;                      ///< from the first to the last; empty if there is no path
};

struct pair_result {
  pair_path path;
  std::uint64_t looked_at = 0;  ///< arcs
};

/// Returns a shortest path from `source` to `target`. Which of several depends on the graph and the two alone.
///
/// Method: searches from both ends, breadth-first (Pohl 1971) or by Dijkstra's algorithm (Nicholson 1966). The side
/// with the cheaper next step goes on. One thread searches, and takes time and memory for what it meets only.
///
/// Throws usage_error if a vertex is none of the graph's, or if a directed graph lacks the rows of its in-edges, or if
/// `weighted` and the graph has no weights; weight_error for negative, infinite and NaN weights; cancelled;
/// std::bad_alloc. So do the functions below.
template <class Vertex>
CALLISTO_API pair_result path_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                      const pair_options& options = {}, const run_control& control = {});

/// Returns a shortest path from `source` to `target`, as path_between() does, by one search that looks first where the
/// straight way is short: A* (Hart, Nilsson and Raphael 1968). `x`, `y`: by vertex its place. No arc is shorter than
/// the straight way between its ends times a factor, which a look at all arcs finds. So any places give a shortest
/// path, and the better they fit the lengths, the less is looked at.
///
/// Throws usage_error, too, if there are other numbers of places than vertices, or one is infinite or NaN.
template <class Vertex>
CALLISTO_API pair_result guided_path_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                             std::span<const double> x, std::span<const double> y,
                                             const pair_options& options = {}, const run_control& control = {});

struct all_pair_paths {
  double length = std::numeric_limits<double>::infinity();
  /// How many shortest paths there are, by their vertices: exact up to 2^53; infinity above 1.8e308.
  double count = 0;
  std::uint64_t vertices = 0;  ///< those on shortest paths
  std::uint64_t arcs = 0;      ///< those on shortest paths, repeated ones once
  /// The first `limit` paths; of two, the one that has the vertex of smaller label where they part comes first.
  std::vector<std::vector<std::uint64_t>> paths;
};

/// Finds all shortest paths. Lengths that differ by no more than `tie_tolerance` of them are equal.
///
/// Method: numbers of arcs from both ends, breadth-first, until the searches meet; lengths by Dijkstra's algorithm from
/// `source` until `target` and all that is as near are settled. Counts follow from the arcs on shortest paths.
///
/// Throws weight_error, too, if arcs of length 0 on shortest paths form a cycle, for a walk could go round it forever.
template <class Vertex>
CALLISTO_API all_pair_paths all_paths_between(const csr_graph<Vertex>& graph, std::uint64_t source,
                                              std::uint64_t target, std::uint64_t limit,
                                              const pair_options& options = {}, const run_control& control = {});

/// Returns the k shortest paths without repeated vertices, or all if there are fewer. Shorter paths come first; of two
/// equally long ones, the one that has the vertex of smaller label where they part, unless arcs of length 0 are on such
/// paths. The result depends on the graph and the arguments alone.
///
/// Method: Yen (1971) with Lawler's change (1972): the paths that are left are divided by where they part from the
/// paths found. A division waits with a lower bound, and is searched when no path and no other bound is smaller
/// (lazily, as Kurz and Mutzel 2016 do). The bounds are distances to `target`, from one search against the arcs; they
/// also guide the searches (A*). With whole numbers as lengths, most divisions need no search: the tree of shortest
/// paths to `target` has their answer. Divisions that wait together are searched in parallel.
template <class Vertex>
CALLISTO_API std::vector<pair_path> k_paths_between(const csr_graph<Vertex>& graph, std::uint64_t source,
                                                    std::uint64_t target, std::uint64_t k,
                                                    const pair_options& options = {}, const run_control& control = {});

namespace needs {
/// Returns the bytes that path_between() takes at most beyond the graph.
CALLISTO_API std::uint64_t path_between(const any_graph& graph, const pair_options& options) noexcept;
/// Return the bytes that all_paths_between() and k_paths_between() take at most beyond the graph, without the paths.
CALLISTO_API std::uint64_t all_paths_between(const any_graph& graph, const pair_options& options) noexcept;
CALLISTO_API std::uint64_t k_paths_between(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
