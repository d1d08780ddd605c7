// Breadth-first search in graphs with 64-bit vertices.
#include <callisto/graph/bfs/search.hpp>

namespace callisto::graph {

template CALLISTO_API bfs_result<std::uint64_t> bfs(const csr_graph<std::uint64_t>&, std::uint64_t, const bfs_options&,
                                                    const run_control&);
template CALLISTO_API bfs_result<std::uint64_t> backward_bfs(const csr_graph<std::uint64_t>&, std::uint64_t,
                                                             const bfs_options&, const run_control&);
template CALLISTO_API bfs_result<std::uint64_t> undirected_bfs(const csr_graph<std::uint64_t>&, std::uint64_t,
                                                               const bfs_options&, const run_control&);

}  // namespace callisto::graph
