// PageRank with weights as strengths, against NetworkX's scores and a dense matrix.
#include "../refusal.hpp"
#include "../with_threads.hpp"
#include "weighted_graphs.hpp"

#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/verify/scores.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace pagerank_weights_tests {
namespace {

using naive::weight_map;

const pagerank_options until_rounding{.tolerance = 1e-15, .iterations = 2000};

template <class Vertex = std::uint32_t>
any_graph graph_of(std::uint64_t vertices, const weight_map& weights, bool directed) {
  return naive::weighted_graph<Vertex>(vertices, weights, directed);
}

void expect_scores(const pagerank_result& result, const std::vector<double>& expected, double within) {
  ASSERT_EQ(result.scores.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_NEAR(result.scores[v], expected[v], within) << v;
}

TEST(pagerank_weights, agree_with_networkx) {
  const weight_map first{{{0, 1}, 10}, {{0, 2}, 1}, {{1, 0}, 1}, {{2, 0}, 1}};
  const std::vector<double> first_scores{0.4864864864864865, 0.42592137592137586, 0.08759213759213759};
  // A loop, a vertex with arcs of weight 0 only, and weights with parts.
  const weight_map second{{{0, 1}, 2.5}, {{0, 2}, 0.5}, {{1, 2}, 3}, {{2, 0}, 1}, {{2, 3}, 0.25},
                          {{3, 3}, 2},   {{3, 4}, 1},   {{5, 1}, 0}, {{5, 0}, 4}, {{4, 4}, 0}};
  const std::vector<double> second_scores{0.23714214703930844, 0.20568724030927132, 0.24614084458321075,
                                          0.18358960708209338, 0.08972860816302111, 0.03771155282309466};
  const weight_map third{{{0, 1}, 2.5},  {{0, 2}, 1}, {{0, 5}, 4}, {{1, 2}, 3}, {{1, 5}, 0},
                         {{2, 3}, 0.25}, {{3, 3}, 2}, {{3, 4}, 1}, {{4, 4}, 0}};
  const std::vector<double> third_scores{0.23986308214889915, 0.18365078025287057, 0.15114928940669317,
                                         0.2113284103064512,  0.08027050731091806, 0.13373793057416755};
  for (const bool accelerated : {true, false}) {
    pagerank_options options = until_rounding;
    options.accelerated = accelerated;
    expect_scores(pagerank(graph_of(3, first, true), options), first_scores, 1e-13);
    expect_scores(pagerank(graph_of(6, second, true), options), second_scores, 1e-13);
    expect_scores(pagerank(graph_of<std::uint64_t>(6, third, false), options), third_scores, 1e-13);
  }
  const pagerank_result used = pagerank(graph_of(3, first, true), until_rounding);
  EXPECT_EQ(used.weights, weight_use::strength);
  pagerank_options without = until_rounding;
  without.weights = weight_use::none;
  const pagerank_result unused = pagerank(graph_of(3, first, true), without);
  EXPECT_EQ(unused.weights, weight_use::none);
  expect_scores(unused, {0.4864864864864865, 0.25675675675675674, 0.25675675675675674}, 1e-13);
}

/// Returns PageRank by multiplications with the dense matrix of the walk.
std::vector<double> by_matrix(std::uint64_t n, const weight_map& arcs, const std::vector<double>& restart) {
  std::vector<double> out(n);
  for (const auto& [arc, weight] : arcs) out[arc.first] += weight;
  std::vector<double> rank = restart;
  for (int sweep = 0; sweep < 400; ++sweep) {
    std::vector<double> next(n);
    for (std::uint64_t v = 0; v < n; ++v) {
      for (std::uint64_t u = 0; u < n; ++u) next[u] += restart[u] * rank[v] * (out[v] == 0 ? 1 : 0.15);
    }
    for (const auto& [arc, weight] : arcs) {
      if (out[arc.first] != 0) next[arc.second] += 0.85 * rank[arc.first] * weight / out[arc.first];
    }
    rank = std::move(next);
  }
  return rank;
}

TEST(pagerank_weights, agree_with_a_dense_matrix_on_random_graphs) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    const std::uint64_t n = 3 + seed * 5;
    const bool directed = seed % 2 == 0;
    weight_map edges;
    unsigned i = 0;
    for (const auto& [u, v] : naive::random_pairs(n, 3 * n, seed)) {
      if (edges.contains({u, v}) || (!directed && edges.contains({v, u}))) continue;
      // Whole weights in one half, parts in the other; and weights near the ends of the range of doubles.
      const double weight = ++i % 7 == 0 ? 0 : seed % 4 < 2 ? i % 100 : 1.0 / i;
      edges[{u, v}] = seed < 20 ? weight : weight * (u % 2 == 0 ? 1e-310 : 1e300);
    }
    const weight_map arcs = naive::arcs_of(edges, directed);
    pagerank_options options = until_rounding;
    std::vector<double> restart(n, 1 / static_cast<double>(n));
    if (seed % 3 == 0) {
      options.seeds = {{1, 1}, {2, 3}};
      restart.assign(n, 0);
      restart[1] = 0.25;
      restart[2] = 0.75;
    }
    const any_graph graph = graph_of(n, edges, directed);
    for (const bool accelerated : {true, false}) {
      options.accelerated = accelerated;
      const pagerank_result result = pagerank(graph, options);
      EXPECT_NO_THROW(verify_pagerank(graph, options, result));
      if (seed < 20) expect_scores(result, by_matrix(n, arcs, restart), 1e-12);
    }
  }
}

TEST(pagerank_weights, do_not_depend_on_threads) {
  weight_map edges;
  for (const auto& [u, v] : naive::random_pairs(3000, 12000, 3)) edges[{u, v}] = static_cast<double>(u % 13 + v % 7);
  const any_graph graph = graph_of(3000, edges, true);
  const auto scores_with = [&](unsigned count) {
    std::vector<double> scores;
    const tests::with_threads team(count);
    const pagerank_result result = pagerank(graph);
    scores.assign(result.scores.begin(), result.scores.end());
    return scores;
  };
  EXPECT_EQ(scores_with(1), scores_with(4));
}

TEST(pagerank_weights, refuse_what_is_no_strength) {
  const any_graph graph = graph_of(3, {{{0, 1}, 1}, {{1, 2}, -2}}, true);
  EXPECT_EQ(tests::refusal<weight_error>([&] { pagerank(graph); }),
            "the edge from 1 to 2 has weight -2; strengths need weights of at least 0");
  pagerank_options lengths;
  lengths.weights = weight_use::length;
  EXPECT_EQ(tests::refusal([&] { pagerank(graph, lengths); }), "PageRank takes weights as strengths, not as lengths");
}

TEST(pagerank_weights, verify_finds_scores_that_ignore_them) {
  const any_graph graph = graph_of(3, {{{0, 1}, 10}, {{0, 2}, 1}, {{1, 0}, 1}, {{2, 0}, 1}}, true);
  pagerank_options without;
  without.weights = weight_use::none;
  pagerank_result result = pagerank(graph, without);
  EXPECT_THROW(verify_pagerank(graph, {}, result), wrong_result);
  result.weights = weight_use::strength;
  EXPECT_THROW(verify_pagerank(graph, {}, result), wrong_result);
}

}  // namespace
}  // namespace pagerank_weights_tests
}  // namespace callisto::graph
