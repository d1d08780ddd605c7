// Betweenness against its definition, closed formulas, and scores that NetworkX computed.
#include "../refusal.hpp"
#include "../sanitizers.hpp"
#include "../with_threads.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/betweenness/high_diameter.hpp>
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/wide_count.hpp>
#include <callisto/graph/verify/scores.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;

constexpr betweenness_form forms[] = {betweenness_form::automatic, betweenness_form::flat, betweenness_form::nested,
                                      betweenness_form::inner};

pairs both_ways(const pairs& edges) {
  pairs arcs = edges;
  for (const auto& [u, v] : edges) arcs.emplace_back(v, u);
  return arcs;
}

std::vector<std::uint64_t> everyone(std::uint64_t vertices) {
  std::vector<std::uint64_t> all(vertices);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  return all;
}

void expect_scores(const betweenness_result& result, const std::vector<double>& expected, double within = 1e-9) {
  ASSERT_EQ(result.scores.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v)
    EXPECT_NEAR(result.scores[v], expected[v], within * std::max(1.0, expected[v])) << v;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

/// Returns random edges, with loops, repeats, vertices of one neighbour, and vertices without edges.
pairs random_edges(std::uint64_t vertices, std::size_t count, unsigned seed) {
  pairs edges = naive::random_pairs(vertices, count, seed);
  for (std::size_t i = 0; i < count; i += 3) edges[i].second = edges[i].first % 5;
  edges.insert(edges.end(), edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(count / 8));
  edges.emplace_back(seed % vertices, seed % vertices);
  return edges;
}

using tests::refusal;

const pairs karate = shapes::karate_club();

TEST(betweenness, agrees_with_networkx) {
  // networkx.betweenness_centrality (NetworkX 3.6.1) of a small graph with a loop, a sink and an isolated vertex; of
  // Zachary's karate club; and of networkx.gnp_random_graph(20, 0.12, seed=3, directed=True).
  const pairs small{{0, 1}, {0, 2}, {1, 2}, {2, 0}, {3, 2}, {3, 4}, {4, 4}, {4, 5}, {6, 0}, {6, 3}, {6, 5}};
  const pairs random{{0, 6},  {0, 7},   {1, 3},   {1, 7},   {1, 19},  {3, 9},   {3, 12}, {3, 19},  {4, 1},
                     {4, 10}, {4, 12},  {4, 17},  {5, 19},  {6, 2},   {6, 5},   {6, 13}, {6, 14},  {7, 9},
                     {7, 19}, {9, 14},  {10, 9},  {10, 14}, {11, 1},  {12, 5},  {12, 8}, {12, 16}, {12, 17},
                     {13, 0}, {13, 3},  {13, 18}, {14, 17}, {15, 16}, {15, 18}, {16, 1}, {16, 2},  {16, 3},
                     {16, 6}, {16, 15}, {17, 0},  {17, 3},  {17, 18}, {18, 12}, {19, 14}};
  const std::vector<double> of_karate{231.071428571429,
                                      28.4785714285714,
                                      75.8507936507937,
                                      6.28809523809524,
                                      0.333333333333333,
                                      15.8333333333333,
                                      15.8333333333333,
                                      0,
                                      29.5293650793651,
                                      0.447619047619048,
                                      0.333333333333333,
                                      0,
                                      0,
                                      24.215873015873,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      17.1468253968254,
                                      0,
                                      0,
                                      0,
                                      9.3,
                                      1.16666666666667,
                                      2.02777777777778,
                                      0,
                                      11.7920634920635,
                                      0.947619047619048,
                                      1.54285714285714,
                                      7.60952380952381,
                                      73.0095238095238,
                                      76.6904761904762,
                                      160.551587301587};
  for (const betweenness_form form : forms) {
    SCOPED_TRACE(name_of(form));
    expect_scores(betweenness(naive::directed(8, small), {.form = form}), {3.5, 0, 3, 1.5, 1, 0, 0, 0});
    expect_scores(betweenness(naive::directed(8, small), {.normalized = true, .form = form}),
                  {0.0833333333333333, 0, 0.0714285714285714, 0.0357142857142857, 0.0238095238095238, 0, 0, 0});
    expect_scores(betweenness(naive::undirected(34, karate), {.form = form}), of_karate);
    expect_scores(betweenness(naive::undirected<std::uint64_t>(34, karate), {.normalized = true, .form = form}),
                  scaled(of_karate, 1.0 / (33 * 16)));
    expect_scores(betweenness(naive::directed(20, random), {.normalized = true, .form = form}), {0.10672514619883,
                                                                                                 0.0672514619883041,
                                                                                                 0,
                                                                                                 0.197855750487329,
                                                                                                 0,
                                                                                                 0.0116959064327485,
                                                                                                 0.130116959064327,
                                                                                                 0.0087719298245614,
                                                                                                 0,
                                                                                                 0.0238791423001949,
                                                                                                 0.00584795321637427,
                                                                                                 0,
                                                                                                 0.292884990253411,
                                                                                                 0.054093567251462,
                                                                                                 0.226608187134503,
                                                                                                 0.00292397660818713,
                                                                                                 0.176900584795322,
                                                                                                 0.288011695906433,
                                                                                                 0.0930799220272904,
                                                                                                 0.0852826510721248});
  }
}

TEST(betweenness, agrees_with_its_definition_on_random_graphs) {
  for (const unsigned count : {1u, 8u}) {
    const tests::with_threads so_many(count);
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const std::uint64_t vertices = 2 + seed * 7 % 60;
      const pairs edges = random_edges(vertices, vertices * (1 + seed % 4) / 2 + 1, seed);
      const std::vector<double> of_arcs = naive::betweenness(vertices, edges, everyone(vertices));
      const std::vector<double> of_edges = naive::betweenness(vertices, both_ways(edges), everyone(vertices));
      for (const betweenness_form form : forms) {
        SCOPED_TRACE(std::to_string(seed) + ' ' + name_of(form));
        expect_scores(betweenness(naive::directed(vertices, edges), {.form = form}), of_arcs);
        expect_scores(betweenness(naive::undirected(vertices, edges), {.form = form}), scaled(of_edges, 0.5));
      }
    }
  }
}

TEST(betweenness, of_a_path_a_cycle_a_star_and_a_complete_graph) {
  const std::uint64_t n = 41;
  const pairs path = shapes::path(n);
  const pairs star = shapes::star(n - 1);
  const pairs complete = shapes::clique(n);
  pairs cycle = path;
  cycle.emplace_back(n - 1, 0);
  std::vector<double> of_path(n);
  std::vector<double> of_star(n);
  for (std::uint64_t v = 0; v < n; ++v) of_path[v] = static_cast<double>(v * (n - 1 - v));
  of_star[0] = static_cast<double>((n - 1) * (n - 2) / 2);
  for (const betweenness_form form : forms) {
    SCOPED_TRACE(name_of(form));
    expect_scores(betweenness(naive::undirected(n, path), {.form = form}), of_path);
    expect_scores(betweenness(naive::directed(n, path), {.form = form}), of_path);
    expect_scores(betweenness(naive::undirected(n, star), {.form = form}), of_star);
    expect_scores(betweenness(naive::directed(n, star), {.form = form}), std::vector<double>(n));
    expect_scores(betweenness(naive::undirected(n, complete), {.form = form}), std::vector<double>(n));
    // Of an odd cycle: (n - 1)(n - 3) / 8. In a directed cycle the path of each pair leads through all vertices
    // between.
    const auto odd = static_cast<double>((n - 1) * (n - 3) / 8);
    expect_scores(betweenness(naive::undirected(n, cycle), {.form = form}), std::vector<double>(n, odd));
    const auto round = static_cast<double>((n - 1) * (n - 2) / 2);
    expect_scores(betweenness(naive::directed(n, cycle), {.form = form}), std::vector<double>(n, round));
  }
}

TEST(betweenness, of_a_grid_counts_many_paths) {
  // A row of diamonds has 2^i shortest paths to the i-th; each inner end has half of the paths that pass.
  const std::uint64_t diamonds = 50;
  const pairs edges = shapes::diamonds(diamonds);
  const std::uint64_t n = 3 * diamonds + 1;
  const std::vector<double> expected = naive::betweenness(n, edges, everyone(n));
  for (const betweenness_form form : forms) {
    expect_scores(betweenness(naive::directed(n, edges), {.form = form}), expected);
  }
  const std::uint64_t side = 9;
  const pairs grid = shapes::grid(side);
  const std::vector<double> of_grid = naive::betweenness(side * side, both_ways(grid), everyone(side * side));
  for (const betweenness_form form : forms)
    expect_scores(betweenness(naive::undirected(side * side, grid), {.form = form}), scaled(of_grid, 0.5));
}

// A row of 1,030 diamonds: 2^1030 shortest paths join its ends, more than a double can count.
TEST(betweenness, of_more_paths_than_a_double_can_count) {
  const std::uint64_t diamonds = 1030;
  pairs edges = shapes::diamonds(diamonds);
  const std::uint64_t n = 3 * diamonds + 1;
  std::vector<double> expected(n);
  for (std::uint64_t i = 0; i <= diamonds; ++i) {
    const auto before = static_cast<double>(3 * i);
    const auto behind = static_cast<double>(3 * (diamonds - i));
    expected[3 * i] = before * behind;
    if (i == diamonds) break;
    // All of one side reach all of the other side by one of two ways.
    expected[3 * i + 1] = expected[3 * i + 2] = (before + 1) * (behind - 2) / 2;
  }
  const any_graph directed = naive::directed(n, edges);
  for (const betweenness_form form : forms) {
    expect_scores(betweenness(directed, {.form = form}), expected);
    // 3,000 searches of thousands of steps take 15 s a form; searches from a few vertices show sanitizers as much.
    if (tests::sanitized) break;
  }
  // From a few vertices, in a graph as it is, and in one with repeats, which is folded and renumbered.
  pairs repeated = edges;
  repeated.push_back(edges.front());
  const std::vector<std::uint64_t> ends{0, 1, 3 * diamonds};
  for (const bool both : {false, true}) {
    const any_graph plain = both ? any_graph(naive::undirected(n, edges)) : any_graph(naive::directed(n, edges));
    const any_graph twice = both ? any_graph(naive::undirected(n, repeated)) : any_graph(naive::directed(n, repeated));
    for (const betweenness_form form : forms) {
      const betweenness_options options{.from = ends, .form = form};
      const betweenness_result found = betweenness(plain, options);
      EXPECT_NO_THROW(verify_betweenness(plain, options, found));
      expect_scores(betweenness(twice, options), {found.scores.begin(), found.scores.end()});
    }
  }
}

TEST(betweenness, of_few_sources_in_the_graph_as_it_is) {
  const std::uint64_t n = 100;
  const tests::with_threads four(4);
  for (const bool loops : {false, true}) {
    pairs edges = naive::random_pairs(n, 230, 6);
    if (!loops) std::erase_if(edges, [](const auto& e) { return e.first == e.second; });
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const pairs mirrored = both_ways(edges);
    for (const std::uint64_t count : {1u, 4u, 8u, 9u}) {
      std::vector<std::uint64_t> from(count);
      for (std::uint64_t i = 0; i < count; ++i) from[i] = (i * 47 + 3) % n;
      for (const bool both : {false, true}) {
        std::vector<double> expected = naive::betweenness(n, both ? mirrored : edges, from);
        const auto k = static_cast<double>(count);
        for (std::uint64_t v = 0; v < n; ++v) {
          const bool inside = std::find(from.begin(), from.end(), v) != from.end();
          expected[v] *= (inside ? (count == 1 ? 0 : (n - 1) / (k - 1)) : (n - 1) / k) / (both ? 2 : 1);
        }
        pairs once = edges;  // undirected: each edge in one direction only
        if (both)
          std::erase_if(once, [&](const auto& e) {
            return e.first > e.second && std::binary_search(edges.begin(), edges.end(), std::pair(e.second, e.first));
          });
        const any_graph graph = both ? any_graph(naive::undirected(n, once)) : any_graph(naive::directed(n, once));
        for (const betweenness_form form : forms) {
          SCOPED_TRACE(name_of(form));
          expect_scores(betweenness(graph, {.from = from, .form = form}), expected);
        }
      }
    }
  }
}

TEST(wide_count, adds_and_divides_like_numbers) {
  wide_count power{1, 0};
  wide_count sum{1, 0};
  for (int i = 0; i < 5000; ++i) {  // power = 2^i, sum = 2^i
    EXPECT_EQ(ratio(power, sum), 1) << i;
    sum += power;
    power += power;
  }
  wide_count most = power;
  most += wide_count{1, 0};  // is lost in rounding
  EXPECT_EQ(ratio(most, power), 1);
  wide_count one{1, 0};
  one += power;
  EXPECT_EQ(ratio(one, power), 1);
  wide_count third{3, 0};
  wide_count small{1, 0};
  for (int i = 0; i < 900; ++i) third += third;
  for (int i = 0; i < 870; ++i) small += small;
  EXPECT_EQ(ratio(small, third), 0x1p-30 / 3);
  EXPECT_EQ(ratio(third, small), 3 * 0x1p30);
  wide_count both = third;
  both += small;
  EXPECT_NEAR(ratio(both, third), 1 + 0x1p-30 / 3, 1e-15);
  wide_count turned = small;
  turned += third;
  EXPECT_EQ(ratio(turned, both), 1);
  EXPECT_EQ(ratio(wide_count{1, 0}, power), 0);
  EXPECT_EQ(product(third, quotient(3, third)), 3);
  EXPECT_EQ(product(power, quotient(7, power)), 7);
  EXPECT_EQ(product(small, quotient(1, third)), 0x1p-30 / 3);
  EXPECT_EQ(product(wide_count{1, 0}, quotient(1, power)), 0);
}

// Searches from one source, with both kinds of counts, against searches from several.
TEST(betweenness, searches_from_one_source_agree_with_the_others) {
  const std::uint64_t n = 300;
  const csr_graph<std::uint32_t> graph = naive::directed(n, random_edges(n, 1000, 4));
  const betweenness_core core = make_betweenness_core(graph, betweenness_options{}, {});
  search_state lanes(core);
  search_state plain(core);
  search_state wide(core);
  search_state half(core);  // uses wide counts and the record for a part of each search
  for (const core_source& source : core.sources) {
    EXPECT_EQ(search_alone(lanes, search_sweeps_versions(search_lanes).back(), &source, 1, {}), search_end::complete);
    EXPECT_EQ(search_single(plain, source, {}), search_end::complete);
    EXPECT_EQ(search_single(wide, source, {}, {.bits = 0}), search_end::complete);
    EXPECT_EQ(search_single(half, source, {}, {.bits = 3, .record = 200}), search_end::complete);
  }
  for (std::uint64_t c = 0; c < core.vertices(); ++c) {
    EXPECT_NEAR(plain.scores[c], lanes.scores[c], 1e-9 * (1 + lanes.scores[c]));
    EXPECT_NEAR(wide.scores[c], lanes.scores[c], 1e-9 * (1 + lanes.scores[c]));
    EXPECT_NEAR(half.scores[c], lanes.scores[c], 1e-9 * (1 + lanes.scores[c]));
  }
}

TEST(betweenness, searches_from_one_source_go_on_when_counts_overflow) {
  // Each diamond doubles the paths: 2^1100 do not fit a double.
  const std::uint64_t diamonds = 1100;
  const csr_graph<std::uint32_t> graph = naive::directed(3 * diamonds + 1, shapes::diamonds(diamonds));
  const betweenness_core core = make_betweenness_core(graph, betweenness_options{.from = {0}}, {});
  search_state state(core);
  EXPECT_EQ(search_single(state, core.sources.front(), {}), search_end::complete);
  for (std::uint64_t d = 1; d < diamonds; ++d)
    EXPECT_NEAR(state.scores[3 * d], static_cast<double>(3 * (diamonds - d)), 1e-6) << d;
}

// Graphs of high diameter: searches for several sources give up, and the result is the same in every form.
TEST(betweenness, of_long_graphs) {
  const tests::with_threads four(4);
  const std::uint64_t width = 6;
  const std::uint64_t length = 800;
  const std::uint64_t n = width * length;
  const any_graph graph = naive::undirected(n, shapes::grid(width, length));
  const betweenness_core core =
      make_betweenness_core(std::get<csr_graph<std::uint32_t>>(graph), betweenness_options{.from = {0}}, {});
  search_state state(core);
  EXPECT_EQ(search_together(state, search_sweeps_versions(search_lanes).back(), core.sources.data(), 1, {}),
            search_end::high_diameter);
  for (const std::uint64_t count : {1u, 3u, 12u}) {
    betweenness_options options;
    for (std::uint64_t i = 0; i < count; ++i) options.from.push_back((i * 977 + 5) % n);
    for (const betweenness_form form : forms) {
      SCOPED_TRACE(name_of(form));
      options.form = form;
      EXPECT_NO_THROW(verify_betweenness(graph, options, betweenness(graph, options)));
    }
  }
}

// Levels of any size and vertices of any degree, all in supersteps, or all by one thread.
TEST(betweenness, high_diameter_searches_agree_with_the_others) {
  const std::uint64_t n = 300;
  for (const std::size_t edges : {280u, 900u}) {
    const csr_graph<std::uint32_t> graph = naive::undirected(n, random_edges(n, edges, 4));
    const betweenness_core core = make_betweenness_core(graph, betweenness_options{}, {});
    search_state lanes(core);
    for (const core_source& source : core.sources)
      EXPECT_EQ(search_alone(lanes, search_sweeps_versions(search_lanes).back(), &source, 1, {}), search_end::complete);
    for (const unsigned threads : {1u, 2u, 4u}) {
      const tests::with_threads so_many(threads);
      high_diameter_search levels(core, threads, {.alone = 1});
      for (const core_source& source : core.sources) EXPECT_EQ(levels.run(source, {}), search_end::complete);
      for (std::uint64_t c = 0; c < core.vertices(); ++c)
        EXPECT_NEAR(levels.scores[c], lanes.scores[c], 1e-9 * (1 + lanes.scores[c])) << threads << ' ' << c;
    }
  }
}

TEST(betweenness, high_diameter_searches_change_their_units) {
  const csr_graph<std::uint32_t> graph = naive::undirected(40 * 40, shapes::grid(40, 40));
  const betweenness_core core = make_betweenness_core(graph, betweenness_options{.from = {0, 615, 1599}}, {});
  search_state plain(core);
  high_diameter_search units(core, 1, {.most_bits = 6});
  high_diameter_search none(core, 1, {.most_bits = 6, .least_bits = 0});
  for (const core_source& source : core.sources) {
    EXPECT_EQ(search_single(plain, source, {}), search_end::complete);
    EXPECT_EQ(units.run(source, {}), search_end::complete);
    EXPECT_EQ(none.run(source, {}), search_end::overflown);
  }
  for (std::uint64_t v = 0; v < core.vertices(); ++v) {
    EXPECT_NEAR(units.scores[v], plain.scores[v], 1e-9 * (1 + plain.scores[v])) << v;
    EXPECT_EQ(none.scores[v], 0) << v;
  }
}

TEST(betweenness, what_has_high_diameter) {
  const auto high = [](const csr_graph<std::uint32_t>& graph, std::uint64_t from) {
    const betweenness_core core = make_betweenness_core(graph, betweenness_options{.from = {from}}, {});
    return has_high_diameter(core, core.sources.front());
  };
  EXPECT_TRUE(high(naive::undirected(4800, shapes::grid(6, 800)), 0));
  EXPECT_TRUE(high(naive::undirected(300 * 300, shapes::grid(300, 300)), 150 * 300 + 150));
  EXPECT_TRUE(high(naive::undirected(10'000, shapes::path(10'000)), 5000));
  EXPECT_FALSE(high(naive::undirected(60, shapes::path(60)), 0));
  EXPECT_FALSE(high(naive::undirected(50 * 50, shapes::grid(50, 50)), 0));
  EXPECT_FALSE(high(naive::undirected(2000, shapes::star(1999)), 0));
  EXPECT_FALSE(high(naive::undirected(6000, random_edges(6000, 30'000, 9)), 1));
}

// Levels that threads share: some sources are searched from by one thread each, the others by threads together.
TEST(betweenness, of_a_wide_grid) {
  const std::uint64_t width = 160;
  const std::uint64_t length = tests::sanitized ? 320 : 800;
  const any_graph graph = naive::undirected(width * length, shapes::grid(width, length));
  for (const unsigned count : {2u, 3u}) {
    const tests::with_threads so_many(count);
    for (const betweenness_form form : {betweenness_form::automatic, betweenness_form::inner}) {
      SCOPED_TRACE(std::to_string(count) + ' ' + name_of(form));
      const betweenness_options options{.from = {0, 80, width * length / 2 + 17}, .form = form};
      const betweenness_result result = betweenness(graph, options);
      EXPECT_EQ(result.form, form == betweenness_form::inner ? form : betweenness_form::flat);
      EXPECT_NO_THROW(verify_betweenness(graph, options, result));
    }
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(betweenness(graph, {.from = {0, 80, 7}}, {.report = nullptr, .stop = stop.get_token()}), cancelled);
  }
}

// 2^1400 paths beside a single one of the same length: no unit suits both counts.
TEST(betweenness, of_counts_that_are_far_from_each_other) {
  const std::uint64_t diamonds = 1400;
  pairs edges = shapes::diamonds(diamonds);
  std::uint64_t last = 0;
  for (std::uint64_t v = 3 * diamonds + 1; v < 5 * diamonds; ++v) edges.emplace_back(std::exchange(last, v), v);
  const std::uint64_t n = 5 * diamonds;
  const any_graph graph = naive::undirected(n, edges);
  const betweenness_core core =
      make_betweenness_core(std::get<csr_graph<std::uint32_t>>(graph), betweenness_options{.from = {0}}, {});
  high_diameter_search search(core, 1);
  EXPECT_EQ(search.run(core.sources.front(), {}), search_end::overflown);
  const tests::with_threads two(2);
  for (const betweenness_form form : forms) {
    const betweenness_options options{.from = {0, 1, last}, .form = form};
    EXPECT_NO_THROW(verify_betweenness(graph, options, betweenness(graph, options))) << name_of(form);
  }
}

TEST(betweenness, of_large_levels_in_every_form) {
  // Levels of thousands of vertices, so that threads share inner loops, and both directions are taken.
  const std::uint64_t vertices = 6000;
  pairs edges = random_edges(vertices, 30'000, 9);
  const tests::with_threads four(4);
  for (const bool directed : {false, true}) {
    const any_graph graph = directed ? naive::directed(vertices, edges) : naive::undirected(vertices, edges);
    const betweenness_result flat = betweenness(graph, {.samples = 40, .seed = 5, .form = betweenness_form::flat});
    const std::vector<double> expected(flat.scores.begin(), flat.scores.end());
    EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 1000);
    for (const betweenness_form form : {betweenness_form::nested, betweenness_form::inner}) {
      SCOPED_TRACE(name_of(form));
      expect_scores(betweenness(graph, {.samples = 40, .seed = 5, .form = form}), expected);
    }
  }
}

TEST(betweenness, sampled_from_all_vertices_is_exact) {
  const any_graph graph = naive::undirected(34, karate);
  for (const bool normalized : {false, true}) {
    const betweenness_result exact = betweenness(graph, {.normalized = normalized});
    const betweenness_result sampled = betweenness(graph, {.samples = 34, .seed = 7, .normalized = normalized});
    expect_scores(sampled, {exact.scores.begin(), exact.scores.end()}, 1e-12);
    EXPECT_EQ(sampled.sources, 34u);
  }
}

TEST(betweenness, samples_are_scaled_as_networkx_does) {
  // The result does not tell the sample. One vertex less than all leaves few samples, which the test tries.
  const std::uint64_t n = 12;
  const pairs edges = random_edges(n, 20, 4);
  const pairs arcs = both_ways(edges);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const betweenness_result result = betweenness(naive::undirected(n, edges), {.samples = n - 1, .seed = seed});
    unsigned matches = 0;
    for (std::uint64_t left_out = 0; left_out < n; ++left_out) {
      std::vector<std::uint64_t> sources = everyone(n);
      sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(left_out));
      const std::vector<double> sums = naive::betweenness(n, arcs, sources);
      bool equal = true;
      for (std::uint64_t v = 0; v < n; ++v) {
        const double scale = v == left_out ? 11.0 / 11 / 2 : 11.0 / 10 / 2;
        equal = equal && std::abs(result.scores[v] - sums[v] * scale) < 1e-9;
      }
      matches += equal ? 1 : 0;
    }
    EXPECT_GE(matches, 1u) << seed;
  }
}

TEST(betweenness, samples_depend_on_the_seed_alone) {
  const any_graph graph = naive::undirected(500, naive::random_pairs(500, 1500, 1));
  const betweenness_result first = betweenness(graph, {.samples = 20, .seed = 3});
  const std::vector<double> scores(first.scores.begin(), first.scores.end());
  const tests::with_threads three(3);
  expect_scores(betweenness(graph, {.samples = 20, .seed = 3}), scores);
  const betweenness_result other = betweenness(graph, {.samples = 20, .seed = 4});
  EXPECT_FALSE(std::equal(scores.begin(), scores.end(), other.scores.begin(),
                          [](double a, double b) { return std::abs(a - b) < 1e-6; }));
}

TEST(betweenness, every_version_of_the_sweeps_agrees) {
  const std::uint64_t n = 150;
  const pairs edges = random_edges(n, 400, 2);
  const csr_graph<std::uint32_t> graph = naive::directed(n, edges);
  const std::vector<double> expected = naive::betweenness(n, edges, everyone(n));
  const betweenness_core core = make_betweenness_core(graph, betweenness_options{}, {});
  const tests::with_threads two(2);
  for (const unsigned lanes : {4u, search_lanes}) {
    for (const search_sweeps& sweeps : search_sweeps_versions(lanes)) {
      for (const auto search : {search_alone, search_together}) {
        search_state state(core, lanes);
        for (std::size_t i = 0; i < core.sources.size(); i += lanes) {
          const auto count = static_cast<unsigned>(std::min<std::size_t>(lanes, core.sources.size() - i));
          EXPECT_EQ(search(state, sweeps, core.sources.data() + i, count, {}), search_end::complete);
        }
        for (std::uint64_t c = 0; c < core.vertices(); ++c)
          EXPECT_NEAR(state.scores[c], expected[core.vertex[c]], 1e-9 * (1 + expected[core.vertex[c]]));
      }
    }
  }
}

TEST(betweenness, of_nothing_much) {
  EXPECT_EQ(betweenness(any_graph(naive::directed(0, {}))).scores.size(), 0u);
  expect_scores(betweenness(naive::undirected(1, {{0, 0}}), {.normalized = true}), {0});
  expect_scores(betweenness(naive::undirected(2, {{0, 1}}), {.normalized = true}), {0, 0});
  expect_scores(betweenness(naive::undirected(3, {})), {0, 0, 0});
  expect_scores(betweenness(naive::undirected(3, {{0, 1}, {1, 2}}), {.samples = 1}), {0, 0, 0}, 2);
}

TEST(betweenness, chooses_the_fastest_form_and_says_so) {
  const tests::with_threads two(2);
  const any_graph graph = naive::undirected(1500, naive::random_pairs(1500, 4500, 1));
  const betweenness_result result = betweenness(graph);
  ASSERT_GE(result.trials.size(), 2u);
  const auto fastest = std::max_element(result.trials.begin(), result.trials.end(), [](const auto& a, const auto& b) {
    return static_cast<double>(a.sources) / a.seconds < static_cast<double>(b.sources) / b.seconds;
  });
  EXPECT_EQ(result.form, fastest->form);
  EXPECT_EQ(result.level, fastest->level);
}

TEST(betweenness, refuses_what_makes_no_sense) {
  const any_graph graph = naive::directed(3, {{0, 1}, {1, 2}});
  EXPECT_NE(refusal<usage_error>([&] { betweenness(graph, {.samples = 4}); }).find("samples"), std::string::npos);
  EXPECT_NE(refusal<usage_error>([&] { betweenness(graph, {.level = 0}); }).find("level"), std::string::npos);
  EXPECT_NE(refusal<usage_error>([&] { betweenness(graph, {.from = {0, 3}}); }).find("vertex 3"), std::string::npos);
  EXPECT_NE(refusal<usage_error>([&] { betweenness(graph, {.from = {1, 0, 1}}); }).find("vertex 1"), std::string::npos);
  EXPECT_NE(refusal<usage_error>([&] { betweenness(graph, {.samples = 1, .from = {1}}); }).find("both"),
            std::string::npos);
  EXPECT_NE(refusal<usage_error>([&] { betweenness(naive::directed(2, {{0, 1}}, false)); }).find("in-edges"),
            std::string::npos);
  const any_graph larger = naive::undirected(20'000, {{0, 1}});
  const std::string little = refusal<memory_error>([&] { betweenness(larger, {.memory = 1 << 20}); });
  EXPECT_NE(little.find("MiB"), std::string::npos) << little;
  EXPECT_NE(little.find("1 MiB are available"), std::string::npos) << little;
  // With memory for one state only, threads search together.
  const tests::with_threads eight(8);
  EXPECT_EQ(betweenness(larger, {.memory = 8 << 20}).form, betweenness_form::inner);
}

TEST(betweenness, reports_every_search_and_stops_when_asked) {
  struct counting : progress {
    std::uint64_t total = 0;
    std::atomic<std::uint64_t> done{0};
    std::stop_source* stop = nullptr;
    void begin(std::string_view, std::uint64_t ahead, std::string_view) override { total = ahead; }
    void advance(std::uint64_t amount) override {
      if (done.fetch_add(amount) + amount >= 16 && stop != nullptr) stop->request_stop();
    }
  };
  const any_graph graph = naive::undirected(600, naive::random_pairs(600, 1800, 1));
  for (const betweenness_form form : forms) {
    SCOPED_TRACE(name_of(form));
    counting seen;
    const betweenness_result result = betweenness(graph, {.form = form}, {.report = &seen, .stop = {}});
    EXPECT_EQ(seen.total, result.searches);
    EXPECT_EQ(seen.done.load(), result.searches);

    std::stop_source stop;
    counting stopped;
    stopped.stop = &stop;
    EXPECT_THROW(betweenness(graph, {.form = form}, {.report = &stopped, .stop = stop.get_token()}), cancelled);
    EXPECT_LT(stopped.done.load(), result.searches);
  }
}

}  // namespace
}  // namespace callisto::graph
