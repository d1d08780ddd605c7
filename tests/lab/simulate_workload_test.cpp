// Checks costs of iterations: sums, the paper's skew, and costs from degrees.
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/workload.hpp>

#include <cstdint>
#include <variant>

#include <gtest/gtest.h>

namespace callisto::lab {
namespace {

TEST(Workload, EvenIterationsCostTheSame) {
  const workload w = workload::even(1000, 140);
  EXPECT_EQ(w.size(), 1000u);
  EXPECT_EQ(w.total(), 140'000u);
  EXPECT_EQ(w.cost(10, 14), 4 * 140u);
  EXPECT_EQ(w.largest(), 140u);
}

TEST(Workload, SkewedOnesCostAsMuchInAllAsEvenOnes) {
  const std::uint64_t n = std::uint64_t{1} << 20;
  const workload w = workload::skewed(n, 140);
  EXPECT_EQ(w.cost(0, 1), 1024 * w.cost(n - 1, n));  // ATC'15 section 4.1
  EXPECT_NEAR(static_cast<double>(w.total()), static_cast<double>(n * 140), 0.001 * static_cast<double>(n * 140));
  EXPECT_EQ(w.cost(n / 1023 - 1, n / 1023 + 1), w.cost(0, 1) + w.cost(n - 1, n));
  EXPECT_EQ(w.largest(), w.cost(0, 1));
}

TEST(Workload, PageRankCostsInArcs) {
  graph::power_law_options what;
  what.vertices = 2000;
  what.edges = 10'000;
  const graph::any_graph g = graph::build_graph(graph::generate_power_law(what));
  const workload w = workload::from_graph(workload_kind::pagerank, g, 20, 3, {});
  std::visit(
      [&](const auto& rows) {
        ASSERT_EQ(w.size(), rows.vertices());
        for (std::uint64_t v = 0; v < rows.vertices(); ++v) {
          ASSERT_EQ(w.cost(v, v + 1), 20 + 3 * rows.in().degree(v)) << v;
        }
      },
      g);
}

TEST(Workload, TrianglesCostProbesOfLowerRows) {
  // A triangle and a vertex that hangs on it: ranks by falling degree 2 | 0 1 | 3, rows of lower ranks of sizes
  // 0, 1, 2 and 1, so that probes are 0, 0, 1 and 0.
  graph::edge_list<std::uint32_t> list;
  list.meaning = graph::direction::undirected;
  list.vertices = 4;
  list.blocks.resize(1);
  list.blocks[0].edges = machine::page_array<graph::edge<std::uint32_t>>(4);
  list.blocks[0].edges[0] = {0, 1};
  list.blocks[0].edges[1] = {1, 2};
  list.blocks[0].edges[2] = {2, 0};
  list.blocks[0].edges[3] = {2, 3};
  const graph::any_graph g = graph::build_graph(std::move(list));
  const workload w = workload::from_graph(workload_kind::triangles, g, 10, 7, {});
  ASSERT_EQ(w.size(), 4u);
  EXPECT_EQ(w.total(), 4 * 10 + 7u);
  EXPECT_EQ(w.largest(), 17u);
}

TEST(Workload, NamesAreParsedStrictly) {
  EXPECT_EQ(parse_workload("--workload", "skewed"), workload_kind::skewed);
  EXPECT_STREQ(name_of(parse_workload("--workload", "triangles")), "triangles");
  EXPECT_THROW(parse_workload("--workload", "Even"), usage_error);
}

}  // namespace
}  // namespace callisto::lab
