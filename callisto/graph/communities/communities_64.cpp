// Communities of graphs with 64-bit vertices.
#include <callisto/graph/communities/levels.hpp>

namespace callisto::graph {

template communities_result communities_of(const csr_graph<std::uint64_t>&, const communities_options&,
                                           const shared_control&);
template double quality_of(const csr_graph<std::uint64_t>&, const machine::page_array<std::uint64_t>&,
                           const communities_options&, const shared_control&);

}  // namespace callisto::graph
