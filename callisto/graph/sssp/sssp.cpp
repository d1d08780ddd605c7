// Shortest paths in graphs with 32-bit vertices.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/sssp/search.hpp>

namespace callisto::graph {

template CALLISTO_API sssp_result sssp(const csr_graph<std::uint32_t>&, std::uint64_t, const sssp_options&,
                                       const run_control&);
template class sssp_search<std::uint32_t>;

std::uint64_t needs::sssp(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return 56 * s.n + 8 * s.m;
}

}  // namespace callisto::graph
