// Breadth-first search in graphs with 32-bit vertices.
#include <callisto/graph/bfs/search.hpp>
#include <callisto/graph/csr/graph_size.hpp>

namespace callisto::graph {

template CALLISTO_API bfs_result<std::uint32_t> bfs(const csr_graph<std::uint32_t>&, std::uint64_t, const bfs_options&,
                                                    const run_control&);
template CALLISTO_API bfs_result<std::uint32_t> backward_bfs(const csr_graph<std::uint32_t>&, std::uint64_t,
                                                             const bfs_options&, const run_control&);
template CALLISTO_API bfs_result<std::uint32_t> undirected_bfs(const csr_graph<std::uint32_t>&, std::uint64_t,
                                                               const bfs_options&, const run_control&);

std::uint64_t needs::bfs(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return (5 * s.v + 4) * s.n + 3 * (s.n / 8 + 8);
}

}  // namespace callisto::graph
