// Eigenvector centrality, Katz and HITS against NetworkX's scores and dense matrices.
#include "../refusal.hpp"
#include "../sanitizers.hpp"
#include "../with_threads.hpp"
#include "shapes.hpp"
#include "weighted_graphs.hpp"

#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/spectral/small_matrix.hpp>
#include <callisto/graph/spectral/spectral.hpp>
#include <callisto/graph/verify/spectral.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace callisto::graph {
namespace spectral_tests {
namespace {

using naive::weight_map;

const weight_map small{{{0, 1}, 2}, {{0, 2}, 1}, {{1, 2}, 1}, {{2, 3}, 3}, {{1, 3}, 4},   {{3, 4}, 2},  {{2, 4}, 5},
                       {{4, 4}, 1}, {{4, 5}, 1}, {{3, 5}, 3}, {{6, 7}, 2}, {{5, 0}, 2.5}, {{2, 1}, 0.5}};
const weight_map small_undirected{{{0, 1}, 2}, {{0, 2}, 1}, {{0, 5}, 2.5}, {{1, 2}, 0.5}, {{1, 3}, 4}, {{2, 3}, 3},
                                  {{2, 4}, 5}, {{3, 4}, 2}, {{3, 5}, 3},   {{4, 4}, 1},   {{4, 5}, 1}, {{6, 7}, 2}};

void expect_values(const machine::page_array<double>& found, const std::vector<double>& expected,
                   double within = 1e-9) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_NEAR(found[v], expected[v], within) << v;
}

const spectral_options exact{.tolerance = 1e-13};
const spectral_options exact_weighted{.tolerance = 1e-13, .weights = weight_use::strength};

TEST(spectral, eigenvectors_agree_with_networkx) {
  struct golden {
    any_graph graph;
    spectral_options options;
    double eigenvalue;
    std::vector<double> scores;
  };
  std::vector<golden> all;
  all.push_back({naive::weighted_graph(8, small, true),
                 exact,
                 1.9078532620869537,
                 {0.26192664336995247, 0.28851209144508677, 0.28851209144508677, 0.30244683611515444,
                  0.6509410190384292, 0.49971760098085183, 0, 0}});
  all.push_back({naive::weighted_graph<std::uint64_t>(8, small, true),
                 exact_weighted,
                 3.550368962223379,
                 {0.3555859578915073, 0.22327046137200887, 0.16304120090691013, 0.38931318488746136, 0.6249418801427031,
                  0.5049845393201923, 0, 0}});
  all.push_back({naive::weighted_graph(8, small_undirected, false),
                 exact,
                 3.578422382040888,
                 {0.3211000440224914, 0.3436778824987558, 0.45069771682706455, 0.45802686609640864, 0.48998200481103793,
                  0.35465598507857626, 0, 0}});
  all.push_back({naive::weighted_graph(8, small_undirected, false),
                 exact_weighted,
                 8.811958831800627,
                 {0.2119319017525617, 0.31501159380124355, 0.5002463999574304, 0.5254705481581576, 0.4924602678107403,
                  0.2949062423315466, 0, 0}});
  for (const golden& g : all) {
    const eigenvector_result result = eigenvector(g.graph, g.options);
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(result.eigenvalue, g.eigenvalue, 1e-10);
    expect_values(result.scores, g.scores);
    EXPECT_EQ(result.weights, g.options.weights);
    EXPECT_NO_THROW(verify_eigenvector(g.graph, g.options, result));
  }
}

TEST(spectral, katz_agrees_with_networkx) {
  struct golden {
    bool directed;
    weight_use weights;
    std::vector<double> normalized;  // alpha 0.1, beta 1
    std::vector<double> raw;         // alpha 0.05, beta 2
  };
  const std::vector<golden> all{
      {true,
       weight_use::none,
       {0.33054688973972124, 0.36280420683054926, 0.36280420683054926, 0.3660299385396321, 0.4070583463450448,
        0.37077792566198986, 0.2934690971735222, 0.3228160068908745},
       {2.1114012063962546, 2.2163895371787503, 2.2163895371787503, 2.221638953717875, 2.338843604784033,
        2.2280241279250954, 2.0, 2.1}},
      {true,
       weight_use::strength,
       {0.324051743229522, 0.3024884476192859, 0.28603058862691644, 0.43018112517782503, 0.5026978765456209,
        0.40270069474994524, 0.2233765695420357, 0.26805188345044284},
       {2.321015930329916, 2.2878626913100417, 2.230443931081998, 2.792139127924308, 2.986131469013611,
        2.5681274426393266, 2.0, 2.2}},
      {false,
       weight_use::none,
       {0.3549588900181575, 0.35824613879578016, 0.3944698533147174, 0.3948049759889885, 0.39846085970830936,
        0.35864523943513943, 0.2709141854039932, 0.2709141854039932},
       {2.3609351105040557, 2.3665833469023783, 2.4852240152619283, 2.485507812281583, 2.491454035550543,
        2.366894847916809, 2.1052631578947367, 2.1052631578947367}},
      {false,
       weight_use::strength,
       {0.24327841317818755, 0.32994835375579634, 0.4834718402072461, 0.5165203962123113, 0.47435908342614436,
        0.3137225511257267, 0.06313865078108999, 0.06313865078108999},
       {2.9010192905079757, 3.1924609457331248, 3.752333750065227, 4.042753364653483, 3.684233028793911,
        3.153252067451215, 2.2222222222222223, 2.2222222222222223}},
  };
  for (const golden& g : all) {
    const any_graph graph = naive::weighted_graph(8, g.directed ? small : small_undirected, g.directed);
    katz_options options;
    options.tolerance = 1e-13;
    options.weights = g.weights;
    options.alpha = 0.1;
    const katz_result normalized = katz(graph, options);
    EXPECT_TRUE(normalized.converged);
    expect_values(normalized.scores, g.normalized, 1e-10);
    EXPECT_NO_THROW(verify_katz(graph, options, normalized));
    options.alpha = 0.05;
    options.beta = 2;
    options.normalized = false;
    const katz_result raw = katz(graph, options);
    expect_values(raw.scores, g.raw, 1e-10);
    EXPECT_NO_THROW(verify_katz(graph, options, raw));
  }
}

TEST(spectral, katz_chooses_an_alpha_and_refuses_one_too_large) {
  const any_graph clique = naive::undirected(30, shapes::clique(30));  // largest eigenvalue 29
  const katz_result chosen = katz(clique);
  EXPECT_NEAR(chosen.alpha, 0.85 / 29, 1e-8);
  EXPECT_NO_THROW(verify_katz(clique, {}, chosen));
  katz_options options;
  options.alpha = 0.04;
  EXPECT_EQ(tests::refusal<no_centrality>([&] { katz(clique, options); }),
            "alpha is 0.04, expected less than 1 / the largest eigenvalue, 0.0344828");
  options.alpha = 0.03;
  EXPECT_TRUE(katz(clique, options).converged);
  const any_graph path = naive::directed(50, shapes::path(50));  // no cycle: any alpha will do
  EXPECT_EQ(katz(path).alpha, 0.1);
  options.alpha = 3;
  options.normalized = false;
  const katz_result large = katz(naive::directed(4, shapes::path(4)), options);
  expect_values(large.scores, {1, 4, 13, 40}, 1e-7);
}

TEST(spectral, hits_agrees_with_networkx) {
  const any_graph graph = naive::weighted_graph(8, small, true);
  const hits_result result = hits(graph, exact_weighted);
  EXPECT_TRUE(result.converged);
  expect_values(result.hubs, {0.018631828596112995, 0.2240603714660505, 0.50153430515273, 0.17511242848101224,
                              0.08066106630409424, 0, 0, 0});
  expect_values(result.authorities, {0, 0.044475807569255725, 0.03747492012120555, 0.37072247126176594,
                                     0.45375255424672584, 0.09357424680104695, 0, 0});
  EXPECT_NO_THROW(verify_hits(graph, exact_weighted, result));
  const any_graph undirected = naive::weighted_graph(8, small_undirected, false);
  const hits_result alike = hits(undirected, exact_weighted);
  const std::vector<double> expected{0.09056814555377002,
                                     0.13461878859477247,
                                     0.21377805035218816,
                                     0.22455747670009338,
                                     0.21045068177892964,
                                     0.1260268570202463,
                                     0,
                                     0};
  expect_values(alike.hubs, expected);
  expect_values(alike.authorities, expected);
}

TEST(spectral, random_graphs_satisfy_the_definitions) {
  for (unsigned seed = 0; seed < (tests::sanitized ? 6 : 24); ++seed) {
    SCOPED_TRACE(seed);
    const std::uint64_t n = 5 + seed * 20;
    const bool directed = seed % 2 == 0;
    const weight_map edges = naive::random_weights(
        n, 4 * n, seed, directed, [](std::mt19937_64& random) { return static_cast<double>(1 + random() % 100) / 7; });
    const any_graph graph = naive::weighted_graph(n, edges, directed);
    for (const weight_use use : {weight_use::none, weight_use::strength}) {
      spectral_options options{.tolerance = 1e-11};
      options.weights = use;
      const eigenvector_result vector = eigenvector(graph, options);
      EXPECT_TRUE(vector.converged);
      EXPECT_NO_THROW(verify_eigenvector(graph, options, vector));
      katz_options steps;
      steps.weights = use;
      EXPECT_NO_THROW(verify_katz(graph, steps, katz(graph, steps)));
      const hits_result found = hits(graph, options);
      EXPECT_TRUE(found.converged);
      EXPECT_NO_THROW(verify_hits(graph, options, found));
    }
  }
}

TEST(spectral, closed_forms) {
  // A star is bipartite: the power iteration without a shift never ends on it.
  const any_graph star = naive::undirected(17, shapes::star(16));
  const eigenvector_result result = eigenvector(star, exact);
  EXPECT_NEAR(result.eigenvalue, 4, 1e-10);
  EXPECT_NEAR(result.scores[0], std::sqrt(0.5), 1e-10);
  EXPECT_NEAR(result.scores[5], std::sqrt(0.5) / 4, 1e-10);
  const any_graph cycle = naive::directed(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}});
  EXPECT_NEAR(eigenvector(cycle).eigenvalue, 1, 1e-10);
  expect_values(eigenvector(cycle).scores, std::vector<double>(5, std::sqrt(0.2)));
  // Without arcs all are alike.
  expect_values(eigenvector(naive::undirected(4, {})).scores, {0.5, 0.5, 0.5, 0.5});
  expect_values(katz(naive::undirected(4, {})).scores, {0.5, 0.5, 0.5, 0.5});
  expect_values(hits(naive::undirected(4, {})).hubs, {0.25, 0.25, 0.25, 0.25});
  expect_values(eigenvector(naive::undirected(1, {{0, 0}})).scores, {1});
}

TEST(spectral, does_not_depend_on_threads) {
  const any_graph graph = naive::directed(4000, naive::random_pairs(4000, 20000, 6));
  const auto scores_with = [&](unsigned count) {
    const tests::with_threads team(count);
    const eigenvector_result result = eigenvector(graph);
    return std::vector<double>(result.scores.begin(), result.scores.end());
  };
  EXPECT_EQ(scores_with(1), scores_with(3));
}

TEST(spectral, is_the_same_to_the_last_bit_in_places_by_degree) {
  const auto arcs = naive::random_pairs(3'000, 20'000, 7);
  for (const bool directed : {false, true}) {
    for (const weight_use weights : {weight_use::none, weight_use::strength}) {
      const any_graph graph = with_random_weights(
          directed ? any_graph(naive::directed(3'000, arcs)) : any_graph(naive::undirected(3'000, arcs)), 3);
      spectral_options options{.weights = weights, .inside_order = gather_order::given};
      const eigenvector_result given = eigenvector(graph, options);
      const hits_result hits_given = hits(graph, options);
      options.inside_order = gather_order::degrees;
      const eigenvector_result placed = eigenvector(graph, options);
      EXPECT_EQ(placed.inside_order, gather_order::degrees);
      EXPECT_TRUE(std::equal(given.scores.begin(), given.scores.end(), placed.scores.begin()));
      const hits_result hits_placed = hits(graph, options);
      EXPECT_TRUE(std::equal(hits_given.hubs.begin(), hits_given.hubs.end(), hits_placed.hubs.begin()));
      EXPECT_TRUE(
          std::equal(hits_given.authorities.begin(), hits_given.authorities.end(), hits_placed.authorities.begin()));
    }
  }
}

TEST(spectral, refuses_what_has_no_centrality) {
  const any_graph path = naive::directed(5, shapes::path(5));
  EXPECT_EQ(tests::refusal<no_centrality>([&] { eigenvector(path); }),
            "the graph has no cycle, so 0 is its only eigenvalue: eigenvector centrality needs a cycle");
  EXPECT_EQ(tests::refusal([&] { eigenvector(naive::undirected(0, {})); }),
            "the graph has no vertices, a centrality needs at least 1");
  EXPECT_EQ(tests::refusal([&] { eigenvector(path, {.tolerance = 0}); }), "tolerance is 0, expected a number above 0");
  EXPECT_EQ(tests::refusal([&] { hits(path, {.weights = weight_use::length}); }),
            "this centrality takes weights as strengths, not as lengths");
  katz_options options;
  options.beta = 0;
  EXPECT_EQ(tests::refusal([&] { katz(path, options); }), "beta is 0, expected a number above 0");
  const any_graph negative = naive::weighted_graph(2, {{{0, 1}, -1}}, true);
  EXPECT_EQ(tests::refusal<weight_error>([&] { hits(negative); }),
            "the edge from 0 to 1 has weight -1; strengths need weights of at least 0");
}

TEST(spectral, verify_finds_wrong_scores) {
  const any_graph graph = naive::weighted_graph(8, small, true);
  eigenvector_result vector = eigenvector(graph);
  vector.scores[1] += 1e-3;
  EXPECT_THROW(verify_eigenvector(graph, {}, vector), wrong_result);
  katz_result steps = katz(graph);
  steps.scores[1] += 1e-3;
  EXPECT_THROW(verify_katz(graph, {}, steps), wrong_result);
  hits_result found = hits(graph);
  found.hubs[1] += 1e-3;
  EXPECT_THROW(verify_hits(graph, {.weights = weight_use::strength}, found), wrong_result);
}

TEST(spectral, small_matrices) {
  small_matrix matrix{};
  matrix[0] = {2, 1, 0};
  matrix[1] = {1, 2, 1};
  matrix[2] = {0, 1, 2};
  const small_eigenpair pair = rightmost(matrix, 3);
  EXPECT_NEAR(pair.value, 2 + std::sqrt(2), 1e-13);
  EXPECT_NEAR(std::fabs(pair.vector[1]), std::sqrt(0.5), 1e-12);
  const small_vector x = solve(matrix, {1, 2, 3}, 3);
  EXPECT_NEAR(x[0], 0.5, 1e-14);
  EXPECT_NEAR(x[1], 0, 1e-14);
  EXPECT_NEAR(x[2], 1.5, 1e-14);
}

/// Returns all arcs from each vertex of a layer to each of the next.
std::vector<std::pair<std::uint64_t, std::uint64_t>> between_layers(std::uint64_t layers, std::uint64_t wide) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> arcs;
  for (std::uint64_t layer = 0; layer + 1 < layers; ++layer) {
    for (std::uint64_t a = 0; a < wide; ++a) {
      for (std::uint64_t b = 0; b < wide; ++b) arcs.emplace_back(layer * wide + a, (layer + 1) * wide + b);
    }
  }
  return arcs;
}

// 60 layers of 20 vertices, all arcs to the next layer: sums over walks grow 2-fold a layer with an alpha of 0.1.
TEST(katz, of_a_deep_graph_without_cycles) {
  constexpr std::uint64_t layers = 60, wide = 20;
  const auto arcs = between_layers(layers, wide);
  const any_graph graph = naive::directed(layers * wide, arcs);
  const katz_result usual = katz(graph);
  EXPECT_DOUBLE_EQ(usual.alpha, 0.85 / wide);
  EXPECT_TRUE(usual.converged);
  EXPECT_NO_THROW(verify_katz(graph, {}, usual));
  katz_options options;
  options.alpha = 0.1;
  options.normalized = false;
  const katz_result found = katz(graph, options);
  EXPECT_TRUE(found.converged);
  double expected = 1;
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    EXPECT_NEAR(found.scores[layer * wide], expected, 1e-9 * expected) << layer;
    expected = 1 + 0.1 * wide * expected;
  }
}

// The same with a triangle among the vertices of a layer in the middle: sums grow along paths before and behind it.
TEST(katz, of_a_deep_graph_with_a_short_cycle) {
  constexpr std::uint64_t layers = 40, wide = 20;
  auto arcs = between_layers(layers, wide);
  const std::uint64_t middle = layers / 2 * wide;
  for (const std::uint64_t a : {0U, 1U, 2U}) arcs.emplace_back(middle + a, middle + (a + 1) % 3);
  const any_graph graph = naive::directed(layers * wide, arcs);
  katz_options options;
  options.alpha = 0.1;
  options.normalized = false;
  const katz_result found = katz(graph, options);
  EXPECT_TRUE(found.converged);
  double before = 1;
  for (std::uint64_t layer = 1; layer < layers / 2; ++layer) before = 1 + 0.1 * wide * before;
  const double alone = 1 + 0.1 * wide * before;  // of the middle layer's other vertices
  EXPECT_NEAR(found.scores[middle + 3], alone, 1e-9 * alone);
  EXPECT_NEAR(found.scores[middle], alone / 0.9, 1e-9 * alone);
  const double after = 1 + 0.1 * (17 * alone + 3 * alone / 0.9);
  EXPECT_NEAR(found.scores[middle + wide], after, 1e-9 * after);
  options.alpha = 1.01;
  EXPECT_THROW(katz(graph, options), no_centrality);
}

}  // namespace
}  // namespace spectral_tests
}  // namespace callisto::graph
