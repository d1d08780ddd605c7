// Checks of shortest paths by their definition.
#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/verify/heap_distances.hpp>
#include <callisto/graph/verify/paths.hpp>
#include <callisto/graph/verify/require.hpp>

#include <algorithm>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns the length of the shortest arc from u to v behind a path of length `before`; infinity if there is none.
template <class Vertex>
double behind(const csr_graph<Vertex>& graph, double before, std::uint64_t u, std::uint64_t v) {
  double least = sssp_result::unreached;
  const auto [first, last] = arcs_between(graph.out(), u, v);
  for (std::uint64_t a = first; a != last; ++a) least = std::min(least, before + graph.out().weights[a]);
  return least;
}

}  // namespace

template <class Vertex>
void verify_shortest_paths(const csr_graph<Vertex>& graph, std::uint64_t source, const distance_map& distances,
                           const parent_map<Vertex>& parents) {
  const std::uint64_t vertices = graph.vertices();
  require(distances.size() == vertices && parents.size() == vertices, "paths of {} vertices, expected {}",
          parents.size(), vertices);
  require(parents[source] == source && distances[source] == 0, "the source is {} away, expected 0", distances[source]);
  for (std::uint64_t u = 0; u < vertices; ++u) {
    require((distances[u] == distance_map::unreached) == (parents[u] == no_parent<Vertex>),
            "vertex {} has a distance or a parent alone", called(graph, u));
    if (distances[u] == distance_map::unreached) continue;
    for (std::uint64_t a = graph.out().offsets[u]; a != graph.out().offsets[u + 1]; ++a) {
      const Vertex v = graph.out().targets[a];
      require(distances[v] <= distances[u] + graph.out().weights[a], "vertex {} is nearer by vertex {} than {}",
              called(graph, v), called(graph, u), distances[v]);
    }
    if (u == source) continue;
    require(behind(graph, distances[parents[u]], parents[u], u) == distances[u],
            "vertex {} is not before vertex {} on a shortest path", called(graph, parents[u]), called(graph, u));
  }
  enum : char { unseen, on_path, leads_to_source };
  std::vector<char> state(vertices, unseen);
  state[source] = leads_to_source;
  for (std::uint64_t begin = 0; begin < vertices; ++begin) {
    if (parents[begin] == no_parent<Vertex>) continue;
    std::uint64_t v = begin;
    for (; state[v] == unseen; v = parents[v]) state[v] = on_path;
    require(state[v] == leads_to_source, "the parents of vertex {} are a cycle", called(graph, v));
    for (v = begin; state[v] == on_path; v = parents[v]) state[v] = leads_to_source;
  }
}

template <class Vertex>
void verify_target_paths(const csr_graph<Vertex>& graph, std::uint64_t source, std::span<const std::uint64_t> targets,
                         const target_paths& result) {
  require(result.paths.size() == targets.size(), "{} paths, expected {}", result.paths.size(), targets.size());
  const std::vector<double> distances = heap_distances<Vertex>({&graph.out()}, source, true);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const target_path& path = result.paths[i];
    require(path.distance == distances[targets[i]], "distance {} of vertex {}, expected {}", path.distance,
            called(graph, targets[i]), distances[targets[i]]);
    require(path.vertices.empty() == (path.distance == sssp_result::unreached),
            "vertex {} has a path or a distance alone", called(graph, targets[i]));
    if (path.vertices.empty()) continue;
    require(path.vertices.front() == source && path.vertices.back() == targets[i], "the path to {} ends elsewhere",
            called(graph, targets[i]));
    double length = 0;
    for (std::size_t k = 1; k < path.vertices.size(); ++k) {
      length = behind(graph, length, path.vertices[k - 1], path.vertices[k]);
    }
    require(length == path.distance, "the path to {} is {} long, expected {}", called(graph, targets[i]), length,
            path.distance);
  }
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                             \
  template CALLISTO_API void verify_shortest_paths(const csr_graph<Vertex>&, std::uint64_t, const distance_map&, \
                                                   const parent_map<Vertex>&);                                   \
  template CALLISTO_API void verify_target_paths(const csr_graph<Vertex>&, std::uint64_t,                        \
                                                 std::span<const std::uint64_t>, const target_paths&);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

}  // namespace callisto::graph
