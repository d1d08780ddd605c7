// Paths between two vertices: closed formulas, random graphs against all simple paths, and wrong results, which are
// found.
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/pair/met_vertices.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/graph/verify/pair.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;
using vertex_list = std::vector<std::uint64_t>;
using path_lists = std::vector<vertex_list>;

constexpr pair_options by_weight{.weighted = true};

double whole_length(std::uint64_t u, std::uint64_t v) {
  return static_cast<double>(1 + below(counter_random(std::min(u, v))(std::max(u, v)), 4));
}
double tenths(std::uint64_t u, std::uint64_t v) {
  return 0.1 * static_cast<double>(1 + below(counter_random(std::min(u, v))(std::max(u, v)), 4));
}
double zero_to_two(std::uint64_t u, std::uint64_t v) {
  return static_cast<double>(below(counter_random(std::min(u, v))(std::max(u, v)), 3));
}

path_lists lists_of(const std::vector<pair_path>& paths) {
  path_lists made;
  for (const pair_path& path : paths) made.push_back(path.vertices);
  return made;
}

/// All simple paths, shortest first, then by labels where they part.
template <class Vertex>
class simple_paths {
 public:
  simple_paths(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target, const pair_options& options)
      : graph_(graph), target_(target), options_(options) {
    go_on({source}, 0);
    std::sort(found.begin(), found.end(), [&](const pair_path& a, const pair_path& b) {
      if (a.length != b.length) return a.length < b.length;
      return std::lexicographical_compare(
          a.vertices.begin(), a.vertices.end(), b.vertices.begin(), b.vertices.end(),
          [&](std::uint64_t u, std::uint64_t v) { return graph.label(u) < graph.label(v); });
    });
  }

  std::vector<pair_path> found;

 private:
  void go_on(const vertex_list& path, double length) {
    if (path.back() == target_) {
      found.push_back({length, path});
      return;
    }
    std::map<std::uint64_t, double> next;
    for (std::uint64_t a = graph_.out().offsets[path.back()]; a != graph_.out().offsets[path.back() + 1]; ++a) {
      const double to = length + (options_.weighted ? graph_.out().weights[a] : 1);
      const auto [at, is_new] = next.try_emplace(graph_.out().targets[a], to);
      if (!is_new) at->second = std::min(at->second, to);
    }
    for (const auto& [v, to] : next) {
      if (std::find(path.begin(), path.end(), v) != path.end()) continue;
      vertex_list longer = path;
      longer.push_back(v);
      go_on(longer, to);
    }
  }

  const csr_graph<Vertex>& graph_;
  std::uint64_t target_;
  pair_options options_;
};

template <class Vertex>
void compare_with_all(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                      const pair_options& options) {
  const std::vector<pair_path> all = simple_paths(graph, source, target, options).found;
  const pair_result one = path_between(graph, source, target, options);
  EXPECT_NO_THROW(verify_path_between(graph, source, target, options, one.path));
  for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{9}, std::uint64_t{60}}) {
    const std::vector<pair_path> found = k_paths_between(graph, source, target, k, options);
    ASSERT_EQ(found.size(), std::min<std::size_t>(k, all.size()));
    EXPECT_NO_THROW(verify_k_paths_between(graph, source, target, k, options, found));
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].length, all[i].length);
      EXPECT_EQ(found[i].vertices, all[i].vertices) << "path " << i;
    }
  }
  path_lists shortest;
  for (const pair_path& path : all) {
    if (path.length <= all.front().length * (1 + 1e-10)) shortest.push_back(path.vertices);
  }
  std::sort(shortest.begin(), shortest.end(), [&](const vertex_list& a, const vertex_list& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [&](std::uint64_t u, std::uint64_t v) {
      return graph.label(u) < graph.label(v);
    });
  });
  const all_pair_paths found = all_paths_between(graph, source, target, 1000, options);
  EXPECT_EQ(found.count, static_cast<double>(shortest.size()));
  EXPECT_EQ(found.paths, shortest);
  EXPECT_NO_THROW(verify_all_paths_between(graph, source, target, 1000, options, found));
}

TEST(pair, random_graphs_against_all_simple_paths) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const pairs arcs = naive::random_pairs(9, 12 + seed, seed);
    compare_with_all(naive::directed(9, arcs), seed % 9, (seed + 4) % 9, {});
    compare_with_all(naive::undirected<std::uint64_t>(9, arcs), 0, 8, {});
    compare_with_all(naive::weighted(naive::directed<std::uint64_t>(9, arcs), whole_length), 1, 5, by_weight);
    compare_with_all(naive::weighted(naive::undirected(9, arcs), whole_length), 0, 8, by_weight);
  }
}

TEST(pair, fractions_as_lengths) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto graph = naive::weighted(naive::undirected(8, naive::random_pairs(8, 15, seed)), tenths);
    const auto all = simple_paths(graph, 0, 7, by_weight).found;
    const auto found = k_paths_between(graph, 0, 7, 20, by_weight);
    ASSERT_EQ(found.size(), std::min<std::size_t>(20, all.size()));
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_DOUBLE_EQ(found[i].length, all[i].length);
    EXPECT_NO_THROW(verify_k_paths_between(graph, 0, 7, 20, by_weight, found));
    const auto every = all_paths_between(graph, 0, 7, 100, by_weight);
    EXPECT_EQ(every.count, static_cast<double>(std::count_if(all.begin(), all.end(), [&](const pair_path& path) {
                return path.length <= all.front().length * (1 + 1e-10);
              })));
    EXPECT_NO_THROW(verify_path_between(graph, 0, 7, by_weight, path_between(graph, 0, 7, by_weight).path));
  }
}

TEST(pair, any_places_guide_to_a_shortest_path) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const pairs arcs = naive::random_pairs(40, 100, seed);
    std::vector<double> x;
    std::vector<double> y;
    for (std::uint64_t v = 0; v < 40; ++v) {
      x.push_back(to_unit(counter_random(seed, 1)(v)));
      y.push_back(v % 9 == 0 && v != 0 ? y.back() : to_unit(counter_random(seed, 2)(v)));
    }
    // Lengths that have nothing to do with places, none at all, and those of the straight ways.
    const auto straight = [&](std::uint64_t u, std::uint64_t v) { return std::hypot(x[u] - x[v], y[u] - y[v]); };
    const auto check = [&](const auto& graph, const pair_options& options) {
      for (std::uint64_t v = 0; v < 40; ++v) {
        const pair_result plain = path_between(graph, 3, v, options);
        const pair_result found = guided_path_between(graph, 3, v, x, y, options);
        ASSERT_DOUBLE_EQ(found.path.length, plain.path.length);
        ASSERT_NO_THROW(verify_path_between(graph, 3, v, options, found.path));
      }
    };
    check(naive::directed(40, arcs), {});
    check(naive::weighted(naive::undirected(40, arcs), zero_to_two), by_weight);
    check(naive::weighted(naive::directed<std::uint64_t>(40, arcs), tenths), by_weight);
    check(naive::weighted(naive::undirected(40, arcs), straight), by_weight);
  }
  const auto grid = naive::weighted(naive::undirected(900, shapes::grid(30)), [](auto, auto) { return 1.0; });
  std::vector<double> x;
  std::vector<double> y;
  for (std::uint64_t v = 0; v < 900; ++v) {
    x.push_back(static_cast<double>(v % 30));
    y.push_back(static_cast<double>(v / 30));
  }
  // Along a row of the grid the guide is exact.
  EXPECT_LT(2 * guided_path_between(grid, 450, 479, x, y, by_weight).looked_at,
            path_between(grid, 450, 479, by_weight).looked_at);
  EXPECT_THROW(guided_path_between(grid, 0, 1, std::vector<double>(3), y, by_weight), usage_error);
  x[7] = std::nan("");
  EXPECT_THROW(guided_path_between(grid, 0, 1, x, y, by_weight), usage_error);
}

TEST(pair, arcs_without_length) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const pairs arcs = naive::random_pairs(8, 16, seed);
    for (const auto& graph : {naive::weighted(naive::directed(8, arcs), zero_to_two),
                              naive::weighted(naive::undirected(8, arcs), zero_to_two)}) {
      const auto all = simple_paths(graph, 0, 7, by_weight).found;
      const auto found = k_paths_between(graph, 0, 7, 15, by_weight);
      ASSERT_EQ(found.size(), std::min<std::size_t>(15, all.size()));
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].length, all[i].length);
      EXPECT_NO_THROW(verify_k_paths_between(graph, 0, 7, 15, by_weight, found));
      EXPECT_NO_THROW(verify_path_between(graph, 0, 7, by_weight, path_between(graph, 0, 7, by_weight).path));
    }
  }
  const auto forth = naive::weighted(naive::directed(4, {{0, 1}, {1, 2}, {2, 3}, {0, 2}}),
                                     [](std::uint64_t u, std::uint64_t) { return u == 1 ? 0.0 : 1.0; });
  EXPECT_EQ(all_paths_between(forth, 0, 3, 9, by_weight).paths, (path_lists{{0, 1, 2, 3}, {0, 2, 3}}));
  const auto round = naive::weighted(naive::undirected(3, {{0, 1}, {1, 2}}), [](auto, auto) { return 0.0; });
  EXPECT_THROW(all_paths_between(round, 0, 2, 9, by_weight), weight_error);
  EXPECT_EQ(path_between(round, 0, 2, by_weight).path.vertices, (vertex_list{0, 1, 2}));
}

TEST(pair, known_counts) {
  const auto grid = naive::undirected(900, shapes::grid(30));
  const all_pair_paths found = all_paths_between(grid, 0, 899, 2);
  EXPECT_EQ(found.length, 58);
  EXPECT_EQ(found.count, 30067266499541040.0);  // 58 over 29
  EXPECT_EQ(found.vertices, 900u);
  ASSERT_EQ(found.paths.size(), 2u);
  EXPECT_EQ(found.paths[0][29], 29u);  // all along the first row, then down
  const auto chain = naive::undirected(3001, shapes::diamonds(1000));
  EXPECT_EQ(all_paths_between(chain, 0, 3000, 0).count, std::ldexp(1, 1000));
  EXPECT_TRUE(std::isinf(all_paths_between(naive::undirected(3601, shapes::diamonds(1200)), 0, 3600, 0).count));
  const vertex_list third = k_paths_between(chain, 0, 3000, 3)[2].vertices;
  EXPECT_EQ((vertex_list{third[1995], third[1997], third[1999], third[2000]}), (vertex_list{2992, 2996, 2998, 3000}));
  EXPECT_EQ(k_paths_between(naive::undirected(7, shapes::clique(7)), 0, 6, 1'000'000).size(), 326u);
  EXPECT_EQ(path_between(naive::undirected(5000, shapes::path(5000)), 4999, 0).path.length, 4999);
}

TEST(pair, ends_and_missing_paths) {
  const auto graph = naive::directed(4, {{0, 1}, {1, 2}, {2, 2}});
  EXPECT_EQ(path_between(graph, 1, 1).path.vertices, (vertex_list{1}));
  EXPECT_EQ(all_paths_between(graph, 2, 2, 5).paths, (path_lists{{2}}));
  EXPECT_EQ(lists_of(k_paths_between(graph, 2, 2, 5)), (path_lists{{2}}));
  for (const auto& [from, to] : pairs{{2, 0}, {0, 3}, {3, 0}}) {
    EXPECT_TRUE(path_between(graph, from, to).path.vertices.empty());
    EXPECT_TRUE(std::isinf(path_between(graph, from, to).path.length));
    EXPECT_EQ(all_paths_between(graph, from, to, 5).count, 0);
    EXPECT_TRUE(k_paths_between(graph, from, to, 5).empty());
  }
  EXPECT_THROW(path_between(graph, 0, 4), usage_error);
  EXPECT_THROW(k_paths_between(graph, 9, 0, 1), usage_error);
  EXPECT_THROW(path_between(graph, 0, 1, by_weight), usage_error);
  EXPECT_THROW(path_between(naive::directed(2, {{0, 1}}, false), 0, 1), usage_error);
  const auto negative = naive::weighted(naive::directed(2, {{0, 1}}), [](auto, auto) { return -1.0; });
  EXPECT_THROW(path_between(negative, 0, 1, by_weight), weight_error);
  EXPECT_EQ(path_between(negative, 0, 1).path.length, 1);
}

TEST(pair, larger_graphs_are_verified) {
  const pairs arcs = naive::random_pairs(2000, 7000, 5);
  const auto directed = naive::weighted(naive::directed(2000, arcs), whole_length);
  const auto roads = naive::weighted(naive::undirected(1600, shapes::grid(40)), tenths);
  for (const pair_options& options : {pair_options{}, by_weight}) {
    EXPECT_NO_THROW(verify_path_between(directed, 3, 77, options, path_between(directed, 3, 77, options).path));
    EXPECT_NO_THROW(
        verify_k_paths_between(directed, 3, 77, 20, options, k_paths_between(directed, 3, 77, 20, options)));
    EXPECT_NO_THROW(
        verify_all_paths_between(directed, 3, 77, 50, options, all_paths_between(directed, 3, 77, 50, options)));
    EXPECT_NO_THROW(verify_path_between(roads, 0, 1599, options, path_between(roads, 0, 1599, options).path));
    EXPECT_NO_THROW(verify_k_paths_between(roads, 0, 1599, 5, options, k_paths_between(roads, 0, 1599, 5, options)));
    EXPECT_NO_THROW(
        verify_all_paths_between(roads, 0, 1599, 50, options, all_paths_between(roads, 0, 1599, 50, options)));
  }
}

TEST(pair, wrong_results_are_found) {
  const auto graph = naive::undirected(16, shapes::grid(4));
  pair_path one = path_between(graph, 0, 15).path;
  std::swap(one.vertices[2], one.vertices[3]);
  EXPECT_THROW(verify_path_between(graph, 0, 15, {}, one), wrong_result);
  all_pair_paths all = all_paths_between(graph, 0, 15, 30);
  EXPECT_EQ(all.count, 20);
  all.count = 19;
  EXPECT_THROW(verify_all_paths_between(graph, 0, 15, 30, {}, all), wrong_result);
  all.count = 20;
  std::swap(all.paths[3], all.paths[4]);
  EXPECT_THROW(verify_all_paths_between(graph, 0, 15, 30, {}, all), wrong_result);
  std::vector<pair_path> several = k_paths_between(graph, 0, 15, 25);
  EXPECT_NO_THROW(verify_k_paths_between(graph, 0, 15, 25, {}, several));
  several.erase(several.begin() + 7);
  EXPECT_THROW(verify_k_paths_between(graph, 0, 15, 24, {}, several), wrong_result);
}

TEST(pair, vertices_met_are_numbered) {
  met_vertices<std::uint32_t, int> met;
  for (std::uint32_t i = 0; i < 5000; ++i) EXPECT_EQ(met.add(i * 977, 1), std::pair(std::size_t{i}, true));
  for (std::uint32_t i = 0; i < 5000; ++i) EXPECT_EQ(met.add(i * 977, 2), std::pair(std::size_t{i}, false));
  EXPECT_EQ(met.find(1), (met_vertices<std::uint32_t, int>::none));
  EXPECT_EQ(met[4999].value, 1);
}

}  // namespace
}  // namespace callisto::graph
