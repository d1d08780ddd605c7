// Triangle counting against brute force and closed formulas.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/triangles/common_bits.hpp>
#include <callisto/graph/triangles/triangles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <random>
#include <set>
#include <stop_token>
#include <string_view>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;
using shapes::clique;

TEST(triangles, of_nothing) {
  EXPECT_EQ(count_triangles(any_graph()).triangles, 0u);
  EXPECT_EQ(count_triangles(naive::undirected(0, {})).triangles, 0u);
  EXPECT_EQ(count_triangles(naive::undirected(1, {})).triangles, 0u);
  EXPECT_EQ(count_triangles(naive::undirected(5, {})).edges, 0u);
  EXPECT_EQ(count_triangles(naive::directed(3, {{0, 0}, {1, 1}})).triangles, 0u);
}

TEST(triangles, of_one_triangle_however_it_is_stored) {
  const pairs once{{0, 1}, {1, 2}, {2, 0}};
  const pairs untidy{{0, 1}, {1, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 1}, {2, 2}, {2, 2}, {2, 0}};
  for (const pairs& edges : {once, untidy}) {
    for (const triangles_result result :
         {count_triangles(naive::undirected(4, edges)), count_triangles(naive::directed(4, edges)),
          count_triangles(naive::directed(4, edges, false))}) {
      EXPECT_EQ(result.triangles, 1u);
      EXPECT_EQ(result.edges, 3u);
    }
  }
}

TEST(triangles, of_a_clique) {
  for (const std::uint64_t n : {2u, 3u, 4u, 63u, 64u, 65u, 129u, 200u}) {
    const triangles_result result = count_triangles(naive::undirected(n, clique(n)));
    EXPECT_EQ(result.triangles, n * (n - 1) * (n - 2) / 6) << n;
    EXPECT_EQ(result.edges, n * (n - 1) / 2) << n;
  }
}

TEST(triangles, of_a_star_and_of_a_wheel) {
  const std::uint64_t leaves = 20'000;
  pairs edges = shapes::star(leaves);
  EXPECT_EQ(count_triangles(naive::undirected(leaves + 1, edges)).triangles, 0u);
  for (std::uint64_t v = 1; v <= leaves; ++v) edges.emplace_back(v, v % leaves + 1);
  EXPECT_EQ(count_triangles(naive::undirected(leaves + 1, edges)).triangles, leaves);
}

TEST(triangles, of_a_bipartite_graph) {
  pairs edges;
  for (std::uint64_t u = 0; u < 70; ++u) {
    for (std::uint64_t v = 70; v < 150; ++v) edges.emplace_back(u, v);
  }
  const triangles_result result = count_triangles(naive::undirected(150, edges));
  EXPECT_EQ(result.triangles, 0u);
  EXPECT_EQ(result.edges, 70u * 80u);
}

// Sparse graphs have rows without bitmaps, dense ones have bitmaps only; a dense core with a sparse rim mixes both.
class triangles_of_random_graphs : public testing::TestWithParam<unsigned> {};

TEST_P(triangles_of_random_graphs, agree_with_brute_force) {
  const unsigned seed = GetParam();
  for (const std::size_t edges : {30u, 400u, 3000u, 12'000u}) {
    const std::uint64_t vertices = 160;
    pairs all = naive::random_pairs(vertices, edges, seed);
    const std::uint64_t expected = naive::triangles(vertices, all);
    const std::uint64_t expected_edges = naive::simple_edges(all).size();
    for (const triangles_result result :
         {count_triangles(naive::undirected(vertices, all)), count_triangles(naive::directed(vertices, all)),
          count_triangles(naive::undirected<std::uint64_t>(vertices, all), {.batch = 1}),
          count_triangles(naive::directed<std::uint64_t>(vertices, all), {.batch = 7})}) {
      EXPECT_EQ(result.triangles, expected) << edges << " edges";
      EXPECT_EQ(result.edges, expected_edges) << edges << " edges";
    }
  }
}

TEST_P(triangles_of_random_graphs, with_a_dense_core_and_a_sparse_rim) {
  const std::uint64_t core = 48;
  const std::uint64_t rim = 1000;
  std::mt19937_64 random(GetParam());
  pairs edges = clique(core);
  std::uint64_t expected = core * (core - 1) * (core - 2) / 6;
  // A rim vertex joined to k vertices of the core closes k (k - 1) / 2 triangles.
  for (std::uint64_t v = core; v < core + rim; ++v) {
    const std::uint64_t k = random() % 6;
    const std::uint64_t start = random() % core;
    for (std::uint64_t i = 0; i < k; ++i) edges.emplace_back(v, (start + 7 * i) % core);
    expected += k * (k - 1) / 2;
  }
  // A long path adds no triangle, but puts the rim's numbers far from the core's.
  for (std::uint64_t v = core + rim; v < core + rim + 40'000; ++v) edges.emplace_back(v, v + 1);
  EXPECT_EQ(count_triangles(naive::undirected(core + rim + 40'001, edges)).triangles, expected);
}

// Every row has about one bit in 300 set: no bitmaps but for the first few rows.
TEST_P(triangles_of_random_graphs, that_are_sparse_and_regular) {
  const std::uint64_t vertices = 30'000;
  std::mt19937_64 random(GetParam());
  pairs edges;
  for (std::uint64_t v = 0; v + 2 < vertices; v += 3) {
    edges.insert(edges.end(), {{v, v + 1}, {v + 1, v + 2}, {v + 2, v}});
  }
  std::vector<std::uint64_t> numbers(vertices);
  for (std::uint64_t v = 0; v < vertices; ++v) numbers[v] = v;
  std::shuffle(numbers.begin(), numbers.end(), random);
  for (auto& [u, v] : edges) {
    u = numbers[u];
    v = numbers[v];
  }
  EXPECT_EQ(count_triangles(naive::undirected(vertices, edges)).triangles, vertices / 3);
}

INSTANTIATE_TEST_SUITE_P(seeds, triangles_of_random_graphs, testing::Values(1u, 2u, 3u));

// With up to 16 arcs a vertex, rows are merged as they are; with one arc more, vertices are ranked first.
TEST(triangles, of_vertices_with_few_neighbours) {
  for (const std::uint64_t size : {16u, 17u, 18u}) {
    pairs edges;
    for (std::uint64_t block = 0; block < 50; ++block) {
      for (const auto& [u, v] : clique(size)) edges.emplace_back(block * size + u, block * size + v);
      if (block != 0) edges.emplace_back(block * size, block * size - 1);
    }
    const triangles_result found = count_triangles(naive::undirected(50 * size, edges));
    EXPECT_EQ(found.triangles, 50 * size * (size - 1) * (size - 2) / 6);
    EXPECT_EQ(found.edges, 50 * size * (size - 1) / 2 + 49);
  }
  for (unsigned seed = 0; seed < (tests::sanitized ? 10 : 40); ++seed) {
    pairs edges = naive::random_pairs(40, 90, seed);  // has loops and many repeats
    edges.insert(edges.end(), edges.begin(), edges.begin() + 30);
    const triangles_result found = count_triangles(naive::undirected(40, edges));
    EXPECT_EQ(found.triangles, naive::triangles(40, edges)) << seed;
    EXPECT_EQ(found.edges, naive::simple_edges(edges).size()) << seed;
  }
  // A grid of 300 by 300 with one diagonal in every square, in scattered order.
  pairs edges;
  const auto number = [](std::uint64_t x, std::uint64_t y) { return (y * 300 + x) * 55'621 % 90'000; };
  for (std::uint64_t y = 0; y < 300; ++y) {
    for (std::uint64_t x = 0; x < 300; ++x) {
      if (x + 1 < 300) edges.emplace_back(number(x, y), number(x + 1, y));
      if (y + 1 < 300) edges.emplace_back(number(x, y), number(x, y + 1));
      if (x + 1 < 300 && y + 1 < 300) edges.emplace_back(number(x, y), number(x + 1, y + 1));
    }
  }
  EXPECT_EQ(count_triangles(naive::undirected(90'000, edges)).triangles, 2u * 299 * 299);
}

TEST(triangles, report_every_connected_vertex_once) {
  struct counting : progress {
    std::uint64_t total = 0;
    std::atomic<std::uint64_t> done{0};
    void begin(std::string_view, std::uint64_t ahead, std::string_view) override { total = ahead; }
    void advance(std::uint64_t amount) override { done += amount; }
  } seen;
  pairs edges = naive::random_pairs(5000, 3000, 1);
  for (std::uint64_t leaf = 100; leaf < 120; ++leaf) edges.emplace_back(7, leaf);  // one vertex has many neighbours
  std::set<std::uint64_t> connected;
  for (const auto& [u, v] : edges) connected.insert({u, v});
  count_triangles(naive::undirected(5000, edges), {}, {.report = &seen, .stop = {}});
  EXPECT_EQ(seen.total, connected.size());
  EXPECT_EQ(seen.done, connected.size());
}

TEST(triangles, stop_when_asked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(
      count_triangles(naive::undirected(100, clique(100)), {}, {.report = nullptr, .stop = source.get_token()}),
      cancelled);
}

TEST(common_bits, of_every_version_and_length) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> a(40);
  std::vector<std::uint64_t> b(40);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = random();
    b[i] = random();
  }
  for (const common_bits_function common_bits : common_bits_versions()) {
    std::uint64_t expected = 0;
    for (std::size_t words = 0; words < a.size(); ++words) {
      EXPECT_EQ(common_bits(a.data(), b.data(), words), expected) << words;
      expected += static_cast<std::uint64_t>(std::popcount(a[words] & b[words]));
    }
  }
}

}  // namespace
}  // namespace callisto::graph
