// Coreness against closed formulas and the sequential algorithm of Batagelj and Zaversnik.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stop_token>

namespace callisto::graph {
namespace {

using naive::pairs;

template <class Vertex>
kcore_result verified_cores(const csr_graph<Vertex>& graph) {
  kcore_result result = kcore(graph);
  EXPECT_NO_THROW(verify_kcore(graph, result));
  return result;
}

TEST(kcore, of_nothing_and_of_single_vertices) {
  EXPECT_EQ(verified_cores(naive::undirected(0, {})).innermost, 0u);
  EXPECT_EQ(verified_cores(naive::undirected(1, {})).innermost, 1u);
  EXPECT_EQ(verified_cores(naive::undirected(9, {{3, 3}})).degeneracy, 0u);
}

TEST(kcore, of_shapes) {
  constexpr std::uint64_t leaves = tests::sanitized ? 10'000 : 100'000;
  constexpr std::uint64_t length = tests::sanitized ? 30'000 : 1'000'000;
  constexpr std::uint64_t all = tests::sanitized ? 200 : 700;
  EXPECT_EQ(verified_cores(naive::undirected(leaves + 1, shapes::star(leaves))).degeneracy, 1u);
  EXPECT_EQ(verified_cores(naive::undirected(length, shapes::path(length))).degeneracy, 1u);
  EXPECT_EQ(verified_cores(naive::undirected(10'000, shapes::grid(100))).degeneracy, 2u);
  const auto clique = verified_cores(naive::undirected(all, shapes::clique(all)));
  EXPECT_EQ(clique.degeneracy, all - 1);
  EXPECT_EQ(clique.innermost, all);
}

TEST(kcore, counts_repeats_once_and_loops_and_directions_not_at_all) {
  const pairs edges{{0, 1}, {1, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 0}, {3, 3}, {3, 0}};
  for (const std::uint32_t k :
       {verified_cores(naive::undirected(4, edges)).degeneracy, verified_cores(naive::directed(4, edges)).degeneracy}) {
    EXPECT_EQ(k, 2u);
  }
  EXPECT_THROW(kcore(naive::directed(4, edges, false)), usage_error);
}

TEST(kcore, of_two_components_of_different_depth) {
  pairs edges = shapes::clique(200);
  for (const auto& [u, v] : shapes::clique(150)) edges.emplace_back(u + 200, v + 200);
  edges.emplace_back(0, 200);
  const auto found = verified_cores(naive::undirected(400, edges));
  EXPECT_EQ(found.degeneracy, 199u);
  EXPECT_EQ(found.innermost, 200u);
  EXPECT_EQ(found.coreness[300], 149u);
}

// A chain of cliques of all sizes to 130: more values of k than the window has buckets.
TEST(kcore, of_many_depths) {
  pairs edges;
  std::uint64_t base = 0;
  for (std::uint64_t size = 1; size <= 130; size += 3) {
    for (const auto& [u, v] : shapes::clique(size)) edges.emplace_back(u + base, v + base);
    edges.emplace_back(base, base + size);
    base += size;
  }
  EXPECT_EQ(verified_cores(naive::undirected(base + 1, edges)).degeneracy, 129u);
}

TEST(kcore, of_random_graphs) {
  for (const unsigned seed : {1u, 2u}) {
    if (tests::sanitized && seed > 1) break;
    for (const std::size_t edges : {5'000u, 40'000u, 100'000u}) {
      const pairs all = naive::random_pairs(20'000, edges, seed);
      verified_cores(naive::undirected(20'000, all));
      verified_cores(naive::directed<std::uint64_t>(20'000, all));
    }
  }
}

TEST(kcore, stops_when_asked) {
  std::stop_source source;
  source.request_stop();
  const auto graph = naive::undirected(100, shapes::path(100));
  EXPECT_THROW(kcore(graph, {.report = nullptr, .stop = source.get_token()}), cancelled);
}

TEST(verify_kcore, finds_every_kind_of_fault) {
  const auto graph = naive::undirected(6, {{0, 1}, {1, 2}, {2, 0}, {0, 4}});
  const auto broken = [&](auto change) {
    auto result = kcore(graph);
    change(result);
    EXPECT_THROW(verify_kcore(graph, result), wrong_result);
  };
  broken([](auto& r) { r.coreness[4] = 2; });
  broken([](auto& r) { r.coreness[0] = 1; });
  broken([](auto& r) { r.degeneracy = 3; });
  broken([](auto& r) { r.innermost = 2; });
}

}  // namespace
}  // namespace callisto::graph
