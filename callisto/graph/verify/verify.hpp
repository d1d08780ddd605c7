// Checks of results by means that differ from the kernels': sequential, without Callisto's loops, and simple.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/distance/diameter.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/triangles/clustering.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace callisto::graph {

/// Thrown by a check that finds a result wrong; what() says where.
class CALLISTO_API wrong_result : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Checks a breadth-first search from `source` to `depth` against one with a queue: distances, if there are any, and
/// that each parent is one level nearer along an arc of the graph. Takes 12 bytes a vertex. Throws wrong_result.
template <class Vertex>
CALLISTO_API void verify_bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_result<Vertex>& result,
                             std::uint32_t depth = std::numeric_limits<std::uint32_t>::max());

/// Checks shortest paths from `source` against Dijkstra's algorithm with a binary heap. Takes 8 bytes a vertex, and 16
/// for each entry of the heap. Throws wrong_result.
template <class Vertex>
CALLISTO_API void verify_sssp(const csr_graph<Vertex>& graph, std::uint64_t source, const sssp_result& result);

/// Checks components against a search from each vertex that none before has reached. Takes 9 bytes a vertex. Throws
/// wrong_result.
template <class Vertex>
CALLISTO_API void verify_components(const csr_graph<Vertex>& graph, const component_map<Vertex>& map);

/// Checks strongly connected components by Kosaraju's algorithm (Sharir 1981), which is two depth-first searches. Takes
/// 29 bytes a vertex. Throws wrong_result.
template <class Vertex>
CALLISTO_API void verify_strong_components(const csr_graph<Vertex>& graph, const component_map<Vertex>& map);

/// Checks coreness by the algorithm of Batagelj and Zaversnik (2003), which peels vertex by vertex. Takes 16 bytes a
/// vertex (28 with 64-bit vertices). Throws wrong_result.
template <class Vertex>
CALLISTO_API void verify_kcore(const csr_graph<Vertex>& graph, const kcore_result& result);

/// Checks triangles and coefficients against for_each_triangle(). Takes 4 bytes an edge (8 with 64-bit vertices) and 24
/// a vertex. Throws wrong_result; cancelled.
template <class Vertex>
CALLISTO_API void verify_clustering(const csr_graph<Vertex>& graph, const clustering_result& result,
                                    const run_control& control = {});

/// Checks a diameter by a search with a queue from every vertex of the largest component. With fewer `searches` than
/// vertices, checks only that none contradicts the bounds. Takes 16 bytes a vertex. Throws wrong_result; cancelled.
template <class Vertex>
CALLISTO_API void verify_diameter(const csr_graph<Vertex>& graph, const diameter_result& result,
                                  std::uint64_t searches = std::numeric_limits<std::uint64_t>::max(),
                                  const run_control& control = {});

}  // namespace callisto::graph
