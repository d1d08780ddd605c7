#include <callisto/cluster/betweenness.hpp>
#include <callisto/cluster/memory.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/transport.hpp>
#include <callisto/graph/communities/communities_among.hpp>
#include <callisto/graph/pagerank/pagerank_among.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <variant>

namespace callisto::cluster {

std::uint64_t memory_of_rank(std::string_view kernel, const graph::any_graph& graph, const graph::partners& among) {
  if (kernel == "pagerank") return graph::needs::pagerank_among(graph, among);
  if (kernel == "communities") return graph::needs::communities_among(graph, {}, among);
  return std::visit(
      [&]<class Vertex>(const graph::csr_graph<Vertex>& g) -> std::uint64_t {
        constexpr std::uint64_t id = sizeof(Vertex);
        const std::uint64_t all = g.vertices();
        const std::uint64_t own = among.last() - among.first();
        const auto arcs_of = [&](const graph::adjacency<Vertex>& rows) {
          return all == 0 ? 0 : rows.offsets[among.last()] - rows.offsets[among.first()];
        };
        const std::uint64_t arcs = arcs_of(g.out());
        // The results of all vertices come together at one rank.
        const std::uint64_t told = among.tells() ? all : own;
        const std::uint64_t lanes = lanes_of_betweenness();
        if (kernel == "betweenness") return (16 + 8 * lanes) * all + 28 * lanes * own;
        if (kernel == "bfs") return (id + 1) * all + 12 * told;
        if (kernel == "components") return 2 * id * all;
        if (kernel == "kcore") return 8 * all + id * own;
        if (kernel == "sssp") return 24 * all + id * all + 16 * (own + arcs / 5);
        // Ranks of all vertices; places, rows, and the rows of one other rank.
        const std::uint64_t triangles = (id + 1) * all + (24 + 4 * id) * own + 2 * (8 + id) * arcs;
        if (kernel == "triangles") return triangles;
        if (kernel == "clustering") return triangles + 16 * all + 16 * told + (std::uint64_t{threads()} << 19);
        if (kernel == "distances") return (id + 8) * all + 16 * own;
        return 16 * all;
      },
      graph);
}

std::uint64_t ranks_of_machine() {
  const global::transport& net = *global::here().net;
  const int mine = net.node_of(net.rank());
  std::uint64_t ranks = 0;
  for (int r = 0; r != net.ranks(); ++r) ranks += net.node_of(r) == mine ? 1 : 0;
  return ranks;
}

}  // namespace callisto::cluster
