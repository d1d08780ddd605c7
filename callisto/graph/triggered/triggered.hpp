// Graph algorithms as Domino programs (callisto/domino): each a few tasks that writes trigger. They read like their
// definitions, and are the paper's own workload for that runtime (EuroSys 2014, section 4: dom_bc). Where a kernel does
// the same, it is faster: these show and measure the runtime.
#pragma once

#include <callisto/domino/computation.hpp>
#include <callisto/export.hpp>
#include <callisto/graph/csr/distance_map.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace callisto::graph::triggered {

inline constexpr std::uint32_t unreached_level = std::numeric_limits<std::uint32_t>::max();
inline constexpr double unreached_distance = std::numeric_limits<double>::infinity();

/// Activity of a program, for measurements.
using domino::statistics;

/// Returns the distance of each vertex from `source` in arcs, or unreached_level: a phase a level. Throws usage_error
/// if `source` is not a vertex, and std::bad_alloc; so do the other functions.
template <class Vertex>
CALLISTO_API std::vector<std::uint32_t> bfs(const csr_graph<Vertex>& graph, std::uint64_t source,
                                            const domino::options& how = {}, statistics* did = nullptr);

/// Returns the least sum of weights on a path from `source` to each vertex, or unreached_distance: ranks of width
/// `delta`, above 0. Without weights each arc counts 1. Throws weight_error if a weight is negative.
template <class Vertex>
CALLISTO_API distance_map sssp(const csr_graph<Vertex>& graph, std::uint64_t source, double delta,
                               const domino::options& how = {}, statistics* did = nullptr);

/// Returns the smallest vertex of each vertex's component. The graph must be undirected.
template <class Vertex>
CALLISTO_API std::vector<Vertex> components(const csr_graph<Vertex>& graph, const domino::options& how = {},
                                            statistics* did = nullptr);

/// Returns, for each vertex v, the sum over the sources s and all vertices t of the share of shortest paths from s to t
/// that lead through v (Brandes 2001): a group goes forward in phases; a group after it goes backward in ranks, the
/// deepest level first. The paper's dom_bc. Repeated arcs count as often as they are stored.
template <class Vertex>
CALLISTO_API std::vector<double> dependencies(const csr_graph<Vertex>& graph, std::span<const std::uint64_t> sources,
                                              const domino::options& how = {}, statistics* did = nullptr);

}  // namespace callisto::graph::triggered
