// Spanning forests, trusses, greedy structures, similarities, clustering, eccentricities, walks and subgraphs: values
// of NetworkX on small graphs, and the sequential checks on random ones.
#include "../sanitizers.hpp"
#include "../with_threads.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/distance/eccentricities.hpp>
#include <callisto/graph/forest/spanning_forest.hpp>
#include <callisto/graph/greedy/colouring.hpp>
#include <callisto/graph/greedy/independent_set.hpp>
#include <callisto/graph/greedy/matching.hpp>
#include <callisto/graph/similarity/similarity.hpp>
#include <callisto/graph/subgraph/subgraph.hpp>
#include <callisto/graph/triangles/valued_clustering.hpp>
#include <callisto/graph/truss/truss.hpp>
#include <callisto/graph/verify/structure.hpp>
#include <callisto/graph/walks/random_walks.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;

/// Whole weights from 1 to `most`, the same in both directions.
auto whole_weights(std::uint64_t most) {
  return [most](std::uint64_t u, std::uint64_t v) {
    return static_cast<double>(1 + below(counter_random(std::min(u, v))(std::max(u, v)), most));
  };
}
/// Weights with fractions, different in the two directions.
double fraction(std::uint64_t u, std::uint64_t v) { return 0.001 + to_unit(counter_random(u)(v)); }

double symmetric_fraction(std::uint64_t u, std::uint64_t v) { return fraction(std::min(u, v), std::max(u, v)); }

/// Random graphs for each check: undirected, directed with repeats and loops, and with 64-bit vertices.
template <class Check>
void on_random_graphs(Check check, std::uint64_t vertices = 300) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    for (const std::size_t edges : {vertices / 2, vertices * 2, vertices * 12}) {
      const pairs all = naive::random_pairs(vertices, edges, seed);
      check(naive::undirected(vertices, all));
      check(naive::directed(vertices, all));
      check(naive::directed<std::uint64_t>(vertices, all));
    }
  }
  check(naive::undirected(0, {}));
  check(naive::undirected(1, {{0, 0}}));
  check(naive::undirected(9, {}));
}

// --- spanning forests ---

TEST(spanning_forest, of_random_graphs_is_that_of_kruskal) {
  on_random_graphs([]<class Vertex>(const csr_graph<Vertex>& graph) {
    for (const bool heaviest : {false, true}) {
      const forest_options options{heaviest};
      EXPECT_NO_THROW(verify_forest(graph, options, spanning_forest(graph, options)));
    }
  });
}

TEST(spanning_forest, takes_weights_of_any_sign_and_many_equal_ones) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    if (tests::sanitized && seed > 1) break;
    const pairs all = naive::random_pairs(2000, tests::sanitized ? 5'000 : 30'000, seed);
    const auto check = [](const auto& graph) {
      for (const bool heaviest : {false, true}) {
        const forest_options options{heaviest};
        EXPECT_NO_THROW(verify_forest(graph, options, spanning_forest(graph, options)));
      }
    };
    check(naive::weighted(naive::undirected(2000, all), whole_weights(3)));
    check(naive::weighted(naive::undirected(2000, all), whole_weights(100'000)));
    check(naive::weighted(naive::directed(2000, all), fraction));
    check(naive::weighted(naive::undirected(2000, all),
                          [](std::uint64_t u, std::uint64_t v) { return whole_weights(50)(u, v) - 25; }));
    check(surveyed(naive::weighted(naive::undirected(2000, all), whole_weights(1000)), {}));  // short weights
  }
}

TEST(spanning_forest, of_a_long_path_and_of_no_number) {
  constexpr std::uint64_t length = tests::sanitized ? 10'000 : 100'000;
  const auto path = naive::weighted(naive::undirected(length, shapes::path(length)), whole_weights(1000));
  EXPECT_EQ(spanning_forest(path).edges.size(), length - 1);
  EXPECT_EQ(spanning_forest(path).trees, 1u);
  const auto wrong = naive::weighted(naive::undirected(3, {{0, 1}, {1, 2}}), [](std::uint64_t, std::uint64_t) {
    return std::numeric_limits<double>::quiet_NaN();
  });
  EXPECT_THROW(spanning_forest(wrong), weight_error);
}

// --- trusses ---

TEST(truss, of_random_graphs) {
  on_random_graphs(
      []<class Vertex>(const csr_graph<Vertex>& graph) { EXPECT_NO_THROW(verify_truss(graph, truss(graph))); });
}

TEST(truss, of_dense_graphs) {
  for (const unsigned seed : {1u, 2u}) {
    const auto graph = naive::undirected(150, naive::random_pairs(150, 4000, seed));
    EXPECT_NO_THROW(verify_truss(graph, truss(graph)));
  }
  const auto clique = truss(naive::undirected(120, shapes::clique(120)));
  EXPECT_EQ(clique.highest, 120u);
  EXPECT_EQ(clique.innermost, 120u * 119 / 2);
}

// NetworkX: k_truss(karate, k) has 67, 25 and 14 edges for k = 3, 4 and 5 (of 78), and none for 6.
TEST(truss, of_the_karate_club) {
  const auto found = truss(naive::undirected(34, shapes::karate_club()));
  EXPECT_EQ(found.highest, 5u);
  EXPECT_EQ(found.innermost, 14u);
  const auto at_least = [&](std::uint32_t k) {
    return std::count_if(found.trussness.begin(), found.trussness.end(), [k](std::uint32_t t) { return t >= k; });
  };
  EXPECT_EQ(at_least(2), 78);
  EXPECT_EQ(at_least(3), 67);
  EXPECT_EQ(at_least(4), 25);
}

// --- greedy structures ---

TEST(independent_set, of_random_graphs_is_that_of_the_sequential_loop) {
  on_random_graphs([]<class Vertex>(const csr_graph<Vertex>& graph) {
    for (const std::uint64_t seed : {1u, 7u}) {
      EXPECT_NO_THROW(verify_independent_set(graph, {seed}, maximal_independent_set(graph, {seed})));
    }
  });
}

TEST(independent_set, of_a_star_and_a_clique) {
  const auto star = maximal_independent_set(naive::undirected(10'001, shapes::star(10'000)));
  EXPECT_TRUE(star.size == 10'000 || star.size == 1);
  EXPECT_EQ(maximal_independent_set(naive::undirected(300, shapes::clique(300))).size, 1u);
}

TEST(colouring, of_random_graphs) {
  on_random_graphs([]<class Vertex>(const csr_graph<Vertex>& graph) {
    for (const colouring_order order :
         {colouring_order::largest_log_first, colouring_order::smallest_log_last, colouring_order::random}) {
      EXPECT_NO_THROW(verify_colouring(graph, colouring(graph, {order, 3})));
    }
  });
}

TEST(colouring, of_shapes) {
  EXPECT_EQ(colouring(naive::undirected(200, shapes::clique(200))).count, 200u);
  EXPECT_EQ(colouring(naive::undirected(50'001, shapes::star(50'000))).count, 2u);
  EXPECT_LE(colouring(naive::undirected(10'000, shapes::grid(100))).count, 5u);
}

TEST(matching, of_random_graphs) {
  on_random_graphs([]<class Vertex>(const csr_graph<Vertex>& graph) {
    for (const std::uint64_t seed : {1u, 9u}) {
      EXPECT_NO_THROW(verify_matching(graph, {false, seed}, maximal_matching(graph, {false, seed})));
    }
  });
}

TEST(matching, by_weight_is_that_of_the_sequential_loop) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const pairs all = naive::random_pairs(400, 3000, seed);
    const auto graph = naive::weighted(naive::undirected(400, all), symmetric_fraction);
    const matching_options options{true, 1};
    const auto found = maximal_matching(graph, options);
    EXPECT_NO_THROW(verify_matching(graph, options, found));
    // All weights differ: the sequential loop by falling weight is the only result.
    std::vector<std::pair<double, std::pair<std::uint64_t, std::uint64_t>>> edges;
    for (const auto& [u, v] : naive::simple_edges(all)) edges.push_back({-symmetric_fraction(u, v), {u, v}});
    std::sort(edges.begin(), edges.end());
    std::vector<std::uint32_t> partners(400, found.single);
    for (const auto& [weight, ends] : edges) {
      const auto [u, v] = ends;
      if (partners[u] != found.single || partners[v] != found.single) continue;
      partners[u] = static_cast<std::uint32_t>(v);
      partners[v] = static_cast<std::uint32_t>(u);
    }
    EXPECT_TRUE(std::equal(partners.begin(), partners.end(), found.partners.begin()));
  }
  EXPECT_THROW(maximal_matching(naive::undirected(2, {{0, 1}}), {true, 1}), usage_error);
}

// A path with rising weights: each edge waits for the next one.
TEST(matching, of_a_path_with_rising_weights) {
  const auto graph = naive::weighted(naive::undirected(20'001, shapes::path(20'001)),
                                     [](std::uint64_t u, std::uint64_t v) { return static_cast<double>(u + v); });
  const auto found = maximal_matching(graph, {true, 1});
  EXPECT_EQ(found.edges, 10'000u);
  EXPECT_NO_THROW(verify_matching(graph, {true, 1}, found));
}

// --- similarities ---

TEST(similarity, of_random_graphs) {
  on_random_graphs(
      []<class Vertex>(const csr_graph<Vertex>& graph) {
        for (const similarity_measure measure :
             {similarity_measure::jaccard, similarity_measure::overlap, similarity_measure::cosine,
              similarity_measure::common, similarity_measure::adamic_adar, similarity_measure::resource_allocation}) {
          for (const std::uint64_t least : {1u, 2u}) {
            const similarity_options options{measure, least};
            for (const double threshold : {0.05, 1.0 / 3, 0.5, 1.0}) {
              EXPECT_NO_THROW(
                  verify_similarity(graph, threshold, 0, options, similar_pairs(graph, threshold, options)));
            }
            for (const std::uint64_t most : {1u, 4u, 1000u}) {
              EXPECT_NO_THROW(verify_similarity(graph, 0, most, options, most_similar(graph, most, options)));
            }
          }
        }
      },
      tests::sanitized ? 3 : 25);
}

TEST(similarity, predicts_links_of_random_graphs) {
  on_random_graphs(
      []<class Vertex>(const csr_graph<Vertex>& graph) {
        for (const similarity_measure measure :
             {similarity_measure::jaccard, similarity_measure::overlap, similarity_measure::cosine,
              similarity_measure::common, similarity_measure::adamic_adar, similarity_measure::resource_allocation,
              similarity_measure::preferential_attachment}) {
          for (const std::uint64_t count : {1u, 7u, 100'000u}) {
            const similarity_options options{measure, count == 7 ? 2U : 1U};
            const std::vector<similar_pair> found = predicted_links(graph, count, options);
            EXPECT_NO_THROW(verify_predicted_links(graph, count, options, found));
            if (found.size() < 2 || found.front().value == found.back().value) continue;
            std::vector<similar_pair> wrong(found.begin() + 1, found.end());
            EXPECT_THROW(verify_predicted_links(graph, wrong.size() + (count == 1 ? 1 : 0), options, wrong),
                         wrong_result);
          }
        }
      },
      tests::sanitized ? 2 : 10);
}

// NetworkX: jaccard_coefficient of (0, 33), (0, 1), (4, 10) and (16, 33).
TEST(similarity, of_pairs_of_the_karate_club) {
  const auto graph = naive::undirected(34, shapes::karate_club());
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> ends{{0, 33}, {0, 1}, {4, 10}, {16, 33}, {5, 5}};
  const std::vector<double> found = similarities(graph, ends);
  EXPECT_DOUBLE_EQ(found[0], 0.13793103448275862);
  EXPECT_DOUBLE_EQ(found[1], 0.3888888888888889);
  EXPECT_DOUBLE_EQ(found[2], 0.2);
  EXPECT_EQ(found[3], 0);
  EXPECT_EQ(found[4], 1);
  EXPECT_THROW(similarities(graph, std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 34}}), usage_error);
}

// --- eccentricities ---

TEST(eccentricities, of_random_graphs) {
  on_random_graphs(
      []<class Vertex>(const csr_graph<Vertex>& graph) {
        for (const path_direction along : {path_direction::both, path_direction::out, path_direction::in}) {
          EXPECT_NO_THROW(verify_eccentricities(graph, {along, false}, eccentricities(graph, {along, false})));
        }
      },
      tests::sanitized ? 25 : 100);
}

TEST(eccentricities, by_weight) {
  for (const unsigned seed : {1u, 2u}) {
    if (tests::sanitized && seed > 1) break;
    const pairs all = naive::random_pairs(200, 600, seed);
    const auto check = [](const auto& graph) {
      for (const path_direction along : {path_direction::both, path_direction::out, path_direction::in}) {
        const eccentricity_options options{along, true};
        EXPECT_NO_THROW(verify_eccentricities(graph, options, eccentricities(graph, options)));
      }
    };
    check(naive::weighted(naive::undirected(200, all), whole_weights(50)));
    check(naive::weighted(naive::undirected(200, all), symmetric_fraction));
    check(naive::weighted(naive::directed(200, all), fraction));
  }
}

// Components that are large enough for bounds: a grid, a random graph and a path, in one graph.
TEST(eccentricities, of_large_components) {
  constexpr std::uint64_t part = tests::sanitized ? 10 : 50;
  constexpr std::uint64_t size = 130 * part;
  pairs all = shapes::grid(40, part);
  for (const auto& [u, v] : naive::random_pairs(60 * part, 240 * part, 5)) {
    all.emplace_back(u + 40 * part, v + 40 * part);
  }
  for (const auto& [u, v] : shapes::path(30 * part)) all.emplace_back(u + 100 * part, v + 100 * part);
  const auto graph = naive::undirected(size, all);
  const auto found = eccentricities(graph);
  EXPECT_NO_THROW(verify_eccentricities(graph, {}, found, 150));
  EXPECT_EQ(found.diameter, 30 * part - 1);
  EXPECT_EQ(found.eccentricities[0], 38 + part);
  const auto weighted = naive::weighted(naive::undirected(size, all), whole_weights(9));
  EXPECT_NO_THROW(verify_eccentricities(weighted, {path_direction::both, true},
                                        eccentricities(weighted, {path_direction::both, true}), 100));
}

// NetworkX: diameter 5, radius 3, eccentricity 3 of vertex 0 and 5 of vertex 16.
TEST(eccentricities, of_the_karate_club) {
  const auto found = eccentricities(naive::undirected(34, shapes::karate_club()));
  EXPECT_EQ(found.diameter, 5);
  EXPECT_EQ(found.radius, 3);
  EXPECT_EQ(found.eccentricities[0], 3);
  EXPECT_EQ(found.eccentricities[16], 5);
  EXPECT_EQ(found.center, 8u);
  EXPECT_EQ(found.periphery, 9u);
}

// --- clustering ---

TEST(valued_clustering, of_random_graphs) {
  on_random_graphs([]<class Vertex>(const csr_graph<Vertex>& graph) {
    const valued_clustering_options options{true, false};
    EXPECT_NO_THROW(verify_valued_clustering(graph, options, valued_clustering(graph, options)));
  });
  for (const unsigned seed : {1u, 2u}) {
    if (tests::sanitized && seed > 1) break;
    const pairs all = naive::random_pairs(200, 3000, seed);
    for (const bool directed : {false, true}) {
      const valued_clustering_options options{directed, true};
      const auto check = [&](const auto& graph) {
        EXPECT_NO_THROW(verify_valued_clustering(graph, options, valued_clustering(graph, options)));
      };
      check(naive::weighted(naive::directed(200, all), fraction));
      check(naive::weighted(naive::undirected(200, all), symmetric_fraction));
    }
  }
}

// NetworkX: clustering() of DiGraph([(0,1,3),(1,2,1),(2,0,2),(0,2,4),(2,3,1),(3,0,5),(1,3,2)]) with and without
// weights.
TEST(valued_clustering, as_networkx) {
  const pairs arcs{{0, 1}, {1, 2}, {2, 0}, {0, 2}, {2, 3}, {3, 0}, {1, 3}};
  const double weights[4][4] = {{0, 3, 4, 0}, {0, 0, 1, 2}, {2, 0, 0, 1}, {5, 0, 0, 0}};
  const auto graph =
      naive::weighted(naive::directed(4, arcs), [&](std::uint64_t u, std::uint64_t v) { return weights[u][v]; });
  const auto expect = [](const valued_clustering_result& found, std::vector<double> expected) {
    for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_NEAR(found.coefficients[v], expected[v], 1e-12);
  };
  expect(valued_clustering(graph, {true, false}), {0.5, 2.0 / 3, 0.5, 2.0 / 3});
  expect(valued_clustering(graph, {true, true}),
         {0.24165267781038907, 0.28245675445958446, 0.20470644868920934, 0.3078668620825174});
  const auto undirected =
      naive::weighted(naive::undirected(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 0}}),
                      [&](std::uint64_t u, std::uint64_t v) { return std::max(weights[u][v], weights[v][u]); });
  expect(valued_clustering(undirected, {false, true}),
         {0.333589740113438, 0.45788569702133275, 0.333589740113438, 0.5428835233189814});
}

// --- walks ---

TEST(random_walks, follow_arcs_and_depend_on_the_number_alone) {
  const pairs all = naive::random_pairs(500, 3000, 4);
  const auto graph = naive::weighted(naive::directed(500, all), fraction);
  for (const walk_options& options : {walk_options{20, 1, 1, false, 1}, walk_options{20, 1, 1, true, 1},
                                      walk_options{20, 0.25, 4, true, 2}, walk_options{20, 0.01, 0.5, false, 3}}) {
    const random_walker<std::uint32_t> walker(graph, options);
    std::vector<std::uint32_t> walk;
    std::vector<std::uint32_t> again;
    for (std::uint64_t v = 0; v < 500; ++v) {
      walker.walk(v, v, walk);
      EXPECT_NO_THROW(verify_walk<std::uint32_t>(graph, options.weighted, walk));
      EXPECT_LE(walk.size(), 20u);
      EXPECT_TRUE(walk.size() == 20 || graph.out().degree(walk.back()) == 0);
      walker.walk(v, v, again);
      EXPECT_EQ(walk, again);
    }
  }
  EXPECT_THROW(random_walker<std::uint32_t>(graph, {20, 0, 1, false, 1}), usage_error);
  EXPECT_THROW(random_walker<std::uint32_t>(graph, {0, 1, 1, false, 1}), usage_error);
}

/// Returns how often each vertex comes third in walks that begin with the arc from `before` to `v`.
std::vector<double> third_vertices(const csr_graph<std::uint32_t>& graph, const walk_options& options,
                                   std::uint32_t before, std::uint32_t v) {
  const random_walker<std::uint32_t> walker(graph, options);
  std::vector<double> counts(graph.vertices());
  std::vector<std::uint32_t> walk;
  double sum = 0;
  for (std::uint64_t i = 0; i < (tests::sanitized ? 20'000 : 400'000); ++i) {
    walker.walk(before, i, walk);
    if (walk.size() < 3 || walk[1] != v) continue;
    ++counts[walk[2]];
    ++sum;
  }
  for (double& c : counts) c /= sum;
  return counts;
}

// From 0 by 1: back to 0 weighs 1/p, to 2, a neighbour of 0, 1, to 3, which is none, 1/q, each times the arc's weight.
TEST(random_walks, of_second_order_have_the_shares_of_node2vec) {
  const pairs edges{{0, 1}, {0, 2}, {1, 2}, {1, 3}};
  const auto weight = [](std::uint64_t u, std::uint64_t v) { return static_cast<double>(u + v); };
  const auto graph = naive::weighted(naive::undirected(4, edges), weight);
  for (const auto& [p, q] : {std::pair(0.05, 2.0), std::pair(4.0, 0.5), std::pair(1.0, 3.0), std::pair(0.5, 0.1)}) {
    for (const bool weighted : {false, true}) {
      const double to_0 = 1 / p;
      const double to_2 = weighted ? 3 : 1;
      const double to_3 = (weighted ? 4 : 1) / q;
      const double sum = to_0 + to_2 + to_3;
      const auto shares = third_vertices(graph, {3, p, q, weighted, 11}, 0, 1);
      constexpr double near = tests::sanitized ? 0.05 : 0.01;
      EXPECT_NEAR(shares[0], to_0 / sum, near);
      EXPECT_NEAR(shares[2], to_2 / sum, near);
      EXPECT_NEAR(shares[3], to_3 / sum, near);
    }
  }
}

// --- subgraphs ---

TEST(subgraph, keeps_labels_weights_repeats_and_directions) {
  const pairs arcs{{0, 1}, {1, 2}, {1, 2}, {2, 2}, {2, 3}, {3, 0}, {4, 1}};
  const auto graph = naive::weighted(naive::directed(5, arcs),
                                     [](std::uint64_t u, std::uint64_t v) { return static_cast<double>(10 * u + v); });
  vertex_choice chosen(5);
  chosen[1] = chosen[2] = chosen[4] = 1;
  const auto part = induced_subgraph(graph, chosen);
  EXPECT_EQ(part.vertices(), 3u);
  EXPECT_EQ(part.arcs(), 4u);
  EXPECT_TRUE(part.directed());
  EXPECT_EQ(part.label(1), 2u);
  EXPECT_EQ(part.label(2), 4u);
  EXPECT_EQ(part.out().weights[0], 12);
  EXPECT_EQ(part.out().weights[3], 41);
  EXPECT_EQ(part.in().row(0).size(), 1u);
  EXPECT_EQ(part.in().row(0)[0], 2u);
  EXPECT_THROW(induced_subgraph(graph, vertex_choice(3)), usage_error);
}

TEST(subgraph, of_components_cores_and_hops) {
  pairs edges = shapes::clique(5);
  for (const auto& [u, v] : shapes::path(9)) edges.emplace_back(u + 5, v + 5);
  const auto graph = naive::undirected(15, edges);
  const auto count = [](const vertex_choice& chosen) { return std::count(chosen.begin(), chosen.end(), 1); };
  EXPECT_EQ(count(largest_component(graph, false)), 9);
  EXPECT_EQ(count(core_of(graph, 4)), 5);
  EXPECT_EQ(count(core_of(graph, 0)), 15);
  const std::vector<std::uint64_t> centres{6, 13};
  EXPECT_EQ(count(within_hops(graph, centres, 0)), 2);
  EXPECT_EQ(count(within_hops(graph, centres, 2)), 7);
  EXPECT_EQ(count(within_hops(graph, centres, 100)), 9);
  EXPECT_THROW(within_hops(graph, std::vector<std::uint64_t>{15}, 1), usage_error);
  const auto ring = naive::directed(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {2, 3}});
  EXPECT_EQ(count(largest_component(ring, true)), 3);
  EXPECT_EQ(count(largest_component(ring, false)), 6);
}

// --- all ---

TEST(structure, does_not_depend_on_the_number_of_threads) {
  constexpr std::uint64_t size = tests::sanitized ? 400 : 5000;
  const pairs all = naive::random_pairs(size, 12 * size, 8);
  const auto graph = naive::weighted(naive::directed(size, all), fraction);
  const auto results = [&](unsigned count) {
    const tests::with_threads some(count);
    const auto forest = spanning_forest(graph);
    const auto matched = maximal_matching(graph, {true, 4});
    const auto coloured = colouring(graph);
    const auto clustered = valued_clustering(graph, {true, true});
    const auto set = maximal_independent_set(graph);
    return std::tuple(forest.edges, forest.weight, similar_pairs(graph, 0.1), most_similar(graph, 3),
                      std::vector(matched.partners.begin(), matched.partners.end()),
                      std::vector(coloured.colours.begin(), coloured.colours.end()),
                      std::vector(clustered.coefficients.begin(), clustered.coefficients.end()),
                      std::vector(set.members.begin(), set.members.end()));
  };
  const auto alone = results(1);
  EXPECT_TRUE(alone == results(2));
  EXPECT_TRUE(alone == results(7));
}

TEST(structure, stops_when_asked) {
  std::stop_source source;
  source.request_stop();
  const run_control stopped{.report = nullptr, .stop = source.get_token()};
  const auto graph = naive::undirected(100, shapes::path(100));
  EXPECT_THROW(spanning_forest(graph, {}, stopped), cancelled);
  EXPECT_THROW(truss(graph, stopped), cancelled);
  EXPECT_THROW(maximal_independent_set(graph, {}, stopped), cancelled);
  EXPECT_THROW(colouring(graph, {}, stopped), cancelled);
  EXPECT_THROW(maximal_matching(graph, {}, stopped), cancelled);
  EXPECT_THROW(similar_pairs(graph, 0.5, {}, stopped), cancelled);
  EXPECT_THROW(eccentricities(graph, {}, stopped), cancelled);
  EXPECT_THROW(valued_clustering(graph, {}, stopped), cancelled);
}

TEST(structure, needs_in_edges) {
  const auto graph = naive::directed(3, {{0, 1}, {1, 2}}, false);
  EXPECT_THROW(spanning_forest(graph), usage_error);
  EXPECT_THROW(truss(graph), usage_error);
  EXPECT_THROW(maximal_independent_set(graph), usage_error);
  EXPECT_THROW(colouring(graph), usage_error);
  EXPECT_THROW(maximal_matching(graph), usage_error);
  EXPECT_THROW(similar_pairs(graph, 0.5), usage_error);
  EXPECT_THROW(eccentricities(graph), usage_error);
  EXPECT_THROW(valued_clustering(graph, {}), usage_error);
}

TEST(verify_structure, finds_faults) {
  const auto graph = naive::undirected(34, shapes::karate_club());
  const auto wrong = [](auto check) { EXPECT_THROW(check(), wrong_result); };
  wrong([&] {
    auto found = spanning_forest(graph);
    found.edges.pop_back();
    verify_forest(graph, {}, found);
  });
  wrong([&] {
    auto found = truss(graph);
    ++found.trussness[3];
    verify_truss(graph, found);
  });
  wrong([&] {
    auto found = maximal_independent_set(graph);
    found.members[0] ^= 1;
    verify_independent_set(graph, {}, found);
  });
  wrong([&] {
    auto found = colouring(graph);
    found.colours[5] += 1;
    verify_colouring(graph, found);
  });
  wrong([&] {
    auto found = maximal_matching(graph);
    const auto v = static_cast<std::size_t>(
        std::find_if(found.partners.begin(), found.partners.end(), [&](auto w) { return w != found.single; }) -
        found.partners.begin());
    found.partners[found.partners[v]] = found.single;
    verify_matching(graph, {}, found);
  });
  wrong([&] {
    auto found = eccentricities(graph);
    ++found.eccentricities[4];
    verify_eccentricities(graph, {}, found);
  });
  wrong([&] {
    auto found = valued_clustering(graph, {});
    found.coefficients[0] *= 1.01;
    verify_valued_clustering(graph, {}, found);
  });
  wrong([&] {
    auto found = similar_pairs(graph, 0.5);
    found.pop_back();
    verify_similarity(graph, 0.5, 0, {}, found);
  });
  wrong([&] { verify_walk<std::uint32_t>(graph, false, std::vector<std::uint32_t>{0, 33}); });
}

}  // namespace
}  // namespace callisto::graph
