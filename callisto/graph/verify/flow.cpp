// The check of a largest flow, by the theorem that no flow is larger than a cut.
#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/verify/flow.hpp>
#include <callisto/graph/verify/require.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace callisto::graph {
namespace {

template <class Vertex>
double capacity_between(const csr_graph<Vertex>& graph, std::uint64_t u, std::uint64_t v, bool weighted) {
  double sum = 0;
  const auto [first, last] = arcs_between(graph.out(), u, v);
  for (std::uint64_t a = first; a != last; ++a) sum += weighted ? graph.out().weights[a] : 1;
  return sum;
}

}  // namespace

template <class Vertex>
void verify_maximum_flow(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                         const flow_options& options, const flow_result& result) {
  const bool weighted = options.weighted && graph.weighted();
  double all = 0;
  for (std::uint64_t a = graph.out().offsets[source]; a != graph.out().offsets[source + 1]; ++a) {
    all += weighted ? graph.out().weights[a] : 1;
  }
  const double tolerance = 1e-9 * all;
  std::vector<double> stays(graph.vertices());
  for (const flow_edge& edge : result.edges) {
    const double capacity = capacity_between(graph, edge.from, edge.to, weighted);
    require(edge.capacity == capacity, "the edge from {} to {} has capacity {}, expected {}", called(graph, edge.from),
            called(graph, edge.to), edge.capacity, capacity);
    require(edge.flow > 0 && edge.flow <= capacity, "the edge from {} to {} carries {} of {}", called(graph, edge.from),
            called(graph, edge.to), edge.flow, capacity);
    stays[edge.from] -= edge.flow;
    stays[edge.to] += edge.flow;
  }
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    const double expected = v == source ? -result.value : v == target ? result.value : 0;
    require(std::abs(stays[v] - expected) <= tolerance, "{} stays at vertex {}, expected {}", stays[v],
            called(graph, v), expected);
  }
  require(result.on_source_side[source] == 1 && result.on_source_side[target] == 0, "the cut does not divide the two");
  double cut = 0;
  std::size_t edges = 0;
  std::uint64_t side = 0;
  for (std::uint64_t u = 0; u < graph.vertices(); ++u) {
    if (result.on_source_side[u] == 0) continue;
    ++side;
    const auto row = graph.out().row(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (result.on_source_side[row[i]] != 0 || (i != 0 && row[i] == row[i - 1])) continue;
      const double capacity = capacity_between(graph, u, row[i], weighted);
      if (capacity == 0) continue;
      require(edges < result.cut.size() && result.cut[edges].from == u && result.cut[edges].to == row[i] &&
                  result.cut[edges].capacity == capacity,
              "the cut lacks the edge from {} to {}", called(graph, u), called(graph, row[i]));
      ++edges;
      cut += capacity;
    }
  }
  require(edges == result.cut.size() && side == result.source_side, "the cut has {} edges, expected {}",
          result.cut.size(), edges);
  require(std::abs(cut - result.value) <= tolerance, "the cut has capacity {}, and the flow is {}", cut, result.value);
}

template CALLISTO_API void verify_maximum_flow(const csr_graph<std::uint32_t>&, std::uint64_t, std::uint64_t,
                                               const flow_options&, const flow_result&);
template CALLISTO_API void verify_maximum_flow(const csr_graph<std::uint64_t>&, std::uint64_t, std::uint64_t,
                                               const flow_options&, const flow_result&);

}  // namespace callisto::graph
