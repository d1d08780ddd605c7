// Clustering coefficients against closed formulas and merged lists of neighbours.
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stop_token>

namespace callisto::graph {
namespace {

using naive::pairs;

template <class Vertex>
clustering_result verified_clusters(const csr_graph<Vertex>& graph) {
  clustering_result result = clustering(graph);
  EXPECT_NO_THROW(verify_clustering(graph, result));
  return result;
}

TEST(clustering, of_nothing_and_of_single_vertices) {
  EXPECT_EQ(verified_clusters(naive::undirected(0, {})).average, 0);
  EXPECT_EQ(verified_clusters(naive::undirected(1, {{0, 0}})).average, 0);
  EXPECT_EQ(verified_clusters(naive::undirected(5, {})).transitivity, 0);
}

TEST(clustering, of_shapes) {
  EXPECT_EQ(verified_clusters(naive::undirected(100'001, shapes::star(100'000))).transitivity, 0);
  EXPECT_EQ(verified_clusters(naive::undirected(100'000, shapes::path(100'000))).total, 0u);
  const auto clique = verified_clusters(naive::undirected(300, shapes::clique(300)));
  EXPECT_EQ(clique.total, 300u * 299 * 298 / 6);
  EXPECT_EQ(clique.average, 1);
  EXPECT_EQ(clique.transitivity, 1);
  // A triangle with a tail.
  const auto tailed = verified_clusters(naive::undirected(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}}));
  EXPECT_EQ(tailed.coefficients[2], 1.0 / 3);
  EXPECT_EQ(tailed.transitivity, 3.0 / 5);
}

TEST(clustering, counts_repeats_once_and_loops_and_directions_not_at_all) {
  const pairs edges{{0, 1}, {1, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 0}, {3, 3}, {3, 0}};
  EXPECT_EQ(verified_clusters(naive::undirected(4, edges)).total, 1u);
  EXPECT_EQ(verified_clusters(naive::directed(4, edges)).total, 1u);
  EXPECT_THROW(clustering(naive::directed(4, edges, false)), usage_error);
}

// Sparse, dense, and a dense core in a sparse graph: rows with bitmaps meet rows without.
TEST(clustering, of_random_graphs) {
  for (const unsigned seed : {1u, 2u}) {
    for (const std::uint64_t vertices : {200u, 2'000u, 20'000u}) {
      pairs all = naive::random_pairs(vertices, 20'000, seed);
      verified_clusters(naive::undirected(vertices, all));
      const pairs core = naive::random_pairs(200, 10'000, seed + 10);
      all.insert(all.end(), core.begin(), core.end());
      verified_clusters(naive::directed<std::uint64_t>(vertices, all));
    }
  }
}

TEST(clustering, stops_when_asked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(clustering(naive::undirected(100, shapes::path(100)), {.report = nullptr, .stop = source.get_token()}),
               cancelled);
}

TEST(verify_clustering, finds_every_kind_of_fault) {
  const auto graph = naive::undirected(5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}});
  const auto broken = [&](auto change) {
    auto result = clustering(graph);
    change(result);
    EXPECT_THROW(verify_clustering(graph, result), wrong_result);
  };
  broken([](auto& r) { r.triangles[3] = 1; });
  broken([](auto& r) { r.coefficients[2] = 1; });
  broken([](auto& r) { r.total = 2; });
  broken([](auto& r) { r.average += 0.1; });
  broken([](auto& r) { r.transitivity = 1; });
}

}  // namespace
}  // namespace callisto::graph
