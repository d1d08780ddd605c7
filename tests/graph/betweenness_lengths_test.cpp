// Betweenness by lengths, of edges, and estimates that know their errors.
#include "../refusal.hpp"
#include "../sanitizers.hpp"
#include "../with_threads.hpp"
#include "shapes.hpp"
#include "weighted_graphs.hpp"

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/verify/scores.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace betweenness_lengths_tests {
namespace {

using naive::weight_map;

const betweenness_options by_length{.weights = weight_use::length};

betweenness_options normalized(betweenness_options options) {
  options.normalized = true;
  return options;
}

const weight_map small{{{0, 1}, 2}, {{0, 2}, 1}, {{1, 2}, 1}, {{2, 3}, 3}, {{1, 3}, 4}, {{3, 4}, 2},
                       {{2, 4}, 5}, {{4, 4}, 1}, {{4, 5}, 1}, {{3, 5}, 3}, {{6, 7}, 2}, {{5, 0}, 2.5}};

void expect_scores(const betweenness_result& result, const std::vector<double>& expected) {
  ASSERT_EQ(result.scores.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v) {
    EXPECT_NEAR(result.scores[v], expected[v], 1e-11 * std::max(1.0, expected[v])) << v;
  }
}

void expect_edges(const edge_betweenness_result& result, const std::vector<double>& expected) {
  ASSERT_EQ(result.edges.size(), expected.size());
  for (std::size_t e = 0; e < expected.size(); ++e) {
    EXPECT_NEAR(result.edges[e].score, expected[e], 1e-11 * std::max(1.0, expected[e])) << e;
  }
}

TEST(betweenness_by_length, agrees_with_networkx) {
  for (const any_graph& graph : {any_graph(naive::weighted_graph(8, small, true)),
                                 any_graph(naive::weighted_graph<std::uint64_t>(8, small, true))}) {
    expect_scores(betweenness(graph, by_length),
                  {10, 0, 8.366666666666667, 6.433333333333334, 5.866666666666667, 10, 0, 0});
    expect_scores(betweenness(graph, normalized(by_length)),
                  {0.23809523809523808, 0, 0.19920634920634922, 0.15317460317460319, 0.13968253968253969,
                   0.23809523809523808, 0, 0});
    expect_edges(edge_betweenness(graph, by_length),
                 {5, 10, 3.3666666666666667, 1.6333333333333333, 9.8, 3.5666666666666664, 7.3, 4.133333333333333,
                  10.866666666666667, 15, 1});
    expect_edges(edge_betweenness(graph),
                 {6.833333333333333, 8.166666666666666, 1.5, 5.333333333333333, 4.333333333333333, 5.333333333333333,
                  1.5, 8.166666666666666, 6.833333333333333, 15, 1});
    expect_edges(edge_betweenness(graph, normalized({})),
                 {0.1220238095238095, 0.14583333333333331, 0.026785714285714284, 0.09523809523809523,
                  0.07738095238095237, 0.09523809523809523, 0.026785714285714284, 0.14583333333333331,
                  0.1220238095238095, 0.26785714285714285, 0.017857142857142856});
  }
  const any_graph graph = naive::weighted_graph(8, small, false);
  expect_scores(betweenness(graph, by_length), {4, 0, 3, 0, 0.5, 3, 0, 0});
  expect_scores(betweenness(graph, normalized(by_length)),
                {0.19047619047619047, 0, 0.14285714285714285, 0, 0.023809523809523808, 0.14285714285714285, 0, 0});
  const edge_betweenness_result edges = edge_betweenness(graph, by_length);
  expect_edges(edges, {1.5, 5.5, 6, 3, 0.5, 2.5, 0, 1.5, 0.5, 4.5, 1});
  EXPECT_EQ(edges.edges[2].from, 0u);
  EXPECT_EQ(edges.edges[2].to, 5u);
  expect_edges(edge_betweenness(graph),
               {1.8333333333333333, 2.1666666666666665, 2.6666666666666665, 1.5, 2.3333333333333335, 1.6666666666666667,
                2.333333333333333, 1.5, 2.1666666666666665, 1.833333333333333, 1});
  expect_edges(
      edge_betweenness(graph, normalized(by_length)),
      {0.05357142857142857, 0.19642857142857142, 0.21428571428571427, 0.10714285714285714, 0.017857142857142856,
       0.08928571428571427, 0, 0.05357142857142857, 0.017857142857142856, 0.1607142857142857, 0.03571428571428571});
}

/// The betweenness of vertices and arcs by the definition: for each pair, the shares of its shortest paths.
struct definition {
  std::vector<double> vertices;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> arcs;
};

/// `arcs` has whole lengths above 0. Sums over ordered pairs.
definition by_definition(std::uint64_t n, const weight_map& arcs) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const auto distance = naive::all_distances(n, arcs);
  std::vector<std::vector<double>> paths(n, std::vector<double>(n));
  for (std::uint64_t s = 0; s < n; ++s) {
    std::vector<std::uint64_t> order(n);
    for (std::uint64_t v = 0; v < n; ++v) order[v] = v;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return distance[s][a] < distance[s][b]; });
    paths[s][s] = 1;
    for (const std::uint64_t v : order) {
      if (distance[s][v] == none) break;
      for (const auto& [arc, length] : arcs) {
        if (arc.second == v && arc.first != v && distance[s][arc.first] + length == distance[s][v]) {
          paths[s][v] += paths[s][arc.first];
        }
      }
    }
  }
  definition found{std::vector<double>(n), {}};
  for (std::uint64_t s = 0; s < n; ++s) {
    for (std::uint64_t t = 0; t < n; ++t) {
      if (s == t || distance[s][t] == none) continue;
      for (std::uint64_t v = 0; v < n; ++v) {
        if (v == s || v == t || distance[s][v] + distance[v][t] != distance[s][t]) continue;
        found.vertices[v] += paths[s][v] * paths[v][t] / paths[s][t];
      }
      for (const auto& [arc, length] : arcs) {
        const auto [u, v] = arc;
        if (u == v || distance[s][u] + length + distance[v][t] != distance[s][t]) continue;
        found.arcs[arc] += paths[s][u] * paths[v][t] / paths[s][t];
      }
    }
  }
  return found;
}

TEST(betweenness_by_length, agrees_with_its_definition_on_random_graphs) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const std::uint64_t n = 3 + seed * 2;
    const bool directed = seed % 2 == 0;
    // Many ties; lengths of 16 bits, of 32, and of more.
    const double unit = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 30011 : 3e9;
    const weight_map edges = naive::random_weights(n, seed % 5 == 0 ? n : 4 * n, seed, directed, [&](auto& random) {
      return unit * static_cast<double>(1 + random() % 4);
    });
    const weight_map arcs = naive::arcs_of(edges, directed);
    const any_graph graph = naive::weighted_graph(n, edges, directed);
    definition expected = by_definition(n, arcs);
    for (double& score : expected.vertices) score /= directed ? 1 : 2;
    const betweenness_result result = betweenness(graph, by_length);
    EXPECT_EQ(result.weights, weight_use::length);
    expect_scores(result, expected.vertices);
    EXPECT_NO_THROW(verify_betweenness(graph, by_length, result));
    const edge_betweenness_result found = edge_betweenness(graph, by_length);
    for (const scored_edge& e : found.edges) {
      const double both = expected.arcs[{e.from, e.to}] + (directed ? 0 : expected.arcs[{e.to, e.from}]);
      EXPECT_NEAR(e.score, directed ? both : both / 2, 1e-9);
    }
    EXPECT_NO_THROW(verify_edge_betweenness(graph, by_length, found));
    EXPECT_NO_THROW(verify_edge_betweenness(graph, {}, edge_betweenness(graph)));
  }
}

TEST(betweenness_by_length, takes_the_shortest_of_repeated_arcs) {
  // Two arcs from 0 to 1, of lengths 5 and 1; both rows in the order of targets.
  adjacency<std::uint32_t> out{machine::page_array<std::uint64_t>(4), machine::page_array<std::uint32_t>(4), {}};
  adjacency<std::uint32_t> in{machine::page_array<std::uint64_t>(4), machine::page_array<std::uint32_t>(4), {}};
  const auto set = [](auto& rows, const std::vector<std::uint64_t>& offsets, const std::vector<std::uint32_t>& targets,
                      const std::vector<double>& weights) {
    std::copy(offsets.begin(), offsets.end(), rows.offsets.begin());
    std::copy(targets.begin(), targets.end(), rows.targets.begin());
    weight_array::wide_form wide(weights.size());
    std::copy(weights.begin(), weights.end(), wide.begin());
    rows.weights = std::move(wide);
  };
  set(out, {0, 3, 4, 4}, {1, 1, 2, 2}, {5, 1, 3, 1});
  set(in, {0, 0, 2, 4}, {0, 0, 0, 1}, {5, 1, 3, 1});
  const any_graph graph = csr_graph<std::uint32_t>(true, std::move(out), std::move(in), {}, 0);
  const betweenness_result result = betweenness(graph, by_length);
  expect_scores(result, {0, 1, 0});
  EXPECT_NO_THROW(verify_betweenness(graph, by_length, result));
  expect_edges(edge_betweenness(graph, by_length), {2, 0, 2});
  expect_edges(edge_betweenness(graph), {1, 1, 1});
}

TEST(betweenness_by_length, counts_paths_beyond_doubles) {
  // 1,100 diamonds in a row: 2^1100 paths from end to end.
  constexpr std::uint64_t diamonds = 1100;
  constexpr std::uint64_t samples = tests::sanitized ? 8 : 40;
  naive::pairs edges;
  for (std::uint64_t d = 0; d < diamonds; ++d) {
    edges.insert(edges.end(), {{3 * d, 3 * d + 1}, {3 * d, 3 * d + 2}, {3 * d + 1, 3 * d + 3}, {3 * d + 2, 3 * d + 3}});
  }
  const std::uint64_t n = 3 * diamonds + 1;
  const any_graph plain = naive::undirected(n, edges);
  const any_graph graph = naive::weighted(naive::undirected(n, edges), [](auto, auto) { return 2.0; });
  const betweenness_result expected = betweenness(plain, {.samples = samples});
  betweenness_options options = by_length;
  options.samples = samples;
  const betweenness_result found = betweenness(graph, options);
  for (std::uint64_t v = 0; v < n; ++v) {
    EXPECT_NEAR(found.scores[v], expected.scores[v], 1e-9 * std::max(1.0, expected.scores[v])) << v;
    EXPECT_NEAR(found.standard_errors[v], expected.standard_errors[v], 1e-6 * expected.standard_errors[v] + 1e-3) << v;
  }
  const edge_betweenness_result of_edges = edge_betweenness(graph, options);
  options.weights = weight_use::none;
  const edge_betweenness_result by_steps = edge_betweenness(plain, options);
  ASSERT_EQ(of_edges.edges.size(), by_steps.edges.size());
  for (std::size_t e = 0; e < of_edges.edges.size(); ++e) {
    EXPECT_NEAR(of_edges.edges[e].score, by_steps.edges[e].score, 1e-9 * of_edges.edges[e].score) << e;
  }
}

TEST(betweenness_by_length, refuses_what_is_no_length) {
  const any_graph zero = naive::weighted_graph(3, {{{0, 0}, 0}, {{0, 1}, 1}, {{1, 2}, 0}}, true);
  EXPECT_EQ(tests::refusal<weight_error>([&] { betweenness(zero, by_length); }),
            "the edge from 1 to 2 has weight 0; betweenness by lengths needs weights above 0");
  const any_graph negative = naive::weighted_graph(2, {{{0, 1}, -1}}, true);
  EXPECT_EQ(tests::refusal<weight_error>([&] { betweenness(negative, by_length); }),
            "the edge from 0 to 1 has weight -1; lengths need weights of at least 0");
  EXPECT_EQ(tests::refusal([&] { betweenness(zero, {.weights = weight_use::strength}); }),
            "betweenness takes weights as lengths, not as strengths");
}

/// Returns, of the fifth of the vertices with the highest scores, the share with an estimate within `times` standard
/// errors. The errors of others are large: few sources depend on these, so that a sample may miss them.
double share_within(const betweenness_result& estimate, const betweenness_result& exact, double times) {
  std::vector<double> sorted(exact.scores.begin(), exact.scores.end());
  std::sort(sorted.begin(), sorted.end());
  const double high = sorted[sorted.size() / 5 * 4];
  double within = 0;
  double all = 0;
  for (std::size_t v = 0; v < exact.scores.size(); ++v) {
    if (exact.scores[v] < high) continue;
    ++all;
    if (std::fabs(estimate.scores[v] - exact.scores[v]) <= times * estimate.standard_errors[v]) ++within;
  }
  return within / all;
}

TEST(betweenness_estimates, know_their_errors) {
  if (tests::sanitized) GTEST_SKIP() << "how far estimates are off is no matter of memory or of races";
  const auto weight = [](std::uint64_t u, std::uint64_t v) { return static_cast<double>(1 + (u * v) % 5); };
  const auto edges = naive::random_pairs(800, 2000, 3);
  struct form {
    any_graph graph;
    weight_use weights;
  };
  std::vector<form> forms;
  forms.push_back({naive::undirected(800, edges), weight_use::none});
  forms.push_back({naive::directed(800, edges), weight_use::none});
  forms.push_back({naive::weighted(naive::undirected(800, edges), weight), weight_use::length});
  forms.push_back({naive::undirected(900, shapes::grid(3, 300)), weight_use::none});  // many small levels
  for (const form& f : forms) {
    betweenness_options options{.weights = f.weights};
    const betweenness_result exact = betweenness(f.graph, options);
    EXPECT_EQ(exact.standard_errors.size(), 0u);
    double half = 0;
    double twice = 0;
    double four_times = 0;
    for (options.seed = 1; options.seed <= 8; ++options.seed) {
      options.samples = 200;
      const betweenness_result estimate = betweenness(f.graph, options);
      EXPECT_NO_THROW(verify_betweenness(f.graph, options, estimate));
      half += share_within(estimate, exact, 0.5) / 8;
      twice += share_within(estimate, exact, 2) / 8;
      four_times += share_within(estimate, exact, 4) / 8;
    }
    // Dependencies are skewed: fewer scores than of a normal distribution lie within twice their standard error.
    EXPECT_LT(half, 0.6);
    EXPECT_GT(twice, 0.83);
    EXPECT_GT(four_times, 0.95);
  }
}

/// A graph that grows: each vertex joins three earlier ones, often those that many have joined.
any_graph by_preference(std::uint64_t vertices) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  std::vector<std::uint64_t> ends{0, 1, 2};
  std::mt19937_64 random(4);
  for (std::uint64_t v = 3; v < vertices; ++v) {
    std::vector<std::uint64_t> joined;
    while (joined.size() < 3) {
      const std::uint64_t u = ends[random() % ends.size()];
      if (std::find(joined.begin(), joined.end(), u) == joined.end()) joined.push_back(u);
    }
    for (const std::uint64_t u : joined) {
      edges.emplace_back(v, u);
      ends.insert(ends.end(), {u, v});
    }
  }
  return naive::undirected(vertices, edges);
}

TEST(betweenness_estimates, have_standard_errors_of_the_true_size) {
  if (tests::sanitized) GTEST_SKIP() << "how far estimates are off is no matter of memory or of races";
  const any_graph graph = by_preference(300);
  const betweenness_result exact = betweenness(graph, {});
  std::vector<std::uint64_t> best(300);
  std::iota(best.begin(), best.end(), std::uint64_t{0});
  std::sort(best.begin(), best.end(),
            [&](std::uint64_t a, std::uint64_t b) { return exact.scores[a] > exact.scores[b]; });
  best.resize(20);
  for (const std::uint64_t samples : {10U, 40U, 150U}) {
    std::vector<double> stated(20);
    std::vector<double> real(20);
    double within = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const betweenness_result estimate = betweenness(graph, {.samples = samples, .seed = seed});
      for (std::size_t i = 0; i < 20; ++i) {
        const double error = estimate.standard_errors[best[i]];
        const double off = estimate.scores[best[i]] - exact.scores[best[i]];
        stated[i] += error * error;
        real[i] += off * off;
        within += std::fabs(off) <= error ? 1.0 / (20 * 30) : 0;
      }
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < 20; ++i) ratios.push_back(std::sqrt(stated[i] / real[i]));
    std::sort(ratios.begin(), ratios.end());
    EXPECT_NEAR(ratios[10], 1.1, 0.25) << samples;
    EXPECT_NEAR(within, 0.68, 0.15) << samples;
  }
}

TEST(betweenness_estimates, have_the_promised_error) {
  if (tests::sanitized) GTEST_SKIP() << "how far estimates are off is no matter of memory or of races";
  const any_graph graph = naive::undirected(3000, naive::random_pairs(3000, 10000, 4));
  const betweenness_result exact = betweenness(graph, normalized({}));
  betweenness_options options{.error = 0.08, .normalized = true};
  const betweenness_result estimate = betweenness(graph, options);
  EXPECT_LT(estimate.sources, 3000u);
  ASSERT_EQ(estimate.standard_errors.size(), 3000u);
  double most = 0;
  for (std::size_t v = 0; v < 3000; ++v) most = std::max(most, std::fabs(estimate.scores[v] - exact.scores[v]));
  EXPECT_LE(most, 0.08);
  // The same sample on any number of threads.
  const tests::with_threads team(1);
  const betweenness_result alone = betweenness(graph, options);
  EXPECT_EQ(alone.sources, estimate.sources);
  for (std::size_t v = 0; v < 3000; ++v) EXPECT_NEAR(alone.scores[v], estimate.scores[v], 1e-12);
  // So small an error takes all sources.
  options.error = 0.001;
  const betweenness_result all = betweenness(graph, options);
  EXPECT_EQ(all.sources, 3000u);
  EXPECT_EQ(all.standard_errors.size(), 0u);
  for (std::size_t v = 0; v < 3000; ++v) EXPECT_NEAR(all.scores[v], exact.scores[v], 1e-12);
}

TEST(betweenness_estimates, of_edges_know_their_errors) {
  if (tests::sanitized) GTEST_SKIP() << "how far estimates are off is no matter of memory or of races";
  const auto edges = naive::random_pairs(600, 1500, 3);
  std::vector<any_graph> graphs;
  graphs.push_back(naive::undirected(600, edges));
  graphs.push_back(naive::directed(600, edges));
  for (const any_graph& graph : graphs) {
    betweenness_options options{.normalized = true};
    const edge_betweenness_result exact = edge_betweenness(graph, options);
    for (const scored_edge& e : exact.edges) ASSERT_EQ(e.standard_error, 0);
    double within = 0;
    for (options.seed = 1; options.seed <= 4; ++options.seed) {
      options.samples = 150;
      const edge_betweenness_result estimate = edge_betweenness(graph, options);
      EXPECT_NO_THROW(verify_edge_betweenness(graph, options, estimate));
      ASSERT_EQ(estimate.edges.size(), exact.edges.size());
      for (std::size_t e = 0; e < exact.edges.size(); ++e) {
        ASSERT_GT(estimate.edges[e].standard_error, 0);
        const double off = std::fabs(estimate.edges[e].score - exact.edges[e].score);
        within += off <= 4 * estimate.edges[e].standard_error ? 0.25 / static_cast<double>(exact.edges.size()) : 0;
      }
    }
    EXPECT_GT(within, 0.99);
  }
}

TEST(betweenness_estimates, of_edges_have_the_promised_error) {
  if (tests::sanitized) GTEST_SKIP() << "how far estimates are off is no matter of memory or of races";
  const any_graph graph = naive::undirected(2000, naive::random_pairs(2000, 4000, 4));
  const edge_betweenness_result exact = edge_betweenness(graph, {.normalized = true});
  const betweenness_options options{.error = 0.2, .normalized = true};
  const edge_betweenness_result estimate = edge_betweenness(graph, options);
  EXPECT_LT(estimate.sources, 2000u);
  EXPECT_NO_THROW(verify_edge_betweenness(graph, options, estimate));
  for (std::size_t e = 0; e < exact.edges.size(); ++e) {
    EXPECT_NEAR(estimate.edges[e].score, exact.edges[e].score, 0.2);
    EXPECT_GT(estimate.edges[e].standard_error, 0);
  }
}

TEST(betweenness_estimates, have_no_error_of_0_by_luck) {
  // Few sources depend on vertex 2: one more than the sample sees may.
  const any_graph graph = naive::undirected(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const betweenness_result estimate = betweenness(graph, {.samples = 2});
  for (std::uint64_t v = 1; v < 4; ++v) EXPECT_GT(estimate.standard_errors[v], 0) << v;
  EXPECT_EQ(estimate.standard_errors[0], 0);  // no path leads through an end
}

TEST(betweenness_estimates, refuse_contradictions) {
  const any_graph graph = naive::undirected(3, {{0, 1}, {1, 2}});
  EXPECT_EQ(tests::refusal([&] { betweenness(graph, {.samples = 1, .error = 0.1}); }),
            "an error is given beside sources, expected one of them");
  EXPECT_EQ(tests::refusal([&] { betweenness(graph, {.error = 2}); }),
            "error is 2, expected a number above 0 and below 1");
  EXPECT_EQ(tests::refusal([&] { betweenness(graph, {.error = 0.1, .confidence = 1}); }),
            "confidence is 1, expected a number above 0 and below 1");
}

}  // namespace
}  // namespace betweenness_lengths_tests
}  // namespace callisto::graph
