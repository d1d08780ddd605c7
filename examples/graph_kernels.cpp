// The graph library: builds a graph, runs each kernel on it, and prints one line for each.
//
// Usage: graph_kernels [FILE]. FILE is read as an undirected graph, in any format that `callisto info` knows. Without
// FILE the graph is a generated one (Kronecker, 1,024 vertices). `graph_kernels FILE` takes labels from the file; the
// kernels count vertices from 0, and g.label(v) is the user's name of vertex v.
#include <callisto/graph.hpp>

#include <algorithm>
#include <cstdio>
#include <variant>

namespace graph = callisto::graph;

namespace {

graph::any_graph read_or_generate(int argc, char** argv) {
  if (argc > 1) return graph::load_graph(argv[1], {.build = {.undirected = true}});
  graph::kronecker_options options;
  options.scale = 10;
  return graph::with_random_weights(graph::build_graph(graph::generate_kronecker(options)), 1);  // 1 to 255
}

}  // namespace

int main(int argc, char** argv) try {
  const graph::any_graph any = read_or_generate(argc, argv);

  // Most kernels take either width of vertex numbers. Those that are templates are called inside of std::visit.
  const auto scores = graph::pagerank(any).scores;
  const auto highest = std::max_element(scores.begin(), scores.end()) - scores.begin();
  const std::size_t samples = std::min<std::size_t>(64, scores.size());
  const auto between = graph::betweenness(any, {.samples = samples, .normalized = true}).scores;
  const auto groups = graph::communities(any);
  std::printf("triangles: %llu\n", static_cast<unsigned long long>(graph::count_triangles(any).triangles));
  std::printf("communities: %s\n", groups.communities > 1 ? "more than one" : "one");

  std::visit(
      [&](const auto& g) {
        const auto source = static_cast<std::uint64_t>(highest);
        std::printf("vertices: %llu, highest PageRank: %llu, between others: %s\n",
                    static_cast<unsigned long long>(g.vertices()), static_cast<unsigned long long>(g.label(source)),
                    between[source] > 0 ? "yes" : "no");
        const auto search = graph::bfs(g, source);
        std::printf("bfs: reaches %llu, the farthest %u arcs away\n", static_cast<unsigned long long>(search.reached),
                    search.eccentricity);
        if (g.weighted()) std::printf("sssp: the farthest is %.0f away\n", graph::sssp(g, source).eccentricity);
        const auto parts = graph::component_sizes(graph::components(g));
        std::printf("components: %zu, the largest has %llu vertices\n", parts.size(),
                    static_cast<unsigned long long>(parts.front().second));
        std::printf("strongly connected: %zu\n", graph::component_sizes(graph::strong_components(g)).size());
        std::printf("degeneracy: %u\n", graph::kcore(g).degeneracy);
        std::printf("diameter: %u\n", graph::diameter(g).upper);
      },
      any);
} catch (const callisto::error& error) {
  std::fprintf(stderr, "graph_kernels: %s\n", error.what());
  return 1;
}
