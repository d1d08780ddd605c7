// Shortest paths from one vertex over weighted arcs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/distance_map.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <memory>

namespace callisto::graph {

struct sssp_options {
  double delta = 0;  ///< width of a bucket, in units of weight; 0: chosen from the graph
};

struct sssp_result {
  static constexpr double unreached = distance_map::unreached;

  distance_map distances;         ///< by vertex: the least sum of weights on a path from the source, or `unreached`
  std::uint64_t reached = 0;      ///< vertices with a distance
  double eccentricity = 0;        ///< the largest distance
  std::uint64_t relaxations = 0;  ///< arcs looked at to shorten a distance
  std::uint64_t shortened = 0;    ///< relaxations that did
};

/// A weighted graph, prepared for searches for shortest paths. The graph must outlive it.
///
/// The method is delta-stepping (Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. of
/// Algorithms 2003): vertices wait in buckets by their tentative distance, and the vertices of a bucket are relaxed in
/// parallel. Light arcs are first gathered in separate rows, and the buckets are emptied with these alone. Then all
/// heavy arcs are relaxed once, in the direction that skips most of them (Chakaravarthy et al., IPDPS'14, choose so for
/// each bucket), and shortened distances are followed over all arcs. A thread empties its small buckets without waiting
/// for other threads (bucket fusion: Zhang et al., CGO'20). Where vertices have few arcs, as on road networks, all arcs
/// are light and no rows are made.
///
/// Distances take 32 bits if all weights are whole and no path can be longer; otherwise they are doubles. Either way
/// the result is, to the last bit, the least of the sums along paths, added from the source on, in any order of
/// threads.
///
/// Memory: 16 bytes a vertex, and 10 for each light arc, about a fifth of the arcs; twice that with doubles or 64-bit
/// vertices. A search takes 4 or 8 bytes a vertex, which become its result, and 8 or 16 for each entry in a bucket.
template <class Vertex>
class CALLISTO_API sssp_search {
 public:
  /// Surveys every weight, unless the graph has a survey already. Throws usage_error if the graph has no weights, or a
  /// weight that is negative or no number, or if options.delta is not above 0; cancelled; std::bad_alloc.
  explicit sssp_search(const csr_graph<Vertex>& graph, const sssp_options& options = {},
                       const run_control& control = {});
  sssp_search(sssp_search&&) noexcept;
  sssp_search& operator=(sssp_search&&) noexcept;
  ~sssp_search();

  double delta() const noexcept;              ///< width of a bucket
  double light() const noexcept;              ///< arcs of more weight are heavy; infinity if no arc is
  std::uint64_t light_arcs() const noexcept;  ///< arcs in the rows of light arcs

  /// Returns the distances from `source`. Not thread-safe: one search at a time. Throws usage_error if `source` is not
  /// a vertex or a distance is larger than any double; cancelled; std::bad_alloc.
  sssp_result from(std::uint64_t source, const run_control& control = {});

  class implementation;

 private:
  std::unique_ptr<implementation> implementation_;
};

/// Searches once from `source`. Begins with Dijkstra's algorithm on one thread, which takes no time, and nearly no
/// memory, for vertices that it does not meet: in directed graphs many sources reach little. If the source reaches
/// more, begins again with delta-stepping. This gathers light arcs only after an eighth of a directed graph's arcs, and
/// not if the arcs so far have led far, as on web graphs. Throws as sssp_search does.
template <class Vertex>
CALLISTO_API sssp_result sssp(const csr_graph<Vertex>& graph, std::uint64_t source, const sssp_options& options = {},
                              const run_control& control = {});

namespace needs {
/// Bytes that sssp() took at most, beyond the graph, on all graphs tried; its lists have no useful bound.
CALLISTO_API std::uint64_t sssp(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
