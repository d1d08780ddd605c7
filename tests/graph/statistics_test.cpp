// Statistics of small graphs, counted by hand or by brute force.
#include "naive.hpp"

#include <callisto/graph/csr/statistics.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stop_token>
#include <utility>

namespace callisto::graph {
namespace {

TEST(statistics, of_nothing) {
  for (const any_graph& graph : {any_graph(), any_graph(naive::undirected(0, {}))}) {
    const graph_statistics s = compute_statistics(graph);
    EXPECT_EQ(s.vertices, 0u);
    EXPECT_EQ(s.arcs, 0u);
    EXPECT_EQ(s.out.min, 0u);
    EXPECT_EQ(s.in.max, 0u);
    EXPECT_EQ(s.out.mean, 0);
  }
}

TEST(statistics, of_a_directed_graph) {
  // 0 -> 1 twice, 1 -> 0, 0 -> 2, a loop at 2 stored twice, 3 -> 2, 4 alone, 5 a sink.
  const any_graph graph = naive::directed(6, {{0, 1}, {0, 1}, {1, 0}, {0, 2}, {2, 2}, {2, 2}, {3, 2}, {3, 5}});
  const graph_statistics s = compute_statistics(graph);
  EXPECT_EQ(s.vertices, 6u);
  EXPECT_EQ(s.arcs, 8u);
  EXPECT_EQ(s.self_loops, 2u);
  EXPECT_EQ(s.repeated_arcs, 2u);
  EXPECT_EQ(s.edges, 4u);  // 0-1, 0-2, 2-3, 3-5
  EXPECT_EQ(s.out.min, 0u);
  EXPECT_EQ(s.out.max, 3u);
  EXPECT_DOUBLE_EQ(s.out.mean, 8.0 / 6);
  EXPECT_EQ(s.in.min, 0u);
  EXPECT_EQ(s.in.max, 4u);
  EXPECT_DOUBLE_EQ(s.in.mean, 8.0 / 6);
  EXPECT_EQ(s.isolated, 1u);  // 4
  EXPECT_EQ(s.dangling, 2u);  // 4 and 5
  EXPECT_EQ(s.bytes, 2u * (7 * 8 + 8 * 4));
}

TEST(statistics, of_an_undirected_graph) {
  // 0-1, 1-2 listed twice, a loop at 2, 3 alone.
  const any_graph graph = naive::undirected(4, {{0, 1}, {1, 2}, {2, 1}, {2, 2}});
  const graph_statistics s = compute_statistics(graph);
  EXPECT_EQ(s.arcs, 7u);
  EXPECT_EQ(s.self_loops, 1u);
  EXPECT_EQ(s.repeated_arcs, 2u);  // in the rows of 1 and of 2
  EXPECT_EQ(s.edges, 2u);
  EXPECT_EQ(s.out.max, 3u);
  EXPECT_EQ(s.in.max, 3u);
  EXPECT_EQ(s.isolated, 1u);
  EXPECT_EQ(s.dangling, 1u);
  EXPECT_EQ(s.bytes, 5u * 8 + 7 * 4);
}

TEST(statistics, minimum_above_zero) {
  const graph_statistics s = compute_statistics(naive::undirected(3, {{0, 1}, {1, 2}, {2, 0}, {0, 0}}));
  EXPECT_EQ(s.out.min, 2u);
  EXPECT_EQ(s.out.max, 3u);
}

TEST(statistics, of_random_graphs_with_either_width) {
  const std::uint64_t vertices = 3000;
  const naive::pairs arcs = naive::random_pairs(vertices, 9000, 5);
  std::set<std::pair<std::uint64_t, std::uint64_t>> distinct(arcs.begin(), arcs.end());
  const auto loops = static_cast<std::uint64_t>(
      std::count_if(arcs.begin(), arcs.end(), [](const auto& arc) { return arc.first == arc.second; }));
  for (const any_graph& graph :
       {any_graph(naive::directed(vertices, arcs)), any_graph(naive::directed<std::uint64_t>(vertices, arcs))}) {
    const graph_statistics s = compute_statistics(graph);
    EXPECT_EQ(s.arcs, arcs.size());
    EXPECT_EQ(s.repeated_arcs, arcs.size() - distinct.size());
    EXPECT_EQ(s.self_loops, loops);
    EXPECT_EQ(s.edges, naive::simple_edges(arcs).size());
  }
}

TEST(statistics, refuse_a_graph_without_in_edges_and_stop_when_asked) {
  EXPECT_THROW(compute_statistics(naive::directed(2, {{0, 1}}, false)), usage_error);
  EXPECT_EQ(csr_bytes(naive::directed(2, {{0, 1}}, false)), 3u * 8 + 4);
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(compute_statistics(naive::directed(2, {{0, 1}}), {.report = nullptr, .stop = source.get_token()}),
               cancelled);
}

}  // namespace
}  // namespace callisto::graph
