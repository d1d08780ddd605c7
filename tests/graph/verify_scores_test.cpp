// The checks of scores and counts: they pass right results and refuse wrong ones.
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/verify/scores.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

std::vector<any_graph> graphs() {
  std::vector<any_graph> all;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const naive::pairs edges = naive::random_pairs(120, 500, seed);
    all.emplace_back(naive::undirected(120, edges));
    all.emplace_back(naive::directed(120, edges));
    all.emplace_back(naive::directed<std::uint64_t>(120, edges));
  }
  all.emplace_back(naive::undirected(900, shapes::grid(30)));
  return all;
}

TEST(verify_scores, pagerank) {
  for (const any_graph& graph : graphs()) {
    for (const bool seeded : {false, true}) {
      pagerank_options options{.tolerance = 1e-4};
      if (seeded) options.seeds = {{3, 2}, {17, 0.5}};
      pagerank_result result = pagerank(graph, options);
      EXPECT_NO_THROW(verify_pagerank(graph, options, result));
      result.scores[0] += 1e-3;
      EXPECT_THROW(verify_pagerank(graph, options, result), wrong_result);  // a wrong sum
      result.scores[1] -= 1e-3;
      EXPECT_THROW(verify_pagerank(graph, options, result), wrong_result);  // the sweep changes too much
    }
  }
}

TEST(verify_scores, betweenness) {
  for (const any_graph& graph : graphs()) {
    betweenness_options options;
    options.from = {3, 50, 119, 4};
    for (const bool normalized : {false, true}) {
      options.normalized = normalized;
      betweenness_result result = betweenness(graph, options);
      EXPECT_EQ(result.sources, 4u);
      EXPECT_NO_THROW(verify_betweenness(graph, options, result));
      // If a score is 0, a millionth of the largest is already wrong.
      const double largest = *std::max_element(result.scores.begin(), result.scores.end());
      result.scores[7] += 1e-5 * result.scores[7] + 1e-6 * largest;
      EXPECT_THROW(verify_betweenness(graph, options, result), wrong_result);
    }
  }
}

TEST(verify_scores, betweenness_from_one_and_from_all) {
  const any_graph graph = naive::undirected(120, naive::random_pairs(120, 500, 9));
  betweenness_options options;
  options.from = {17};
  EXPECT_NO_THROW(verify_betweenness(graph, options, betweenness(graph, options)));
  options.from.clear();
  for (std::uint64_t v = 0; v < 120; ++v) options.from.push_back(v);
  const betweenness_result all = betweenness(graph, options);
  EXPECT_NO_THROW(verify_betweenness(graph, options, all));
  const betweenness_result exact = betweenness(graph);
  for (std::uint64_t v = 0; v < 120; ++v) EXPECT_NEAR(all.scores[v], exact.scores[v], 1e-9);
}

TEST(verify_scores, betweenness_from_a_sample) {
  for (const any_graph& graph : graphs()) {
    betweenness_options options{.samples = 5, .seed = 3};
    betweenness_result result = betweenness(graph, options);
    EXPECT_EQ(betweenness_sources(graph, options).size(), 5u);
    EXPECT_NO_THROW(verify_betweenness(graph, options, result));
    options.seed = 4;  // draws other sources
    EXPECT_THROW(verify_betweenness(graph, options, result), wrong_result);
  }
}

TEST(verify_scores, can_be_cancelled) {
  const any_graph graph = naive::undirected(120, naive::random_pairs(120, 500, 9));
  const betweenness_result result = betweenness(graph);
  std::stop_source stop;
  stop.request_stop();
  const run_control ctx{nullptr, stop.get_token()};
  EXPECT_THROW(verify_betweenness(graph, {}, result, ctx), cancelled);
  EXPECT_THROW(verify_triangles(graph, count_triangles(graph), ctx), cancelled);
}

TEST(verify_scores, triangles) {
  for (const any_graph& graph : graphs()) {
    triangles_result result = count_triangles(graph);
    EXPECT_NO_THROW(verify_triangles(graph, result));
    ++result.triangles;
    EXPECT_THROW(verify_triangles(graph, result), wrong_result);
    --result.triangles;
    --result.edges;
    EXPECT_THROW(verify_triangles(graph, result), wrong_result);
  }
}

}  // namespace
}  // namespace callisto::graph
