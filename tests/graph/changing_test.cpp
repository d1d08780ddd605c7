// Analyses that are kept up to date, against full computations after random changes.
#include "../sanitizers.hpp"

#include <callisto/graph/changing/changing_components.hpp>
#include <callisto/graph/changing/changing_cores.hpp>
#include <callisto/graph/changing/changing_distances.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/changing/changing_pagerank.hpp>
#include <callisto/graph/communities/changing_communities.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns the graph as it is now, for the kernels.
any_graph snapshot(const changing_graph& of) {
  edge_list<std::uint32_t> list;
  list.vertices = of.vertices();
  list.meaning = of.directed() ? direction::directed : direction::undirected;
  list.weighted = true;
  std::vector<edge<std::uint32_t>> edges;
  std::vector<double> weights;
  for (std::uint32_t v = 0; v < of.vertices(); ++v) {
    for (const auto& a : of.out(v)) {
      if (!of.directed() && a.to < v) continue;
      edges.push_back({v, a.to});
      weights.push_back(a.weight);
    }
  }
  edge_block<std::uint32_t> block;
  block.edges = machine::page_array<edge<std::uint32_t>>(edges.size());
  std::copy(edges.begin(), edges.end(), block.edges.begin());
  block.weights = weight_array(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) block.weights.set(i, weights[i]);
  list.blocks.push_back(std::move(block));
  return build_graph(std::move(list));
}

struct change_pattern {
  bool directed;
  std::uint64_t vertices;
  std::uint64_t edges;
  unsigned weights;  ///< the number of different ones: with few, many paths are equally short; 0 among them
};

class Changing : public testing::TestWithParam<change_pattern> {
 protected:
  Changing() {
    for (std::uint64_t v = 0; v < GetParam().vertices; ++v) graph.vertex(1'000 + v);
    for (std::uint64_t i = 0; i < GetParam().edges; ++i) put();
  }
  double any_weight() { return static_cast<double>(random() % GetParam().weights); }
  std::uint32_t any_vertex() { return static_cast<std::uint32_t>(random() % graph.vertices()); }
  changing_graph::change put() { return graph.set(any_vertex(), any_vertex(), any_weight()); }
  std::optional<changing_graph::change> take() {
    for (int tries = 0; tries < 100; ++tries) {
      const std::uint32_t u = any_vertex();
      if (graph.out(u).empty()) continue;
      return graph.set(u, graph.out(u)[random() % graph.out(u).size()].to, std::nullopt);
    }
    return std::nullopt;
  }
  /// Changes edges, and sometimes makes a vertex.
  std::vector<changing_graph::change> some_changes(unsigned n) {
    std::vector<changing_graph::change> all;
    for (unsigned i = 0; i < n; ++i) {
      switch (random() % 8) {
        case 0:
          all.push_back(graph.set(graph.vertex(10'000'000 + random() % 100'000'000), any_vertex(), any_weight()));
          break;
        case 1:
        case 2:
        case 3:
          if (const auto gone = take()) all.push_back(*gone);
          break;
        default:
          all.push_back(put());
      }
    }
    return all;
  }
  /// Rounds of changes: more of them in a soak (CALLISTO_SOAK_ROUNDS).
  static unsigned rounds() {
    const char* const more = std::getenv("CALLISTO_SOAK_ROUNDS");
    return more != nullptr ? static_cast<unsigned>(std::strtoul(more, nullptr, 10)) : tests::sanitized ? 10 : 60;
  }

  std::mt19937_64 random{GetParam().edges};
  changing_graph graph{GetParam().directed};
};
INSTANTIATE_TEST_SUITE_P(Graphs, Changing,
                         testing::Values(change_pattern{false, 60, 70, 3}, change_pattern{true, 60, 150, 3},
                                         change_pattern{false, 300, 900, 1'000}, change_pattern{true, 300, 900, 1'000},
                                         change_pattern{false, 400, 300, 5}));

TEST_P(Changing, DistancesAreThoseOfSssp) {
  changing_distances distances(graph, 0, true);
  std::vector<double> before(graph.vertices());
  for (std::uint32_t v = 0; v < before.size(); ++v) before[v] = distances[v];
  for (unsigned round = 0; round < rounds(); ++round) {
    const auto changed = distances.update(some_changes(1 + round % 7));
    const any_graph now = snapshot(graph);
    const auto expected = sssp(std::get<csr_graph<std::uint32_t>>(now), 0);
    before.resize(graph.vertices(), changing_distances::unreached);
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
      const double d =
          expected.distances[v] == sssp_result::unreached ? changing_distances::unreached : expected.distances[v];
      ASSERT_EQ(distances[v], d) << "round " << round << ", vertex " << v;
      ASSERT_EQ(std::binary_search(changed.begin(), changed.end(), v), d != before[v]) << v;
      before[v] = d;
    }
  }
}

TEST_P(Changing, LevelsCountArcs) {
  changing_distances levels(graph, 3, false);
  for (unsigned round = 0; round < rounds(); ++round) {
    levels.update(some_changes(3));
    std::vector<double> expected(graph.vertices(), changing_distances::unreached);
    std::vector<std::uint32_t> queue{3};
    expected[3] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const auto& a : graph.out(queue[i])) {
        if (expected[a.to] != changing_distances::unreached) continue;
        expected[a.to] = expected[queue[i]] + 1;
        queue.push_back(a.to);
      }
    }
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) ASSERT_EQ(levels[v], expected[v]) << round << ' ' << v;
  }
}

TEST_P(Changing, ComponentsAreThoseOfComponents) {
  changing_components parts(graph);
  std::vector<std::uint32_t> before;
  for (unsigned round = 0; round < rounds(); ++round) {
    parts.update(some_changes(1 + round % 5));
    const any_graph now = snapshot(graph);
    const auto expected = components(std::get<csr_graph<std::uint32_t>>(now));
    const auto sizes = component_sizes(expected);
    ASSERT_EQ(parts.count(), sizes.size()) << round;
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) ASSERT_EQ(parts[v], expected[v]) << round << ' ' << v;
    for (const auto& [smallest, size] : sizes) ASSERT_EQ(parts.size(static_cast<std::uint32_t>(smallest)), size);
  }
}

TEST_P(Changing, CommunitiesAreConnectedAndGood) {
  for (const auto directions : {community_directions::follow, community_directions::ignore}) {
    const communities_options options{.directions = directions};
    changing_communities groups(graph, options);
    std::vector<std::uint32_t> before;
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) before.push_back(groups[v]);
    double worst = 0;
    for (unsigned round = 0; round < rounds(); ++round) {
      const auto moved = groups.update(some_changes(1 + round % 9));
      const any_graph now = snapshot(graph);
      machine::page_array<std::uint64_t> of(graph.vertices());
      std::map<std::uint32_t, std::uint64_t> sizes;
      for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
        of[v] = groups[v];
        ++sizes[groups[v]];
        ASSERT_LE(groups[v], v);
        ASSERT_EQ(groups[groups[v]], groups[v]);
      }
      ASSERT_EQ(groups.count(), sizes.size());
      for (const auto& [smallest, size] : sizes) ASSERT_EQ(groups.size(smallest), size);
      const double found = quality(now, of, options);
      ASSERT_NEAR(groups.quality(), found, 1e-9) << round;
      // Each community is the component of its vertices in the graph of the edges inside.
      changing_graph inside(false);
      for (std::uint32_t v = 0; v < graph.vertices(); ++v) inside.vertex(v);
      for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
        for (const auto& a : graph.out(v)) {
          if (of[a.to] == of[v]) inside.set(v, a.to, 1);
        }
      }
      const changing_components parts(inside);
      for (std::uint32_t v = 0; v < graph.vertices(); ++v) ASSERT_EQ(parts[v], groups[v]) << round << ' ' << v;
      worst = std::max(worst, communities(now, options).quality - found);
    }
    EXPECT_LT(worst, 0.05);
    EXPECT_LT(groups.searches(), rounds());
  }
}

TEST_P(Changing, CoresAreThoseOfKcore) {
  changing_cores cores(graph);
  std::vector<std::uint32_t> before(graph.vertices());
  for (std::uint32_t v = 0; v < before.size(); ++v) before[v] = cores[v];
  for (unsigned round = 0; round < rounds(); ++round) {
    // Now and then so many changes that all vertices are peeled.
    const auto changed = cores.update(some_changes(round % 10 == 9 ? 200 : 1 + round % 7));
    const any_graph now = snapshot(graph);
    const kcore_result expected = kcore(std::get<csr_graph<std::uint32_t>>(now));
    ASSERT_EQ(cores.degeneracy(), expected.degeneracy);
    before.resize(graph.vertices());
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
      ASSERT_EQ(cores[v], expected.coreness[v]) << "round " << round << ", vertex " << v;
      ASSERT_EQ(std::binary_search(changed.begin(), changed.end(), v), cores[v] != before[v]) << v;
      before[v] = cores[v];
    }
  }
  EXPECT_GT(cores.peelings(), 1U);
  EXPECT_LT(cores.peelings(), rounds() / 2);
}

TEST_P(Changing, ScoresAreThoseOfPagerank) {
  changing_pagerank ranks(graph, {.tolerance = 1e-9, .weights = weight_use::none});
  changing_pagerank by_weights(graph, {.tolerance = 1e-9});
  for (unsigned round = 0; round < rounds(); ++round) {
    // Now and then so many changes that sweeps are made.
    const auto changes = some_changes(round % 10 == 9 ? 200 : 1 + round % 3);
    ranks.update(changes);
    by_weights.update(changes);
    const any_graph now = snapshot(graph);
    for (const auto& [found, use] :
         {std::pair(&ranks, weight_use::none), std::pair(&by_weights, weight_use::strength)}) {
      const auto expected = pagerank(now, {.tolerance = 1e-12, .iterations = 1'000, .weights = use});
      double off = 0;
      for (std::uint32_t v = 0; v < graph.vertices(); ++v) off += std::abs((*found)[v] - expected.scores[v]);
      // 1.5 times the tolerance; scaling to the sum 1 may double it.
      ASSERT_LE(off, 3e-9) << round << ' ' << name_of(use);
    }
  }
  EXPECT_GT(ranks.tasks(), 0U);
  EXPECT_GT(ranks.sweeps(), 1U);
}

TEST(ChangingGraph, TakesOverAGraph) {
  kronecker_options shape;
  shape.scale = 8;
  const any_graph from = with_random_weights(build_graph(generate_kronecker(shape)), 1);
  const changing_graph graph(from);
  const auto& rows = std::get<csr_graph<std::uint32_t>>(from);
  EXPECT_EQ(graph.vertices(), rows.vertices());
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) EXPECT_EQ(graph.out(v).size(), rows.out().degree(v));
  const any_graph again = snapshot(graph);
  EXPECT_EQ(std::get<csr_graph<std::uint32_t>>(again).arcs(), rows.arcs());
}

TEST(ChangingGraph, CountsEdgesAndRefusesWeights) {
  changing_graph graph(false);
  const std::uint32_t a = graph.vertex(7);
  const std::uint32_t b = graph.vertex(9);
  EXPECT_EQ(graph.vertex(7), a);
  graph.set(a, b, 2.5);
  graph.set(a, a, 1);
  EXPECT_EQ(graph.edges(), 2U);
  const auto change = graph.set(b, a, std::nullopt);
  EXPECT_EQ(change.before, 2.5);
  EXPECT_EQ(graph.edges(), 1U);
  EXPECT_FALSE(graph.set(b, a, std::nullopt).before);
  EXPECT_EQ(graph.edges(), 1U);
  EXPECT_THROW(graph.set(a, b, -1), usage_error);
  EXPECT_THROW(graph.set(a, b, std::nan("")), usage_error);
  EXPECT_THROW(changing_pagerank(graph, {.damping = 1}), usage_error);
  EXPECT_THROW(changing_pagerank(graph, {.tolerance = 0}), usage_error);
}

}  // namespace
}  // namespace callisto::graph
