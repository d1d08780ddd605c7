// The largest flow and the least cut: known values, random graphs against plain augmenting paths, and wrong results.
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/flow/flow.hpp>
#include <callisto/graph/flow/residual.hpp>
#include <callisto/graph/verify/flow.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::graph {
namespace {

constexpr flow_options by_capacity{.weighted = true};

double small_capacity(std::uint64_t u, std::uint64_t v) {
  return static_cast<double>(below(counter_random(std::min(u, v))(std::max(u, v)), 9));  // some of them 0
}
double capacity_in_tenths(std::uint64_t u, std::uint64_t v) { return 0.1 * small_capacity(u, v); }

/// The value of the largest flow, and the target's side of the cut, by the algorithm of Ford and Fulkerson on a matrix,
/// along shortest paths.
struct plain_flow {
  double value = 0;
  std::vector<std::uint8_t> on_source_side;
};

template <class Vertex>
plain_flow augment(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target, bool weighted) {
  const std::uint64_t n = graph.vertices();
  std::vector<std::vector<double>> left(n, std::vector<double>(n));
  for (std::uint64_t u = 0; u < n; ++u) {
    for (std::uint64_t a = graph.out().offsets[u]; a != graph.out().offsets[u + 1]; ++a) {
      left[u][graph.out().targets[a]] += weighted ? graph.out().weights[a] : 1;
    }
  }
  plain_flow found;
  while (true) {
    std::vector<std::uint64_t> next(n, n);  // towards the target
    next[target] = target;
    std::vector<std::uint64_t> queue{target};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (std::uint64_t u = 0; u < n; ++u) {
        if (next[u] != n || left[u][queue[i]] <= 1e-12) continue;
        next[u] = queue[i];
        queue.push_back(u);
      }
    }
    if (next[source] == n) {
      for (std::uint64_t v = 0; v < n; ++v) found.on_source_side.push_back(next[v] == n ? 1 : 0);
      return found;
    }
    double most = std::numeric_limits<double>::infinity();
    for (std::uint64_t v = source; v != target; v = next[v]) most = std::min(most, left[v][next[v]]);
    for (std::uint64_t v = source; v != target; v = next[v]) {
      left[v][next[v]] -= most;
      left[next[v]][v] += most;
    }
    found.value += most;
  }
}

template <class Vertex>
void compare_flows(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                   const flow_options& options) {
  const flow_result found = maximum_flow(graph, source, target, options);
  const plain_flow expected = augment(graph, source, target, options.weighted);
  EXPECT_NEAR(found.value, expected.value, 1e-9);
  EXPECT_TRUE(std::equal(found.on_source_side.begin(), found.on_source_side.end(), expected.on_source_side.begin()));
  EXPECT_NO_THROW(verify_maximum_flow(graph, source, target, options, found));
  flow_options without = options;
  without.edges = false;
  const flow_result cut = maximum_flow(graph, source, target, without);
  EXPECT_EQ(cut.value, found.value);
  EXPECT_EQ(cut.source_side, found.source_side);
  EXPECT_TRUE(cut.edges.empty());
}

TEST(flow, random_graphs_against_augmenting_paths) {
  for (unsigned seed = 1; seed <= 15; ++seed) {
    const naive::pairs arcs = naive::random_pairs(30, 30 + 12 * seed, seed);
    compare_flows(naive::directed(30, arcs), 0, 29, {});
    compare_flows(naive::undirected<std::uint64_t>(30, arcs), 1, 28, {});
    compare_flows(naive::weighted(naive::directed<std::uint64_t>(30, arcs), small_capacity), 2, 27, by_capacity);
    compare_flows(naive::weighted(naive::undirected(30, arcs), small_capacity), 3, 26, by_capacity);
  }
}

TEST(flow, known_values) {
  // Between two corners of a grid two edges are the cut; within a clique all edges of one end.
  const flow_result grid = maximum_flow(naive::undirected(900, shapes::grid(30)), 0, 899);
  EXPECT_EQ(grid.value, 2);
  EXPECT_EQ(grid.source_side, 899u);
  EXPECT_EQ(grid.cut.size(), 2u);
  EXPECT_EQ(maximum_flow(naive::undirected(40, shapes::clique(40)), 3, 11).value, 39);
  EXPECT_EQ(maximum_flow(naive::undirected(3001, shapes::diamonds(1000)), 0, 3000).value, 2);
  EXPECT_EQ(maximum_flow(naive::undirected(34, shapes::karate_club()), 0, 33).value, 10);
  const flow_result none = maximum_flow(naive::directed(4, {{1, 0}, {3, 2}, {1, 1}}), 0, 3);
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.source_side, 3u);
  EXPECT_TRUE(none.cut.empty() && none.edges.empty());
  // Of the same arc repeated, the capacities add up.
  EXPECT_EQ(maximum_flow(naive::directed(2, {{0, 1}, {0, 1}, {1, 0}}), 0, 1).edges.front().flow, 2);
}

TEST(flow, larger_graphs_are_verified) {
  const auto whole = naive::weighted(naive::undirected(2500, shapes::grid(50)), small_capacity);
  const auto tenths_of =
      naive::weighted(naive::directed(3000, naive::random_pairs(3000, 20'000, 7)), capacity_in_tenths);
  EXPECT_NO_THROW(verify_maximum_flow(whole, 60, 2440, by_capacity, maximum_flow(whole, 60, 2440, by_capacity)));
  EXPECT_NO_THROW(verify_maximum_flow(tenths_of, 1, 2, by_capacity, maximum_flow(tenths_of, 1, 2, by_capacity)));
  EXPECT_NO_THROW(verify_maximum_flow(tenths_of, 1, 2, {}, maximum_flow(tenths_of, 1, 2)));
}

TEST(flow, partners_are_the_same_by_one_thread_and_by_all) {
  const auto graph = naive::weighted(naive::directed(300, naive::random_pairs(300, 2000, 5)), small_capacity);
  const auto by_one = residual_of(graph, true, {}, 1000);
  const auto by_all = residual_of(graph, true, {}, 0);
  ASSERT_EQ(by_one.arcs.size(), by_all.arcs.size());
  for (std::uint64_t v = 0; v < 300; ++v) {
    for (std::uint64_t a = by_one.offsets[v]; a != by_one.offsets[v + 1]; ++a) {
      const auto& arc = by_one.arcs[a];
      EXPECT_EQ(arc.partner, by_all.arcs[a].partner);
      EXPECT_EQ(by_one.arcs[by_one.offsets[arc.target] + arc.partner].target, v);
    }
  }
}

TEST(flow, what_is_refused) {
  const auto graph = naive::directed(3, {{0, 1}});
  EXPECT_THROW(maximum_flow(graph, 0, 3), usage_error);
  EXPECT_THROW(maximum_flow(graph, 1, 1), usage_error);
  EXPECT_THROW(maximum_flow(graph, 0, 1, by_capacity), usage_error);
  EXPECT_THROW(maximum_flow(naive::directed(2, {{0, 1}}, false), 0, 1), usage_error);
  const auto negative = naive::weighted(naive::directed(2, {{0, 1}}), [](auto, auto) { return -1.0; });
  EXPECT_THROW(maximum_flow(negative, 0, 1, by_capacity), weight_error);
}

TEST(flow, wrong_results_are_found) {
  const auto graph = naive::weighted(naive::undirected(100, shapes::grid(10)), small_capacity);
  const auto wrong = [&](auto change) {
    flow_result result = maximum_flow(graph, 45, 54, by_capacity);
    EXPECT_NO_THROW(verify_maximum_flow(graph, 45, 54, by_capacity, result));
    change(result);
    EXPECT_THROW(verify_maximum_flow(graph, 45, 54, by_capacity, result), wrong_result);
  };
  wrong([](flow_result& result) { result.value += 1; });
  wrong([](flow_result& result) { result.edges.pop_back(); });
  wrong([](flow_result& result) { result.edges.front().flow += 20; });
  wrong([](flow_result& result) { result.cut.pop_back(); });
  wrong([](flow_result& result) { result.on_source_side[45] = 0; });
}

}  // namespace
}  // namespace callisto::graph
