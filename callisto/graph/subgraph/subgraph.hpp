// Subgraphs: some vertices of a graph, and all arcs between them.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <span>

namespace callisto::graph {

/// By vertex: 1 if it is chosen.
using vertex_choice = machine::page_array<char>;

/// Returns the graph of the chosen vertices and all arcs between them. Vertices keep their labels and their order; arcs
/// keep their weights and repeats; both keep their attributes. Time: linear. Memory: 4 bytes a vertex (8 with 64-bit
/// vertices), and the result. Throws usage_error if `chosen` has another size; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API csr_graph<Vertex> induced_subgraph(const csr_graph<Vertex>& graph, const vertex_choice& chosen,
                                                const run_control& control = {});

/// Chooses the vertices of the largest connected component; of several the one with the smallest vertex. `strong`: the
/// largest strongly connected one.
template <class Vertex>
CALLISTO_API vertex_choice largest_component(const csr_graph<Vertex>& graph, bool strong,
                                             const run_control& control = {});

/// Chooses the vertices of the k-core.
template <class Vertex>
CALLISTO_API vertex_choice core_of(const csr_graph<Vertex>& graph, std::uint32_t k, const run_control& control = {});

/// Chooses the vertices that are at most `hops` arcs from one of `centres`, whatever the arcs' direction. Throws
/// usage_error if a centre is not a vertex.
template <class Vertex>
CALLISTO_API vertex_choice within_hops(const csr_graph<Vertex>& graph, std::span<const std::uint64_t> centres,
                                       std::uint32_t hops, const run_control& control = {});

namespace needs {
/// Returns the bytes that these functions take at most beyond the graph, their results included.
CALLISTO_API std::uint64_t subgraph(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
