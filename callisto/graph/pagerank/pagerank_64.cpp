// PageRank of graphs with 64-bit vertices.
#include <callisto/graph/pagerank/iterations.hpp>

namespace callisto::graph {

template pagerank_result pagerank_of(const csr_graph<std::uint64_t>&, const pagerank_options&, const shared_control&);

}  // namespace callisto::graph
