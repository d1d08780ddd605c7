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
  double delta = 0;  ///< width of a bucket, above 0; 0: chosen from the graph
};

struct sssp_result {
  static constexpr double unreached = distance_map::unreached;

  distance_map distances;         ///< by vertex: the least sum of weights from the source, or `unreached`
  std::uint64_t reached = 0;      ///< vertices with a distance
  double eccentricity = 0;        ///< the largest distance
  std::uint64_t relaxations = 0;  ///< arcs looked at to shorten a distance
  std::uint64_t shortened = 0;    ///< times that this succeeded
};

/// A weighted graph made ready for searches for shortest paths, which must outlive it.
///
/// The method is delta-stepping (Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. of
/// Algorithms 2003): vertices wait in buckets by their tentative distance, and a bucket's vertices are relaxed in
/// parallel. Light arcs are gathered in rows of their own first, and buckets are stepped through with these alone. Then
/// the heavy ones are relaxed once, all together, in whichever direction skips most of them (as Chakaravarthy et al.,
/// IPDPS'14, prune them bucket by bucket), and what became shorter is followed over all arcs. Threads empty small
/// buckets of their own without meeting the others (bucket fusion: Zhang et al., CGO'20). Where a vertex has few arcs,
/// as on road networks, all arcs are light and no rows are made.
///
/// Distances are kept in 32 bits where all weights are whole and no path can be longer, else as doubles. Either way the
/// result is, to the last bit, the least of the sums along paths, added from the source on, whatever threads do.
///
/// Memory: 16 bytes a vertex, and 10 for each light arc, about a fifth (twice that with doubles or 64-bit
/// vertices); a search 4 or 8 a vertex, which become its result, and 8 or 16 for each vertex that waits in a bucket.
template <class Vertex>
class CALLISTO_API sssp_search {
 public:
  /// Looks at every weight, unless the graph knows of them. Throws usage_error if the graph has no weights, or one that
  /// is negative or no number, or options.delta is not above 0; cancelled; std::bad_alloc.
  explicit sssp_search(const csr_graph<Vertex>& graph, const sssp_options& options = {}, const run_control& ctx = {});
  sssp_search(sssp_search&&) noexcept;
  sssp_search& operator=(sssp_search&&) noexcept;
  ~sssp_search();

  double delta() const noexcept;              ///< the width of buckets
  double light() const noexcept;              ///< heavy arcs weigh more than this; infinity if there are none
  std::uint64_t light_arcs() const noexcept;  ///< those gathered in rows of their own

  /// The distances from `source`. One search at a time. Throws usage_error if `source` is not a vertex or a distance is
  /// larger than any double, cancelled, and std::bad_alloc.
  sssp_result from(std::uint64_t source, const run_control& ctx = {});

  class implementation;

 private:
  std::unique_ptr<implementation> implementation_;
};

/// One search. It begins as Dijkstra's, by one thread; that is all where the source reaches little, as many do in
/// directed graphs, and takes no time and next to no memory for the rest of the graph. Else it begins again as
/// delta-stepping, and gathers light arcs only when it has reached an eighth of a directed graph, and not where these
/// led far, as on web graphs. Throws what sssp_search does.
template <class Vertex>
CALLISTO_API sssp_result sssp(const csr_graph<Vertex>& graph, std::uint64_t source, const sssp_options& options = {},
                              const run_control& ctx = {});

namespace needs {
/// Bytes that sssp() took at most, beyond the graph, on all graphs tried; its lists have no useful bound.
CALLISTO_API std::uint64_t sssp(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
