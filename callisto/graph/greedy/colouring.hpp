// Greedy colouring: neighbours get different colours, each vertex the smallest that is free.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// The order in which vertices choose their colours (Hasenplaugh et al.), equal ones by a random order.
enum class colouring_order {
  largest_log_first,  ///< by falling logarithm of the degree
  smallest_log_last,  ///< vertices that stay longest when vertices of few neighbours are removed: fewer colours
  random,
};

struct colouring_options {
  colouring_order order = colouring_order::smallest_log_last;
  std::uint64_t seed = 1;
};

struct colouring_result {
  machine::page_array<std::uint32_t> colours;  ///< by vertex: from 0 on
  std::uint32_t count = 0;                     ///< colours used
};

/// Colours the vertices as a sequential greedy loop in this order does. Directions, repeats and loops play no part.
///
/// Method: Jones and Plassmann (SIAM J. Sci. Comput. 1993) with the orders of Hasenplaugh, Kaler, Schardl and Leiserson
/// (SPAA'14): a vertex chooses when all neighbours before it have. The result depends on the graph and the options
/// alone.
///
/// Cost: two looks at each arc; with smallest_log_last three, and a pass over the vertices for each power of 2 up to
/// the largest degree. Memory: 9 bytes a vertex for colours and order, 4 (8 with 64-bit vertices) for each vertex that
/// is ready, and 4 (8) for each colour and thread. Reports vertices as progress. Throws usage_error for a directed
/// graph without the rows of its in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API colouring_result colouring(const csr_graph<Vertex>& graph, const colouring_options& options = {},
                                        const run_control& control = {});

namespace needs {
/// Returns the bytes that colouring() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t colouring(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
