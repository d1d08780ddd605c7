// A maximal independent set: vertices of which no two are neighbours, and to which none can be added.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct independent_set_options {
  std::uint64_t seed = 1;  ///< of the order in which vertices are taken
};

struct independent_set_result {
  machine::page_array<char> members;  ///< by vertex: 1 if it is in the set
  std::uint64_t size = 0;
  std::uint64_t rounds = 0;
};

/// Finds the set that a sequential loop over the vertices, in a random order, finds: a vertex joins unless a neighbour
/// has. Directions and repeats play no part; a loop does not make a vertex its own neighbour.
///
/// Method: Blelloch, Fineman and Shun, "Greedy sequential maximal independent set and matching are parallel on average"
/// (SPAA'12). In a round each undecided vertex looks at the neighbours before it in the order: it stays out if one is
/// in, and joins if all are out. The result depends on the graph and the seed alone.
///
/// Time: the logarithm of vertices, squared, in rounds, with high probability; some looks at each arc. Memory: 1 byte a
/// vertex, and 4 (8 with 64-bit vertices) for the undecided ones. Reports vertices as progress. Throws usage_error for
/// a directed graph without the rows of its in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API independent_set_result maximal_independent_set(const csr_graph<Vertex>& graph,
                                                            const independent_set_options& options = {},
                                                            const run_control& control = {});

namespace needs {
/// Returns the bytes that maximal_independent_set() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t maximal_independent_set(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
