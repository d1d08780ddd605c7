// Renumbering keeps the labels and the edges by label, and leaves rows in order.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using narrow = csr_graph<std::uint32_t>;
using labelled_arcs = std::vector<std::tuple<std::uint64_t, std::uint64_t, double>>;

/// Returns all arcs of rows, by label, sorted.
labelled_arcs arcs_of(const narrow& graph, const adjacency<std::uint32_t>& rows) {
  labelled_arcs arcs;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
      arcs.emplace_back(graph.label(v), graph.label(rows.targets[a]), rows.weights.empty() ? 0 : rows.weights[a]);
    }
  }
  std::sort(arcs.begin(), arcs.end());
  return arcs;
}

void expect_rows_in_order(const narrow& graph) {
  for (const auto* rows : {&graph.out(), &graph.in()}) {
    for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
      const auto row = rows->row(v);
      EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
    }
  }
  for (std::uint64_t i = 1; i < graph.vertices(); ++i) {
    EXPECT_LT(graph.label(graph.by_label(i - 1)), graph.label(graph.by_label(i)));
  }
}

void expect_same(const narrow& a, const narrow& b) {
  EXPECT_EQ(a.directed(), b.directed());
  EXPECT_EQ(a.weighted(), b.weighted());
  EXPECT_EQ(arcs_of(a, a.out()), arcs_of(b, b.out()));
  EXPECT_EQ(arcs_of(a, a.in()), arcs_of(b, b.in()));
}

/// A graph with repeats and loops, hubs at the end, and isolated vertices among the others.
naive::pairs awkward() {
  naive::pairs edges = naive::random_pairs(300, 1'500, 4);
  for (std::uint64_t v = 0; v < 300; v += 3) edges.emplace_back(299, v);
  edges.emplace_back(5, 5);
  edges.emplace_back(5, 6);
  edges.emplace_back(5, 6);
  return edges;
}

TEST(hubs_first, is_the_same_graph_in_order_of_degrees) {
  for (const bool directed : {false, true}) {
    for (const bool weighted : {false, true}) {
      any_graph graph = directed ? any_graph(naive::directed(350, awkward())) : naive::undirected(350, awkward());
      if (weighted) graph = with_random_weights(std::move(graph), 3);
      const any_graph ordered = hubs_first(graph);
      const auto& before = std::get<narrow>(graph);
      const auto& after = std::get<narrow>(ordered);
      expect_same(before, after);
      expect_rows_in_order(after);
      EXPECT_EQ(after.label(0), 299u);
      const auto degree = [&](std::uint64_t v) { return after.out().degree(v) + after.in().degree(v); };
      for (std::uint64_t v = 1; v < after.vertices(); ++v) {
        if (degree(v) < 256) {
          EXPECT_GE(degree(v - 1), degree(v));
        }
      }
      const any_graph back = in_label_order(ordered);
      const auto& again = std::get<narrow>(back);
      expect_same(before, again);
      EXPECT_TRUE(again.by_label().empty());
      for (std::uint64_t v = 0; v < again.vertices(); ++v) EXPECT_EQ(again.label(v), v);
    }
  }
}

// Large graphs with hubs all over them gain; small ones and what is in order already do not.
TEST(hubs_first, gains_where_hubs_lie_all_over) {
  const auto kronecker = [](unsigned scale) {
    kronecker_options options;
    options.scale = scale;
    options.degree = 12;
    return build_graph(generate_kronecker(options));
  };
  EXPECT_FALSE(gains_by_hubs_first(kronecker(12)));
  if (tests::sanitized) GTEST_SKIP() << "large graphs take long";
  const any_graph large = kronecker(18);
  EXPECT_TRUE(gains_by_hubs_first(large));
  EXPECT_FALSE(gains_by_hubs_first(hubs_first(large)));
}

TEST(hubs_first, of_nothing_of_no_edges_and_without_in_edges) {
  EXPECT_EQ(std::get<narrow>(hubs_first(naive::undirected(0, {}))).vertices(), 0u);
  const any_graph lonely = hubs_first(naive::directed(3, {}));
  EXPECT_EQ(std::get<narrow>(lonely).label(std::get<narrow>(lonely).by_label(2)), 2u);
  EXPECT_THROW(hubs_first(naive::directed(3, {{0, 1}}, false)), usage_error);
}

TEST(hubs_first, survives_a_native_file) {
  const machine::scratch_folder folder;
  const std::string path = folder.file("graph.cg");
  const any_graph ordered = hubs_first(naive::undirected(350, awkward()));
  write_native(ordered, path);
  {
    const any_graph read = open_native(path, native_check::content);
    expect_same(std::get<narrow>(ordered), std::get<narrow>(read));
    expect_rows_in_order(std::get<narrow>(read));
    EXPECT_EQ(std::get<narrow>(read).label(0), 299u);
  }
}

}  // namespace
}  // namespace callisto::graph
