// Closeness against NetworkX's scores, the definition, and the bounds of estimates.
#include "../refusal.hpp"
#include "../sanitizers.hpp"
#include "../with_threads.hpp"
#include "shapes.hpp"
#include "weighted_graphs.hpp"

#include <callisto/graph/closeness/closeness.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/multisource/lane_search.hpp>
#include <callisto/graph/verify/closeness.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace callisto::graph {
namespace closeness_tests {
namespace {

using naive::weight_map;

const weight_map small{{{0, 1}, 2.5}, {{0, 2}, 0.5}, {{1, 2}, 3}, {{2, 0}, 1}, {{2, 3}, 0.25}, {{3, 3}, 2},
                       {{3, 4}, 1},   {{5, 1}, 4},   {{5, 0}, 4}, {{4, 4}, 1}, {{6, 7}, 2}};
const weight_map small_undirected{{{0, 1}, 2.5},  {{0, 2}, 1}, {{0, 5}, 4}, {{1, 2}, 3}, {{1, 5}, 4},
                                  {{2, 3}, 0.25}, {{3, 3}, 2}, {{3, 4}, 1}, {{4, 4}, 1}, {{6, 7}, 2}};

void expect_scores(const closeness_result& result, const std::vector<double>& expected, double within = 1e-12) {
  ASSERT_EQ(result.scores.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_NEAR(result.scores[v], expected[v], within) << v;
}

TEST(closeness, agrees_with_networkx) {
  struct golden {
    bool directed;
    closeness_options options;
    std::vector<double> scores;
  };
  const weight_use length = weight_use::length;
  const std::vector<golden> all{
      {true,
       {},
       {0.3214285714285714, 0.3214285714285714, 0.3214285714285714, 0.2857142857142857, 0.27472527472527475, 0, 0,
        0.14285714285714285}},
      {true, {.harmonic = true}, {2.5, 2.5, 2.5, 2.3333333333333335, 2.4166666666666665, 0, 0, 1}},
      {true,
       {.outgoing = true},
       {0.32653061224489793, 0.2857142857142857, 0.38095238095238093, 0.14285714285714285, 0, 0.3246753246753247,
        0.14285714285714285, 0}},
      {true,
       {.harmonic = true, .outgoing = true},
       {2.8333333333333335, 2.3333333333333335, 3, 1, 0, 3.0833333333333335, 1, 0}},
      {false,
       {},
       {0.44642857142857145, 0.44642857142857145, 0.5102040816326531, 0.39682539682539686, 0.27472527472527475,
        0.3246753246753247, 0.14285714285714285, 0.14285714285714285}},
      {false,
       {.harmonic = true},
       {3.8333333333333335, 3.8333333333333335, 4, 3.3333333333333335, 2.4166666666666665, 3.0833333333333335, 1, 1}},
      {true,
       {.weights = length},
       {0.14285714285714285, 0.12857142857142856, 0.1607142857142857, 0.25396825396825395, 0.25510204081632654, 0, 0,
        0.07142857142857142}},
      {true,
       {.harmonic = true, .weights = length},
       {1.5, 0.9357142857142857, 2.555555555555556, 5.851551956815114, 2.780635732553891, 0, 0, 0.5}},
      {true,
       {.outgoing = true, .weights = length},
       {0.41558441558441556, 0.15763546798029557, 0.38095238095238093, 0.14285714285714285, 0, 0.15527950310559005,
        0.07142857142857142, 0}},
      {true,
       {.harmonic = true, .outgoing = true, .weights = length},
       {4.304761904761905, 1.1263197586726998, 6.085714285714285, 1, 0, 1.1066615814899567, 0.5, 0}},
      {false,
       {.weights = length},
       {0.3246753246753247, 0.21008403361344538, 0.3401360544217687, 0.3246753246753247, 0.23809523809523808,
        0.1457725947521866, 0.07142857142857142, 0.07142857142857142}},
      {false,
       {.harmonic = true, .weights = length},
       {2.894444444444445, 1.5263197586727, 6.333333333333333, 6.298168498168498, 2.6397385620915035,
        1.0504761904761903, 0.5, 0.5}},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    const golden& g = all[i];
    const weight_map& edges = g.directed ? small : small_undirected;
    for (const any_graph& graph : {any_graph(naive::weighted_graph(8, edges, g.directed)),
                                   any_graph(naive::weighted_graph<std::uint64_t>(8, edges, g.directed))}) {
      const closeness_result result = closeness(graph, g.options);
      expect_scores(result, g.scores);
      EXPECT_EQ(result.weights, g.options.weights);
      EXPECT_EQ(result.standard_errors.size(), 0u);
      EXPECT_NO_THROW(verify_closeness(graph, g.options, result));
    }
  }
}

/// Returns the scores by the definition.
std::vector<double> by_definition(std::uint64_t n, const weight_map& arcs, const closeness_options& options) {
  const auto distances = naive::all_distances(n, arcs);
  std::vector<double> scores(n);
  for (std::uint64_t v = 0; v < n; ++v) {
    double reached = 0;
    double sum = 0;
    for (std::uint64_t s = 0; s < n; ++s) {
      const double distance = options.outgoing ? distances[v][s] : distances[s][v];
      if (s == v || distance == std::numeric_limits<double>::infinity()) continue;
      ++reached;
      if (!options.harmonic) sum += distance;
      if (options.harmonic && distance > 0) sum += 1 / distance;
    }
    if (options.harmonic) {
      scores[v] = options.normalized ? sum / static_cast<double>(n - 1) : sum;
    } else if (sum > 0) {
      scores[v] = reached / sum * reached / static_cast<double>(n - 1);
    }
  }
  return scores;
}

TEST(closeness, agrees_with_its_definition_on_random_graphs) {
  for (unsigned seed = 0; seed < (tests::sanitized ? 16 : 36); ++seed) {
    const std::uint64_t n = 2 + seed * 7;
    const bool directed = seed % 2 == 0;
    // Lengths with ties, zeros, parts, of 16 bits and of more.
    const auto weight = [&](std::mt19937_64& random) {
      const double whole = static_cast<double>(random() % 9);
      return seed % 5 == 0 ? whole : seed % 5 == 1 ? whole + 0.1 : seed % 5 == 2 ? whole * 10007 : whole * 5e8 + 1;
    };
    const weight_map edges = naive::random_weights(n, seed % 3 == 0 ? n : 3 * n, seed, directed, weight);
    const any_graph graph = naive::weighted_graph(n, edges, directed);
    weight_map arcs = naive::arcs_of(edges, directed);
    for (const bool harmonic : {false, true}) {
      for (const weight_use weights : {weight_use::length, weight_use::none}) {
        closeness_options options{.harmonic = harmonic, .outgoing = seed % 3 == 1, .normalized = seed % 4 == 1};
        options.weights = weights;
        if (weights == weight_use::none) {
          for (auto& [arc, length] : arcs) length = 1;
        } else {
          arcs = naive::arcs_of(edges, directed);
        }
        SCOPED_TRACE(seed);
        const std::vector<double> expected = by_definition(n, arcs, options);
        const closeness_result result = closeness(graph, options);
        expect_scores(result, expected, 1e-12 * (1 + *std::max_element(expected.begin(), expected.end())));
        EXPECT_NO_THROW(verify_closeness(graph, options, result));
      }
    }
  }
}

TEST(closeness, does_not_depend_on_threads_nor_on_the_width_of_searches) {
  const auto edges = naive::random_pairs(1500, 4000, 5);
  const any_graph graph = naive::undirected(1500, edges);
  for (const bool harmonic : {false, true}) {
    std::vector<std::vector<double>> found;
    for (const unsigned count : {1U, 2U, 16U}) {  // with 16 threads there are fewer sources a search
      const tests::with_threads team(count);
      const closeness_result result = closeness(graph, {.harmonic = harmonic});
      found.emplace_back(result.scores.begin(), result.scores.end());
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
  }
}

TEST(closeness, of_long_paths) {
  constexpr std::uint64_t n = tests::sanitized ? 600 : 3000;
  const any_graph graph = naive::weighted(naive::undirected(n, shapes::path(n)), [](auto, auto) { return 7.0; });
  for (const weight_use weights : {weight_use::none, weight_use::length}) {
    closeness_options options;
    options.weights = weights;
    const closeness_result result = closeness(graph, options);
    const double scale = weights == weight_use::length ? 7 : 1;
    EXPECT_NEAR(result.scores[0], 2 / (scale * n), 1e-12);
    EXPECT_NEAR(result.scores[n / 2 - 1], (n - 1) / (scale * n * n / 4), 1e-12);
  }
}

/// Counts the vertices with an estimate within `times` standard errors of the score.
double share_inside(const closeness_result& estimate, const closeness_result& exact, double times) {
  double within = 0;
  for (std::size_t v = 0; v < exact.scores.size(); ++v) {
    if (std::fabs(estimate.scores[v] - exact.scores[v]) <= times * estimate.standard_errors[v]) ++within;
  }
  return within / static_cast<double>(exact.scores.size());
}

TEST(closeness, estimates_know_their_errors) {
  if (tests::sanitized) GTEST_SKIP() << "how far estimates are off is no matter of memory or of races";
  const any_graph graph =
      naive::weighted(naive::directed(2000, naive::random_pairs(2000, 6000, 8)),
                      [](std::uint64_t u, std::uint64_t v) { return static_cast<double>(1 + (u * 31 + v) % 20); });
  for (const bool harmonic : {false, true}) {
    for (const weight_use weights : {weight_use::none, weight_use::length}) {
      closeness_options options{.harmonic = harmonic};
      options.weights = weights;
      const closeness_result exact = closeness(graph, options);
      double half = 0;
      double twice = 0;
      double four_times = 0;
      constexpr int rounds = 5;
      for (unsigned seed = 1; seed <= rounds; ++seed) {
        options.samples = 300;
        options.seed = seed;
        const closeness_result estimate = closeness(graph, options);
        EXPECT_EQ(estimate.sources, 300u);
        EXPECT_NO_THROW(verify_closeness(graph, options, estimate, 20));
        half += share_inside(estimate, exact, 0.5) / rounds;
        twice += share_inside(estimate, exact, 2) / rounds;
        four_times += share_inside(estimate, exact, 4) / rounds;
      }
      EXPECT_LT(half, 0.6);
      EXPECT_GT(twice, 0.9);
      EXPECT_GT(four_times, 0.99);
    }
  }
}

TEST(closeness, errors_have_the_promised_bound) {
  const any_graph graph = naive::undirected(3000, naive::random_pairs(3000, 15000, 9));
  closeness_options options{.harmonic = true, .normalized = true};
  const closeness_result exact = closeness(graph, options);
  options.error = 0.1;
  const std::uint64_t sources = closeness_samples(3000, options);
  EXPECT_EQ(sources, static_cast<std::uint64_t>(std::ceil(std::log(4 * 3000 / 0.1) / 0.02)));
  const closeness_result estimate = closeness(graph, options);
  EXPECT_EQ(estimate.sources, sources);
  for (std::size_t v = 0; v < 3000; ++v) EXPECT_NEAR(estimate.scores[v], exact.scores[v], options.error);
  options.error = 0.001;  // needs more sources than there are vertices
  EXPECT_EQ(closeness(graph, options).standard_errors.size(), 0u);
}

TEST(closeness, small_and_odd_graphs) {
  expect_scores(closeness(naive::undirected(0, {})), {});
  expect_scores(closeness(naive::undirected(1, {})), {0});
  expect_scores(closeness(naive::undirected(1, {{0, 0}})), {0});
  expect_scores(closeness(naive::undirected(3, {{0, 1}, {0, 1}, {1, 1}})), {0.5, 0.5, 0});
}

TEST(closeness, is_exact_where_all_other_vertices_are_sources) {
  const any_graph graph = naive::undirected(3, {{0, 1}});
  for (const bool harmonic : {false, true}) {
    const closeness_result exact = closeness(graph, {.harmonic = harmonic});
    closeness_options options{.harmonic = harmonic, .samples = 2};
    for (unsigned seed = 1; seed <= 9; ++seed) {
      options.seed = seed;
      const closeness_result estimate = closeness(graph, options);
      const auto sources = closeness_sources(3, options);
      for (std::uint64_t v = 0; v < 3; ++v) {
        if (std::ranges::find(sources, v) != sources.end()) continue;
        EXPECT_EQ(estimate.scores[v], exact.scores[v]);
        EXPECT_EQ(estimate.standard_errors[v], 0);
      }
    }
  }
}

TEST(closeness, refuses_wrong_arguments) {
  const any_graph graph = naive::weighted_graph(8, small, true);
  EXPECT_EQ(tests::refusal([&] { closeness(graph, {.samples = 9}); }),
            "samples is 9, expected at most the graph's 8 vertices");
  EXPECT_EQ(tests::refusal([&] { closeness(graph, {.samples = 3, .error = 0.1}); }),
            "both samples and an error are given, expected one of them");
  EXPECT_EQ(tests::refusal([&] { closeness(graph, {.error = 1}); }),
            "error is 1, expected a number above 0 and below 1");
  EXPECT_EQ(tests::refusal([&] { closeness(graph, {.weights = weight_use::strength}); }),
            "closeness takes weights as lengths, not as strengths");
  const any_graph negative = naive::weighted_graph(2, {{{0, 1}, -1}}, true);
  EXPECT_EQ(tests::refusal<weight_error>([&] { closeness(negative, {.weights = weight_use::length}); }),
            "the edge from 0 to 1 has weight -1; lengths need weights of at least 0");
  EXPECT_EQ(tests::refusal([&] { closeness(naive::directed(2, {{0, 1}}, false)); }),
            "the graph was built without in-edges, along which closeness searches");
}

TEST(closeness, verify_finds_wrong_scores) {
  const any_graph graph = naive::weighted_graph(8, small, true);
  closeness_result result = closeness(graph);
  result.scores[2] *= 1.001;
  EXPECT_THROW(verify_closeness(graph, {}, result), wrong_result);
}

TEST(lane_search, says_that_distances_do_not_fit) {
  constexpr std::uint64_t n = 100;
  const auto graph = naive::weighted(naive::undirected(n, shapes::path(n)), [](auto, auto) { return 1000.0; });
  const hub_numbers numbers = number_hubs_first(graph, {});
  const auto rows = sort_by_length<std::uint16_t>(graph.in(), numbers, false, {});
  const landmarks<std::uint16_t> none;
  lane_search<std::uint16_t> search(rows, none, 1000);
  const std::vector<std::uint32_t> end{numbers.number[0]};
  EXPECT_EQ(search.run(end, {}), lane_end::overflown);
  EXPECT_TRUE(find_landmarks<std::uint16_t>(rows, nullptr, 1000, {}).from.empty());
}

}  // namespace
}  // namespace closeness_tests
}  // namespace callisto::graph
