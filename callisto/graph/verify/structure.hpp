// Checks of forests, trusses, greedy structures, similarities, eccentricities, clustering and walks.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/distance/eccentricities.hpp>
#include <callisto/graph/forest/spanning_forest.hpp>
#include <callisto/graph/greedy/colouring.hpp>
#include <callisto/graph/greedy/independent_set.hpp>
#include <callisto/graph/greedy/matching.hpp>
#include <callisto/graph/similarity/similarity.hpp>
#include <callisto/graph/triangles/valued_clustering.hpp>
#include <callisto/graph/truss/truss.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace callisto::graph {

// Each check throws wrong_result if the result is wrong.

/// Checks a spanning forest against Kruskal's algorithm. Takes 32 bytes an arc.
template <class Vertex>
CALLISTO_API void verify_forest(const csr_graph<Vertex>& graph, const forest_options& options,
                                const forest_result& result);

/// Checks trussness by peeling edge by edge, with a heap. Takes 48 bytes an edge. Throws cancelled.
template <class Vertex>
CALLISTO_API void verify_truss(const csr_graph<Vertex>& graph, const truss_result<Vertex>& result,
                               const run_control& control = {});

/// Checks an independent set against the loop over vertices in the order of the seed.
template <class Vertex>
CALLISTO_API void verify_independent_set(const csr_graph<Vertex>& graph, const independent_set_options& options,
                                         const independent_set_result& result);

/// Checks that neighbours have different colours, and that each vertex has neighbours of all smaller colours than its
/// own.
template <class Vertex>
CALLISTO_API void verify_colouring(const csr_graph<Vertex>& graph, const colouring_result& result);

/// Checks that partners are neighbours, that no edge has two single ends, and with heaviest_first that no edge is
/// heavier than the edges taken at both of its ends.
template <class Vertex>
CALLISTO_API void verify_matching(const csr_graph<Vertex>& graph, const matching_options& options,
                                  const matching_result<Vertex>& result);

/// Checks eccentricities by a search from each of `searches` vertices, evenly spread. Takes 8 bytes a vertex. Throws
/// cancelled.
template <class Vertex>
CALLISTO_API void verify_eccentricities(const csr_graph<Vertex>& graph, const eccentricity_options& options,
                                        const eccentricity_result& result,
                                        std::uint64_t searches = std::numeric_limits<std::uint64_t>::max(),
                                        const run_control& control = {});

/// Checks coefficients by their definition, within a 1e-9th. Throws cancelled.
template <class Vertex>
CALLISTO_API void verify_valued_clustering(const csr_graph<Vertex>& graph, const valued_clustering_options& options,
                                           const valued_clustering_result& result, const run_control& control = {});

/// Checks the pairs of `vertices` vertices, evenly spread, by counting all common neighbours: pairs at least as alike
/// as `threshold`, and if `most` is not 0, the `most` best pairs of each vertex, in both of which it may be first.
template <class Vertex>
CALLISTO_API void verify_similarity(const csr_graph<Vertex>& graph, double threshold, std::uint64_t most,
                                    const similarity_options& options, std::span<const similar_pair> result,
                                    std::uint64_t vertices = std::numeric_limits<std::uint64_t>::max(),
                                    const run_control& control = {});

/// Checks the similarity of each pair by its definition.
template <class Vertex>
CALLISTO_API void verify_similarity_of_pairs(const csr_graph<Vertex>& graph, similarity_measure measure,
                                             std::span<const similar_pair> pairs);

/// Checks predicted links: that each has its similarity and no edge, and that no pair with one of up to `vertices`
/// vertices, spread evenly, is more alike and left out.
template <class Vertex>
CALLISTO_API void verify_predicted_links(const csr_graph<Vertex>& graph, std::uint64_t count,
                                         const similarity_options& options, std::span<const similar_pair> result,
                                         std::uint64_t vertices = std::numeric_limits<std::uint64_t>::max(),
                                         const run_control& control = {});

/// Checks that a walk follows arcs of the graph, of weight above 0 if `weighted`.
template <class Vertex>
CALLISTO_API void verify_walk(const csr_graph<Vertex>& graph, bool weighted, std::span<const Vertex> walk);

}  // namespace callisto::graph
