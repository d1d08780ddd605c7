// The sizes of a graph of either vertex width.
#include <callisto/graph/csr/graph_size.hpp>

#include <variant>

namespace callisto::graph::needs {

graph_size size_of(const any_graph& graph) noexcept {
  return std::visit(
      []<class Vertex>(const csr_graph<Vertex>& g) {
        const std::uint64_t weight_bytes =
            g.weighted() ? (g.has_short_weights() ? sizeof(short_weight) : sizeof(double)) : 0;
        // An undirected graph stores an edge twice and a loop once; kernels of the simple graph drop loops.
        return graph_size{g.vertices(), g.arcs(), sizeof(Vertex), weight_bytes, g.directed() ? g.arcs() : g.arcs() / 2,
                          g.directed()};
      },
      graph);
}

}  // namespace callisto::graph::needs
