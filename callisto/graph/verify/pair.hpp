// Checks of paths between two vertices.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Checks a shortest path: its arcs are the graph's, and it is as long as Dijkstra's algorithm with a heap says. Takes
/// 8 bytes a vertex. Throws wrong_result, as all functions here.
template <class Vertex>
CALLISTO_API void verify_path_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                      const pair_options& options, const pair_path& path);

/// Checks all shortest paths: their number by distances from both ends, and that those listed are shortest paths, in
/// order. `limit` is what the search was given. Takes 32 bytes a vertex.
template <class Vertex>
CALLISTO_API void verify_all_paths_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                           std::uint64_t limit, const pair_options& options,
                                           const all_pair_paths& result);

/// Checks the k shortest paths: arcs, lengths and order; and by Yen's algorithm in its plain form, with a search by
/// Dijkstra's algorithm for each vertex of each path, that none is missing. That takes about as many searches.
template <class Vertex>
CALLISTO_API void verify_k_paths_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                         std::uint64_t k, const pair_options& options,
                                         const std::vector<pair_path>& paths);

}  // namespace callisto::graph
