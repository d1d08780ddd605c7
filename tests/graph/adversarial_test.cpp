// Every kernel on graphs that are hard for graph kernels; each result is verified by its independent check.
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/components/scc.hpp>
#include <callisto/graph/csr/degrees.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/graph/distance/diameter.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/graph/verify/communities.hpp>
#include <callisto/graph/verify/scores.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sys/mman.h>

namespace callisto::graph {
namespace {

using naive::pairs;

constexpr std::uint64_t size_of_path = tests::sanitized ? 5'000 : 1'000'000;
constexpr std::uint64_t size_of_clique = tests::sanitized ? 150 : 2'000;
constexpr std::uint64_t leaves_of_star = tests::sanitized ? 5'000 : 100'000;
constexpr std::uint64_t size_of_giant = tests::sanitized ? 2'000 : 20'000;

/// Returns the vertices to search from: the first, one in the middle, and the last.
std::vector<std::uint64_t> sources(std::uint64_t vertices) {
  if (vertices == 0) return {};
  const std::set<std::uint64_t> some{0, vertices / 2, vertices - 1};
  return {some.begin(), some.end()};
}

struct kernel {
  const char* name;
  std::function<void(const any_graph&)> run_and_verify;
  bool reads_weights = false;
};

/// A kernel for graphs of either vertex type.
template <class Function>
std::function<void(const any_graph&)> on(Function f) {
  return [f](const any_graph& graph) { std::visit(f, graph); };
}

const std::vector<kernel>& kernels() {
  static const std::vector<kernel> all{
      {"bfs", on([](const auto& g) {
         for (const std::uint64_t s : sources(g.vertices())) verify_bfs(g, s, bfs(g, s));
       })},
      {"sssp", on([](const auto& g) {
         for (const std::uint64_t s : sources(g.vertices())) verify_sssp(g, s, sssp(g, s));
       }),
       true},
      {"pagerank",
       [](const any_graph& graph) {
         const std::uint64_t n = std::visit([](const auto& g) { return g.vertices(); }, graph);
         for (const bool seeded : {false, true}) {
           pagerank_options options{.tolerance = 1e-7};
           if (seeded) {
             for (const std::uint64_t s : sources(n)) options.seeds.push_back({s, static_cast<double>(s) + 1});
           }
           if (n == 0) {
             EXPECT_THROW(pagerank(graph, options), usage_error);
           } else {
             verify_pagerank(graph, options, pagerank(graph, options));
           }
         }
       },
       true},
      {"components", on([](const auto& g) { verify_components(g, components(g)); })},
      {"scc", on([](const auto& g) { verify_strong_components(g, strong_components(g)); })},
      {"kcore", on([](const auto& g) { verify_kcore(g, kcore(g)); })},
      {"clustering", on([](const auto& g) { verify_clustering(g, clustering(g)); })},
      {"diameter", on([](const auto& g) { verify_diameter(g, diameter(g, {.searches = 12}), 2); })},
      {"betweenness",
       [](const any_graph& graph) {
         betweenness_options options;
         options.from = sources(std::visit([](const auto& g) { return g.vertices(); }, graph));
         verify_betweenness(graph, options, betweenness(graph, options));
       }},
      {"triangles", [](const any_graph& graph) { verify_triangles(graph, count_triangles(graph)); }},
      {"leiden", [](const any_graph& graph) { verify_communities(graph, {}, communities(graph)); }, true},
      {"labels",
       [](const any_graph& graph) {
         const communities_options options{.method = community_method::labels};
         verify_communities(graph, options, communities(graph, options));
       },
       true},
      {"statistics",
       [](const any_graph& graph) {
         const graph_statistics found = compute_statistics(graph);
         std::uint64_t vertices = 0;
         for (const degree_count& c : count_degrees(graph).out) vertices += c.vertices;
         EXPECT_EQ(vertices, found.vertices);
       }},
  };
  return all;
}

struct shape {
  const char* name;
  std::uint64_t vertices;
  std::function<pairs()> edges;
  bool directed_too = true;
};

std::ostream& operator<<(std::ostream& out, const shape& s) { return out << s.name; }

pairs two_giants() {
  pairs edges = naive::random_pairs(size_of_giant, 3 * size_of_giant, 1);
  for (const auto& [u, v] : naive::random_pairs(size_of_giant, 3 * size_of_giant, 2))
    edges.emplace_back(u + size_of_giant, v + size_of_giant);
  return edges;
}

pairs loops_and_repeats() {
  pairs edges = naive::random_pairs(200, 3'000, 3);  // few vertices: most pairs repeat
  for (std::uint64_t v = 0; v < 200; v += 3) edges.insert(edges.end(), v % 7, {v, v});
  return edges;
}

const std::vector<shape>& shapes_of_all_kinds() {
  static const std::vector<shape> all{
      {"empty", 0, [] { return pairs{}; }},
      {"one_vertex", 1, [] { return pairs{}; }},
      {"one_loop", 1, [] { return pairs{{0, 0}}; }},
      {"no_edges", 5'000, [] { return pairs{}; }},
      {"star", leaves_of_star + 1, [] { return shapes::star(leaves_of_star); }},
      {"path", size_of_path, [] { return shapes::path(size_of_path); }, false},
      {"complete", size_of_clique, [] { return shapes::clique(size_of_clique); }, false},
      {"loops_and_repeats", 200, loops_and_repeats},
      {"two_giants", 2 * size_of_giant, two_giants},
      // All three sources have no edges.
      {"disconnected_sources", 3'001,
       [] {
         pairs edges = naive::random_pairs(3'001, 9'000, 4);
         std::erase_if(edges, [](const auto& e) {
           for (const std::uint64_t s : sources(3'001)) {
             if (e.first == s || e.second == s) return true;
           }
           return false;
         });
         return edges;
       }},
      {"two_trees_of_hubs", 10'001,
       [] {
         pairs edges;
         for (std::uint64_t v = 1; v < 10'001; ++v) edges.emplace_back(v % 100 == 0 ? 0 : v - v % 100, v);
         return edges;
       }},
  };
  return all;
}

class adversarial : public testing::TestWithParam<shape> {};

TEST_P(adversarial, every_kernel_is_right) {
  const shape& s = GetParam();
  const pairs edges = s.edges();
  std::vector<std::pair<const char*, any_graph>> forms;
  forms.emplace_back("undirected", naive::undirected(s.vertices, edges));
  if (s.directed_too) {
    forms.emplace_back("directed", naive::directed(s.vertices, edges));
    forms.emplace_back("directed, 64-bit", naive::directed<std::uint64_t>(s.vertices, edges));
  }
  for (const auto& [form, graph] : forms) {
    for (const kernel& k : kernels()) {
      SCOPED_TRACE(std::string(k.name) + ", " + form);
      if (std::string_view(k.name) == "sssp") continue;  // tested below with weights
      EXPECT_NO_THROW(k.run_and_verify(graph));
    }
  }
  forms.clear();
  // Extreme weights: 0, the smallest double, and large ones with a finite sum.
  constexpr std::array<double, 4> weights{0, std::numeric_limits<double>::denorm_min(), 1, 0x1p+990};
  const auto weight = [&](std::uint64_t u, std::uint64_t v) { return weights[(u + v) % weights.size()]; };
  forms.emplace_back("undirected, weighted", naive::weighted(naive::undirected(s.vertices, edges), weight));
  if (s.directed_too) {
    forms.emplace_back("directed, weighted", naive::weighted(naive::directed(s.vertices, edges), weight));
  }
  for (const auto& [form, graph] : forms) {
    for (const kernel& k : kernels()) {
      SCOPED_TRACE(std::string(k.name) + ", " + form);
      if (!k.reads_weights) continue;
      EXPECT_NO_THROW(k.run_and_verify(graph));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, adversarial, testing::ValuesIn(shapes_of_all_kinds()),
                         [](const auto& of) { return std::string(of.param.name); });

/// Returns `size` values, given from `first` on; the values before it are zeros that take no memory.
template <class T>
machine::page_array<T> sparse(std::uint64_t first, const machine::page_array<T>& values) {
  const std::size_t bytes = (first + values.size()) * sizeof(T);
  void* const address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return {};
  T* const all = static_cast<T*>(address);
  std::copy(values.begin(), values.end(), all + first);
  const std::shared_ptr<const void> owner(address, [bytes](void* p) { ::munmap(p, bytes); });
  return machine::page_array<T>::view({all, static_cast<std::size_t>(first + values.size())}, owner);
}

/// Returns the same rows behind more than 2^32 arcs that belong to no row.
template <class Vertex>
adjacency<Vertex> far_rows(adjacency<Vertex> rows) {
  constexpr std::uint64_t gap = (std::uint64_t{1} << 32) + 12'345;
  for (std::uint64_t& offset : rows.offsets) offset += gap;
  rows.targets = sparse(gap, rows.targets);
  return rows;
}

// An arc number that is cut to 32 bits reads a wrong row, or no row.
TEST(adversarial, offsets_past_32_bits) {
  if (tests::sanitized) GTEST_SKIP() << "sanitizers keep shadows of all that is mapped";
  const pairs edges = naive::random_pairs(3'000, 20'000, 6);
  pairs reversed;
  for (const auto& [u, v] : edges) reversed.emplace_back(v, u);
  pairs both = edges;
  for (const auto& [u, v] : edges) {
    if (u != v) both.emplace_back(v, u);
  }
  using rows = adjacency<std::uint32_t>;
  const auto far = [](const pairs& arcs) { return far_rows(naive::rows_of<std::uint32_t>(3'000, arcs)); };
  for (const bool directed : {false, true}) {
    const any_graph graph =
        csr_graph<std::uint32_t>(directed, far(directed ? edges : both), directed ? far(reversed) : rows{}, {}, 0);
    if (std::get<0>(graph).out().targets.empty()) GTEST_SKIP() << "no address space";
    for (const kernel& k : kernels()) {
      SCOPED_TRACE(std::string(k.name) + (directed ? ", directed" : ", undirected"));
      const std::string_view name = k.name;
      if (name == "betweenness") {  // its memory is proportional to the arcs: it throws memory_error
        EXPECT_THROW(betweenness(graph, {.samples = 8, .memory = std::uint64_t{1} << 30}), memory_error);
      } else if (directed && name == "louvain") {
        // The undirected form takes as much. With enough memory (100 GB), it would read the arcs before the first row.
        EXPECT_THROW(k.run_and_verify(graph), error);
      } else if (name != "sssp") {
        EXPECT_NO_THROW(k.run_and_verify(graph));
      }
    }
  }
  const auto paths = [&]<class Weight>(Weight) {
    machine::page_array<Weight> weights(edges.size());
    for (std::uint64_t a = 0; a < weights.size(); ++a) weights[a] = static_cast<Weight>(a % 1'000);
    rows moved = far(edges);
    auto moved_weights = sparse(moved.offsets[0], weights);
    if (moved_weights.empty()) GTEST_SKIP() << "no address space";
    moved.weights = std::move(moved_weights);
    rows weighted = naive::rows_of<std::uint32_t>(3'000, edges);
    weighted.weights = std::move(weights);
    const csr_graph<std::uint32_t> near(true, std::move(weighted), {}, {}, 0);
    const sssp_result expected = sssp(near, 5);
    const sssp_result found = sssp(csr_graph<std::uint32_t>(true, std::move(moved), {}, {}, 0), 5);
    ASSERT_EQ(found.distances.size(), expected.distances.size());
    for (std::uint64_t v = 0; v < found.distances.size(); ++v) ASSERT_EQ(found.distances[v], expected.distances[v]);
  };
  paths(double{});
  paths(short_weight{});
}

}  // namespace
}  // namespace callisto::graph
