// Graph algorithms by triggers against the kernels.
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/triggered/triggered.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using small_graph = csr_graph<std::uint32_t>;

any_graph graph_of(bool grid) {
  grid_options shape;
  shape.rows = 60;
  shape.columns = 60;
  kronecker_options random;
  random.scale = 11;
  return with_random_weights(
      build_graph(grid ? generate_grid(shape) : generate_kronecker(random), {.undirected = true}), 1);
}

class Triggered : public testing::TestWithParam<std::pair<bool, domino::options>> {
 protected:
  const any_graph any = graph_of(GetParam().first);
  const small_graph& graph = std::get<small_graph>(any);
  const domino::options how = GetParam().second;
  const std::uint64_t source = [this] {
    std::uint64_t v = 0;
    while (graph.out().degree(v) == 0) ++v;
    return v;
  }();
};
INSTANTIATE_TEST_SUITE_P(Graphs, Triggered,
                         testing::Values(std::pair{false, domino::options{.contexts = 4}},
                                         std::pair{true, domino::options{.contexts = 4}},
                                         std::pair{false, domino::options{.order_seed = 5}},
                                         std::pair{true, domino::options{.order_seed = 6}}));

TEST_P(Triggered, LevelsAreThoseOfBfs) {
  const auto levels = triggered::bfs(graph, source, how);
  const auto expected = bfs(graph, source);
  EXPECT_TRUE(std::equal(levels.begin(), levels.end(), expected.distances.begin()));
}

TEST_P(Triggered, DistancesAreThoseOfSssp) {
  triggered::statistics did;
  const auto distances = triggered::sssp(graph, source, 8, how, &did);
  const auto expected = sssp(graph, source);
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    const double d = expected.distances[v];
    EXPECT_EQ(distances[v], d == sssp_result::unreached ? triggered::unreached_distance : d) << v;
  }
  EXPECT_LE(static_cast<double>(did.tasks), 1.2 * static_cast<double>(expected.reached));
}

TEST_P(Triggered, LabelsAreThoseOfComponents) {
  const auto labels = triggered::components(graph, how);
  const auto expected = components(graph);
  EXPECT_TRUE(std::equal(labels.begin(), labels.end(), expected.begin()));
}

TEST_P(Triggered, DependenciesAreThoseOfBetweenness) {
  std::vector<std::uint64_t> sources;
  for (std::uint64_t v = source; sources.size() < 5; v += 11) {
    if (graph.out().degree(v) != 0) sources.push_back(v);
  }
  const auto sums = triggered::dependencies(graph, sources, how);
  const auto expected = betweenness(any, {.from = sources});
  // From k of n sources, the kernel scales sums up by (n - 1) / k, and halves them, as pairs are unordered.
  const double scale = static_cast<double>(graph.vertices() - 1) / static_cast<double>(sources.size()) / 2;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (std::find(sources.begin(), sources.end(), v) != sources.end()) continue;
    EXPECT_NEAR(sums[v] * scale, expected.scores[v], 1e-12 * std::max(1.0, expected.scores[v])) << v;
  }
}

TEST(TriggeredErrors, NameWhatWasExpected) {
  const any_graph any = graph_of(true);
  const auto& graph = std::get<small_graph>(any);
  EXPECT_THROW(triggered::bfs(graph, 3'600), usage_error);
  EXPECT_THROW(triggered::sssp(graph, 0, 0), usage_error);
}

}  // namespace
}  // namespace callisto::graph
