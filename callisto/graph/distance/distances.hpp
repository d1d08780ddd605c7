// The distribution of distances, from a sample of sources, and bounds of the diameter.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

struct distances_options {
  std::uint64_t sources = 32;  ///< searches, besides two for the diameter
  std::uint64_t seed = 1;      ///< of the random choice of sources
};

/// Distances in the largest component, in edges; arcs count in both directions.
struct distance_sample {
  std::uint64_t vertices = 0;       ///< of the largest component
  std::uint64_t sources = 0;        ///< number of sources searched from
  std::vector<std::uint64_t> at;    ///< at[d]: pairs of a source and a vertex at distance d; at[0] is `sources`
  std::uint32_t diameter_low = 0;   ///< the largest distance found: the diameter is at least this
  std::uint32_t diameter_high = 0;  ///< twice the smallest eccentricity found: the diameter is at most this

  /// Returns the mean distance of a source and another vertex; 0 if there is no such pair.
  CALLISTO_API double mean() const noexcept;
  /// Returns the least distance that at least this share of the pairs of different vertices do not exceed. The share
  /// must be in (0, 1].
  CALLISTO_API std::uint32_t within(double share) const noexcept;
};

/// Searches from `options.sources` random vertices of the largest component of `map`, or from all its vertices if it
/// has no more. Searches also from its vertex of highest degree, and then from one farthest from that: the double
/// sweep, which finds the diameter of a tree and of most real networks (Magnien, Latapy and Habib, "Fast computation of
/// empirically tight bounds for the diameter of massive graphs", J. of Experimental Algorithmics 2009).
///
/// From all vertices of an undirected graph 64 searches run as one (bit_search.hpp), and the diameter is certain.
///
/// Cost: a breadth-first search a source, with its memory (bfs.hpp). Reports searches as progress. Throws as
/// undirected_bfs does.
template <class Vertex>
CALLISTO_API distance_sample sample_distances(const csr_graph<Vertex>& graph, const component_map<Vertex>& map,
                                              const distances_options& options = {}, const run_control& control = {});

namespace needs {
/// Returns the bytes that sample_distances() and the components() before it take at most beyond the graph, their
/// results included.
CALLISTO_API std::uint64_t distances(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
