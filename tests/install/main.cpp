// A program outside the repository that uses an installed Callisto: a loop, and a graph read, built and counted.
#include <callisto/callisto.hpp>
#include <callisto/graph.hpp>
#include <callisto/jobs.hpp>
#include <callisto/workers.hpp>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <span>
#include <string_view>

int main() {
  const auto sum =
      callisto::parallel_reduce(0, 1000, std::uint64_t{0}, [](int i) { return static_cast<std::uint64_t>(i); });

  constexpr std::string_view edges = "# two triangles that share an edge\n1 2\n2 3\n3 1\n2 4\n4 3\n";
  callisto::graph::build_options undirected;
  undirected.undirected = true;
  const auto graph = callisto::graph::build_graph(
      callisto::graph::read_edges(std::as_bytes(std::span(edges)), "edges.txt"), undirected);
  const auto triangles = callisto::graph::count_triangles(graph).triangles;
  const auto ranks = callisto::graph::pagerank(graph);
  double total = 0;
  for (const double score : ranks.scores) total += score;

  std::cout << "sum " << sum << ", triangles " << triangles << ", rank " << total << '\n';
  return sum == 499500 && triangles == 2 && std::abs(total - 1) < 1e-12 ? 0 : 1;
}
