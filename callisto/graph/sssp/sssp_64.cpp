// Shortest paths in graphs with 64-bit vertices.
#include <callisto/graph/sssp/search.hpp>

namespace callisto::graph {

template CALLISTO_API sssp_result sssp(const csr_graph<std::uint64_t>&, std::uint64_t, const sssp_options&,
                                       const run_control&);
template class sssp_search<std::uint64_t>;

}  // namespace callisto::graph
