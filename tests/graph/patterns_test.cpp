// Cliques, motifs, parts, projections, paths in time and vectors, against slow, obvious algorithms.
#include "../sanitizers.hpp"
#include "naive.hpp"

#include <callisto/graph/attributes/edge_numbers.hpp>
#include <callisto/graph/cliques/cliques.hpp>
#include <callisto/graph/cliques/motifs.hpp>
#include <callisto/graph/embedding/embedding.hpp>
#include <callisto/graph/embedding/node2vec.hpp>
#include <callisto/graph/pair/temporal.hpp>
#include <callisto/graph/partition/partition.hpp>
#include <callisto/graph/subgraph/projection.hpp>
#include <callisto/graph/verify/patterns.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using pattern_graph = csr_graph<std::uint32_t>;

/// A random graph with repeats and loops.
pattern_graph random_small_graph(std::uint64_t seed, std::uint64_t vertices, std::uint64_t edges, bool is_directed) {
  std::mt19937_64 random(seed);
  naive::pairs pairs;
  for (std::uint64_t i = 0; i < edges; ++i) pairs.emplace_back(random() % vertices, random() % vertices);
  return is_directed ? naive::directed(vertices, pairs) : naive::undirected(vertices, pairs);
}

/// By vertex: its neighbours in either direction, itself left out.
std::vector<std::set<std::uint64_t>> neighbour_sets(const pattern_graph& graph) {
  std::vector<std::set<std::uint64_t>> sets(graph.vertices());
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    for (const std::uint32_t w : graph.out().row(v)) {
      if (w == v) continue;
      sets[v].insert(w);
      sets[w].insert(v);
    }
  }
  return sets;
}

/// All maximal cliques, by looking at each set of vertices.
std::set<std::vector<std::uint64_t>> naive_cliques(const pattern_graph& graph) {
  const auto near = neighbour_sets(graph);
  const std::uint64_t n = graph.vertices();
  std::vector<std::uint64_t> cliques;
  for (std::uint64_t set = 1; set < std::uint64_t{1} << n; ++set) {
    bool clique = true;
    for (std::uint64_t v = 0; clique && v < n; ++v) {
      for (std::uint64_t w = 0; clique && w < v; ++w) {
        if ((set >> v & 1) != 0 && (set >> w & 1) != 0) clique = near[v].contains(w);
      }
    }
    if (clique) cliques.push_back(set);
  }
  std::set<std::vector<std::uint64_t>> maximal;
  for (const std::uint64_t set : cliques) {
    const bool larger =
        std::any_of(cliques.begin(), cliques.end(), [&](std::uint64_t o) { return o != set && (o & set) == set; });
    if (larger) continue;
    std::vector<std::uint64_t> members;
    for (std::uint64_t v = 0; v < n; ++v) {
      if ((set >> v & 1) != 0) members.push_back(v);
    }
    maximal.insert(members);
  }
  return maximal;
}

TEST(cliques, are_those_of_looking_at_each_set) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const pattern_graph graph = random_small_graph(seed, 1 + seed % 11, seed * 2, seed % 2 == 0);
    const clique_result found = maximal_cliques(graph, {.list = true});
    std::set<std::vector<std::uint64_t>> listed;
    for (std::size_t i = 0; i + 1 < found.begins.size(); ++i) {
      listed.emplace(found.members.begin() + static_cast<std::ptrdiff_t>(found.begins[i]),
                     found.members.begin() + static_cast<std::ptrdiff_t>(found.begins[i + 1]));
    }
    EXPECT_EQ(listed, naive_cliques(graph)) << seed;
    EXPECT_EQ(listed.size(), found.cliques);
    EXPECT_TRUE(listed.contains(found.largest));
    verify_maximal_cliques(graph, {.list = true}, found);
  }
}

// Of 3 t vertices in t groups of three, all joined but those of a group: 3^t cliques (Moon and Moser 1965), more of
// them from the first vertices than may wait for their turn.
TEST(cliques, are_told_one_by_one_in_the_order_of_the_list) {
  constexpr std::uint64_t groups = tests::sanitized ? 7 : 12;
  naive::pairs pairs;
  for (std::uint64_t u = 0; u < 3 * groups; ++u) {
    for (std::uint64_t v = 0; v < u; ++v) {
      if (u / 3 != v / 3) pairs.emplace_back(u, v);
    }
  }
  const pattern_graph graph = naive::undirected(3 * groups, pairs);
  const clique_result listed = maximal_cliques(graph, {.list = true});
  std::uint64_t told = 0;
  std::uint64_t wrong = 0;
  const clique_result found = maximal_cliques(
      graph, {.each = [&](std::span<const std::uint64_t> clique) {
        const std::uint64_t* const first = listed.members.data() + listed.begins[told++];
        if (!std::equal(clique.begin(), clique.end(), first, listed.members.data() + listed.begins[told])) ++wrong;
      }});
  std::uint64_t all = 1;
  for (std::uint64_t g = 0; g < groups; ++g) all *= 3;
  EXPECT_EQ(std::vector({listed.cliques, told, found.cliques, wrong}), (std::vector<std::uint64_t>{all, all, all, 0}));
  EXPECT_TRUE(found.begins.empty() && found.members.empty());
  const clique_result given_up = maximal_cliques(graph, {.list = true, .most_members = 100});
  EXPECT_TRUE(given_up.begins.empty() && given_up.members.empty());
  EXPECT_EQ(given_up.by_size, listed.by_size);
  EXPECT_EQ(maximal_cliques(graph, {.list = true, .most_members = all * groups}).members, listed.members);
}

TEST(cliques, of_a_larger_graph_are_the_same_on_any_number_of_threads) {
  const pattern_graph graph = random_small_graph(3, 300, 6000, false);
  const clique_result found = maximal_cliques(graph, {.list = true, .least = 3});
  verify_maximal_cliques(graph, {.list = true, .least = 3}, found);
  const unsigned before = threads();
  set_threads(1);
  const clique_result alone = maximal_cliques(graph, {.list = true, .least = 3});
  set_threads(before);
  EXPECT_EQ(alone.members, found.members);
  EXPECT_EQ(alone.begins, found.begins);
}

TEST(cliques, a_wrong_result_is_found) {
  const pattern_graph graph = naive::undirected(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}});
  const clique_result right = maximal_cliques(graph, {.list = true});
  clique_result wrong = right;
  ++wrong.by_size[2];
  EXPECT_THROW(verify_maximal_cliques(graph, {.list = true}, wrong), wrong_result);
  wrong = right;
  wrong.members = {0, 1, 3, 2, 3};
  EXPECT_THROW(verify_maximal_cliques(graph, {.list = true}, wrong), wrong_result);
}

TEST(motifs, are_those_of_making_each_set) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const pattern_graph graph = random_small_graph(seed, 2 + seed, seed * 4, seed % 2 == 0);
    verify_motifs(graph, motifs(graph));
  }
  // Of a complete graph of 6 vertices all sets are cliques.
  naive::pairs all;
  for (std::uint64_t v = 0; v < 6; ++v) {
    for (std::uint64_t w = 0; w < v; ++w) all.emplace_back(v, w);
  }
  EXPECT_EQ(motifs(naive::undirected(6, all)), (motif_counts{.triangles = 20, .cliques = 15}));
  EXPECT_EQ(motifs(naive::undirected(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}})),
            (motif_counts{.paths_of_3 = 6, .stars = 4}));
  EXPECT_EQ(motifs(naive::undirected(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}})),
            (motif_counts{.paths_of_3 = 4, .cycles = 1}));
  motif_counts wrong = motifs(naive::undirected(4, {{0, 1}, {1, 2}}));
  ++wrong.paws;
  EXPECT_THROW(verify_motifs(naive::undirected(4, {{0, 1}, {1, 2}}), wrong), wrong_result);
}

TEST(partition, keeps_sizes_and_finds_blocks) {
  // Four blocks of 50 vertices, with few edges between.
  std::mt19937_64 random(9);
  naive::pairs pairs;
  for (std::uint64_t v = 0; v < 200; ++v) {
    for (int i = 0; i < 6; ++i) pairs.emplace_back(v, v / 50 * 50 + random() % 50);
  }
  for (int i = 0; i < 20; ++i) pairs.emplace_back(random() % 200, random() % 200);
  const pattern_graph graph = naive::undirected(200, pairs);
  const partition_result found = partition(graph, {.parts = 4, .imbalance = 0});
  verify_partition(graph, {.parts = 4, .imbalance = 0}, found);
  EXPECT_EQ(found.smallest, 50u);
  EXPECT_LE(found.cut, 20);
  const partition_result again = partition(graph, {.parts = 4, .imbalance = 0});
  EXPECT_TRUE(std::equal(found.part.begin(), found.part.end(), again.part.begin()));
  partition_result wrong = partition(graph, {.parts = 4, .imbalance = 0});
  wrong.cut += 1;
  EXPECT_THROW(verify_partition(graph, {.parts = 4, .imbalance = 0}, wrong), wrong_result);
}

TEST(partition, of_odd_graphs_keeps_sizes) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::uint64_t n = 1 + seed * 17 % 400;
    const pattern_graph graph = random_small_graph(seed, n, seed % 3 * n, seed % 2 == 0);
    for (const std::uint32_t parts : {1u, 2u, 7u, 500u}) {
      const partition_options options{.parts = parts, .imbalance = seed % 2 == 0 ? 0 : 0.1};
      verify_partition(graph, options, partition(graph, options));
    }
  }
  // A star: leaves match each other.
  naive::pairs star;
  for (std::uint64_t v = 1; v < 3000; ++v) star.emplace_back(0, v);
  const pattern_graph graph = naive::undirected(3000, star);
  verify_partition(graph, {.parts = 3}, partition(graph, {.parts = 3}));
  EXPECT_EQ(partition(naive::undirected(0, {}), {}).part.size(), 0u);
}

TEST(partition, hubs_do_not_hide_a_small_cut) {
  // A grid of 40 by 20 and two hubs tied to all of it: the grid is cut across, and each hub is cut off half of it.
  naive::pairs pairs;
  for (std::uint64_t v = 0; v < 800; ++v) {
    if (v % 20 != 19) pairs.emplace_back(v, v + 1);
    if (v + 20 < 800) pairs.emplace_back(v, v + 20);
    pairs.emplace_back(800, v);
    pairs.emplace_back(801, v);
  }
  const pattern_graph graph = naive::undirected(802, pairs);
  for (const std::uint32_t parts : {2u, 3u, 8u}) {
    for (const double imbalance : {0.0, 0.03}) {
      const partition_options options{.parts = parts, .imbalance = imbalance};
      const partition_result found = partition(graph, options);
      verify_partition(graph, options, found);
      EXPECT_LE(found.cut, 1600 * (parts - 1) / parts + 60 * (parts - 1)) << parts << " parts";
    }
  }
}

TEST(partition, is_the_same_on_any_number_of_threads) {
  const pattern_graph graph = naive::undirected(500, naive::random_pairs(500, 2000, 3));
  const unsigned before = threads();
  set_threads(1);
  const partition_result one = partition(graph, {.parts = 12});
  for (const unsigned many : {2u, 3u, 7u}) {
    set_threads(many);
    const partition_result found = partition(graph, {.parts = 12});
    EXPECT_TRUE(std::equal(found.part.begin(), found.part.end(), one.part.begin())) << many;
    EXPECT_EQ(found.cut, one.cut);
  }
  set_threads(before);
}

TEST(projection, counts_common_neighbours) {
  std::mt19937_64 random(4);
  for (int turn = 0; turn < 20; ++turn) {
    // People 0 to 9, clubs 10 to 17; some are in a club twice.
    naive::pairs pairs;
    for (int i = 0; i < 30; ++i) pairs.emplace_back(random() % 10, 10 + random() % 8);
    const pattern_graph graph = naive::directed(18, pairs);
    const auto near = neighbour_sets(graph);
    for (const bool onto_targets : {false, true}) {
      for (const auto weight : {projection_weight::common, projection_weight::jaccard, projection_weight::newman}) {
        const any_graph any = projection(graph, {.onto_targets = onto_targets, .weight = weight, .least = 1});
        const pattern_graph& found = std::get<pattern_graph>(any);
        std::map<std::pair<std::uint64_t, std::uint64_t>, double> expected;
        std::uint64_t members = 0;
        for (std::uint64_t v = 0; v < 18; ++v) {
          if ((v >= 10) != onto_targets || near[v].empty()) continue;
          ++members;
          for (std::uint64_t w = 0; w < v; ++w) {
            std::vector<std::uint64_t> common;
            std::set_intersection(near[v].begin(), near[v].end(), near[w].begin(), near[w].end(),
                                  std::back_inserter(common));
            if (common.empty()) continue;
            double sum = 0;
            for (const std::uint64_t c : common) sum += 1 / (static_cast<double>(near[c].size()) - 1);
            const auto both = static_cast<double>(common.size());
            expected[{w, v}] = weight == projection_weight::common ? both
                               : weight == projection_weight::newman
                                   ? sum
                                   : both / (static_cast<double>(near[v].size() + near[w].size()) - both);
          }
        }
        ASSERT_EQ(found.vertices(), members);
        std::uint64_t edges = 0;
        for (std::uint64_t v = 0; v < found.vertices(); ++v) {
          for (std::uint64_t a = found.out().offsets[v]; a < found.out().offsets[v + 1]; ++a) {
            const std::uint64_t from = found.label(v);
            const std::uint64_t to = found.label(found.out().targets[a]);
            if (from > to) continue;
            ++edges;
            EXPECT_NEAR(found.out().weights[a], (expected[{from, to}]), 1e-12);
          }
        }
        EXPECT_EQ(edges, expected.size());
      }
    }
  }
  EXPECT_THROW(projection(naive::directed(3, {{0, 1}, {1, 2}})), usage_error);
  EXPECT_THROW(projection(naive::undirected(3, {{0, 1}})), usage_error);
}

TEST(temporal, arrivals_are_those_of_trying_all_edges_again_and_again) {
  std::mt19937_64 random(11);
  constexpr double never = std::numeric_limits<double>::infinity();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const pattern_graph graph = random_small_graph(seed, 12, 40, seed % 2 == 0);
    std::vector<double> times(edge_numbers<std::uint32_t>(graph).size());
    std::vector<double> durations;
    for (double& t : times) t = random() % 8 == 0 ? std::nan("") : static_cast<double>(random() % 20);
    for (std::size_t i = 0; seed % 3 == 0 && i < times.size(); ++i)
      durations.push_back(static_cast<double>(random() % 3));
    const temporal_options options{.from = 2, .until = seed % 4 == 0 ? 15 : never, .strict = seed % 5 == 0};
    const auto found = earliest_arrival(graph, 0, times, durations, options);
    verify_earliest_arrival(graph, 0, times, durations, options, found);
    const auto number = edges_of_arcs(graph);
    std::vector<double> arrival(12, never);
    arrival[0] = options.from;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint64_t v = 0; v < 12; ++v) {
        for (std::uint64_t a = graph.out().offsets[v]; a < graph.out().offsets[v + 1]; ++a) {
          const double begins = times[number[a]];
          const double ends = begins + (durations.empty() ? 0 : durations[number[a]]);
          const bool usable = options.strict && v != 0 ? begins > arrival[v] : begins >= arrival[v];
          if (!usable || ends > options.until || ends >= arrival[graph.out().targets[a]]) continue;
          arrival[graph.out().targets[a]] = ends;
          changed = true;
        }
      }
    }
    for (std::uint64_t v = 0; v < 12; ++v) EXPECT_EQ(found.arrival[v], arrival[v]) << seed << " " << v;
  }
  const pattern_graph chain = naive::directed(3, {{0, 1}, {1, 2}});
  EXPECT_EQ(earliest_arrival(chain, 0, std::vector<double>{5, 3}, {}).path_to(2).size(), 0u);
  EXPECT_EQ(earliest_arrival(chain, 0, std::vector<double>{3, 5}, {}).path_to(2),
            (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_THROW(earliest_arrival(chain, 3, std::vector<double>{3, 5}, {}), usage_error);
  EXPECT_THROW(earliest_arrival(chain, 0, std::vector<double>{3}, {}), usage_error);
}

TEST(node2vec, has_vertices_of_a_block_near_each_other) {
  constexpr std::uint64_t blocks = tests::sanitized ? 4 : 8;
  constexpr std::uint64_t size = 150;  // more vertices than one part has
  std::mt19937_64 random(5);
  naive::pairs pairs;
  for (std::uint64_t v = 0; v < blocks * size; ++v) {
    for (int k = 0; k < 8; ++k) pairs.emplace_back(v, v / size * size + random() % size);
    const std::uint64_t other = random() % (blocks * size);
    pairs.emplace_back(v, other);
  }
  const pattern_graph graph = naive::undirected(blocks * size, pairs);
  const node2vec_options options{
      .dimensions = 20, .walks = {.length = 20, .seed = 3}, .each = 4, .window = 4, .negative = 3, .rate = 0.05};
  const auto vectors = node2vec(graph, options);
  ASSERT_EQ(vectors.size(), blocks * size * 20);
  // The nearest by the cosine.
  std::uint64_t same = 0;
  for (std::uint64_t v = 0; v < blocks * size; v += 10) {
    std::uint64_t best = v;
    double most = -2;
    for (std::uint64_t w = 0; w < blocks * size; ++w) {
      if (w == v) continue;
      double product = 0;
      double length = 0;
      for (std::uint64_t i = 0; i < 20; ++i) {
        product += static_cast<double>(vectors[v * 20 + i]) * vectors[w * 20 + i];
        length += static_cast<double>(vectors[w * 20 + i]) * vectors[w * 20 + i];
      }
      if (product / std::sqrt(length) > most) {
        most = product / std::sqrt(length);
        best = w;
      }
    }
    same += best / size == v / size ? 1 : 0;
  }
  EXPECT_GT(same, blocks * size / 10 * 9 / 10);
  const unsigned before = threads();
  set_threads(1);
  const auto alone = node2vec(graph, options);
  set_threads(before);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), vectors.begin()));
  EXPECT_TRUE(node2vec(naive::undirected(0, {})).empty());
  EXPECT_EQ(node2vec(naive::undirected(3, {}), {.dimensions = 2}).size(), 6u);
  EXPECT_THROW(node2vec(graph, {.dimensions = 0}), usage_error);
  EXPECT_THROW(node2vec(graph, {.window = 0}), usage_error);
  EXPECT_THROW(node2vec(graph, {.rate = 2}), usage_error);
}

TEST(embedding, is_what_its_definition_says) {
  const pattern_graph graph = random_small_graph(5, 40, 120, true);
  const embedding_options options{.dimensions = 16, .steps = {0.5, 0, 2}, .degree_power = -0.5, .seed = 7};
  const auto found = fast_random_projection(graph, options);
  // The random vectors are what no step but the own leaves.
  const auto own = fast_random_projection(graph, {.dimensions = 16, .steps = {1}, .seed = 7});
  const auto degree = [&](std::uint64_t v) { return graph.out().degree(v) + graph.in().degree(v); };
  std::vector<std::vector<double>> now(40, std::vector<double>(16));
  for (std::uint64_t v = 0; v < 40; ++v) {
    // Entries are of one size, which scaling by the degree needs: as many as are not 0.
    double nonzero = 0;
    for (std::uint64_t i = 0; i < 16; ++i) nonzero += own[v * 16 + i] != 0 ? 1 : 0;
    for (std::uint64_t i = 0; i < 16; ++i) {
      now[v][i] =
          own[v * 16 + i] * std::sqrt(nonzero) * (degree(v) == 0 ? 1 : std::pow(static_cast<double>(degree(v)), -0.5));
    }
  }
  std::vector<std::vector<double>> sum(40, std::vector<double>(16));
  const auto length = [](const std::vector<double>& v) {
    double square = 0;
    for (const double x : v) square += x * x;
    return std::sqrt(square);
  };
  for (std::size_t step = 0; step < options.steps.size(); ++step) {
    if (step > 0) {
      std::vector<std::vector<double>> next(40, std::vector<double>(16));
      for (std::uint64_t v = 0; v < 40; ++v) {
        for (std::uint64_t i = 0; i < 16; ++i) {
          for (const std::uint32_t w : graph.out().row(v)) next[v][i] += now[w][i] / static_cast<double>(degree(v));
          for (const std::uint32_t w : graph.in().row(v)) next[v][i] += now[w][i] / static_cast<double>(degree(v));
        }
      }
      now = next;
    }
    for (std::uint64_t v = 0; v < 40; ++v) {
      const double by = length(now[v]);
      for (std::uint64_t i = 0; i < 16 && by > 0; ++i) sum[v][i] += options.steps[step] * now[v][i] / by;
    }
  }
  for (std::uint64_t v = 0; v < 40; ++v) {
    const double by = length(sum[v]);
    for (std::uint64_t i = 0; i < 16; ++i) EXPECT_NEAR(found[v * 16 + i], by > 0 ? sum[v][i] / by : 0, 1e-5);
  }
  EXPECT_THROW(fast_random_projection(graph, {.dimensions = 0}), usage_error);
}

}  // namespace
}  // namespace callisto::graph
