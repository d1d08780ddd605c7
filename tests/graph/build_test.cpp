// build_graph and the conversions of rows, against a plain sequential construction.
#include "../sanitizers.hpp"
#include "naive.hpp"

#include <callisto/callisto.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/radix_sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

struct line {
  std::uint64_t from;
  std::uint64_t to;
  double weight = 0;
};

using row = std::vector<std::pair<std::uint64_t, double>>;

/// Returns a list of these lines in blocks of `block` edges.
template <class Vertex>
edge_list<Vertex> list_of(std::uint64_t vertices, const std::vector<line>& lines, bool weighted,
                          std::size_t block = 1000) {
  edge_list<Vertex> list;
  list.vertices = vertices;
  list.weighted = weighted;
  for (std::size_t first = 0; first < lines.size(); first += block) {
    const std::size_t n = std::min(block, lines.size() - first);
    edge_block<Vertex> b{machine::page_array<edge<Vertex>>(n), weight_array(weighted ? n : 0)};
    for (std::size_t i = 0; i < n; ++i) {
      const line& l = lines[first + i];
      b.edges[i] = {static_cast<Vertex>(l.from), static_cast<Vertex>(l.to)};
      if (weighted) b.weights.set(i, l.weight);
    }
    list.blocks.push_back(std::move(b));
  }
  return list;
}

/// The rows that build_graph() should make.
std::vector<row> expected_rows(std::uint64_t vertices, const std::vector<line>& lines, const build_options& options,
                               bool undirected, bool backward = false) {
  std::vector<row> rows(vertices);
  for (const line& l : lines) {
    if (l.from == l.to && options.loops == loops::remove) continue;
    const auto [from, to] = backward ? std::pair(l.to, l.from) : std::pair(l.from, l.to);
    rows[from].emplace_back(to, l.weight);
    if (undirected && from != to) rows[to].emplace_back(from, l.weight);
  }
  for (row& r : rows) {
    std::sort(r.begin(), r.end());
    if (options.repeats == repeats::remove) {
      r.erase(std::unique(r.begin(), r.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              r.end());
    }
  }
  return rows;
}

template <class Vertex>
std::vector<row> rows_of(const adjacency<Vertex>& a) {
  std::vector<row> rows(a.offsets.empty() ? 0 : a.offsets.size() - 1);
  if (a.offsets.empty()) return rows;
  EXPECT_EQ(a.offsets[0], 0u);
  EXPECT_EQ(a.offsets[rows.size()], a.targets.size());
  EXPECT_TRUE(a.weights.empty() || a.weights.size() == a.targets.size());
  for (std::size_t v = 0; v < rows.size(); ++v) {
    for (std::uint64_t i = a.offsets[v]; i < a.offsets[v + 1]; ++i) {
      rows[v].emplace_back(a.targets[i], a.weights.empty() ? 0 : a.weights[i]);
    }
  }
  return rows;
}

std::vector<line> random_lines(std::uint64_t vertices, std::size_t n, std::uint64_t seed, bool weighted) {
  std::mt19937_64 random(seed);
  std::vector<line> lines(n);
  for (line& l : lines) {
    l = {random() % vertices, random() % vertices, weighted ? double(random() % 5) - 2 : 0};
    if (random() % 16 == 0) l.to = l.from;
    if (random() % 8 == 0) l = {lines[0].from, lines[0].to, l.weight};
  }
  return lines;
}

template <class Vertex>
void check(std::uint64_t vertices, const std::vector<line>& lines, bool weighted, const build_options& options,
           direction meaning) {
  auto list = list_of<Vertex>(vertices, lines, weighted);
  list.meaning = meaning;
  list.first_label = 7;
  build_report report;
  const any_graph any = build_graph(std::move(list), options, {}, &report);
  const auto& g = std::get<csr_graph<Vertex>>(any);
  const bool undirected = options.undirected || meaning == direction::undirected;
  EXPECT_EQ(g.vertices(), vertices);
  EXPECT_EQ(g.directed(), !undirected);
  EXPECT_EQ(g.label(0), 7u);
  EXPECT_EQ(rows_of(g.out()), expected_rows(vertices, lines, options, undirected));
  if (!undirected && options.in_edges) {
    EXPECT_EQ(rows_of(g.in()), expected_rows(vertices, lines, options, false, true));
  } else {
    EXPECT_EQ(g.in().offsets.empty(), !undirected);
  }

  // The expected report, from a set of edges.
  std::uint64_t self_loops = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  for (const line& l : lines) {
    self_loops += l.from == l.to;
    if (l.from == l.to && options.loops == loops::remove) continue;
    const bool swapped = undirected && l.to < l.from;
    edges.emplace_back(swapped ? l.to : l.from, swapped ? l.from : l.to);
  }
  const std::size_t all = edges.size();
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  EXPECT_EQ(report.lines, lines.size());
  EXPECT_EQ(report.self_loops, self_loops);
  EXPECT_EQ(report.repeats, all - edges.size());
  EXPECT_EQ(report.arcs, g.arcs());
}

/// Vertices and lines: none, one vertex, fewer vertices than buckets, many lines, far more vertices than lines.
class build_sizes : public testing::TestWithParam<std::tuple<std::uint64_t, std::size_t>> {};

TEST_P(build_sizes, match_a_plain_construction) {
  const auto [vertices, n] = GetParam();
  for (const bool weighted : {false, true}) {
    const auto lines = n == 0 ? std::vector<line>() : random_lines(vertices, n, vertices + n, weighted);
    for (const auto meaning : {direction::directed, direction::undirected}) {
      for (const auto repeated : {repeats::remove, repeats::keep}) {
        const build_options options{.repeats = repeated, .loops = n % 2 == 0 ? loops::keep : loops::remove};
        check<std::uint32_t>(vertices, lines, weighted, options, meaning);
        check<std::uint64_t>(vertices, lines, weighted, options, meaning);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, build_sizes,
                         testing::Values(std::tuple(0, 0), std::tuple(1, 0), std::tuple(5, 0), std::tuple(1, 9),
                                         std::tuple(2, 1000), std::tuple(3, 5001), std::tuple(100, 6000),
                                         std::tuple(1000, 7), std::tuple(3000, 5001), std::tuple(70000, 300)));

TEST(build_graph, options_choose_direction_loops_and_in_edges) {
  const std::vector<line> lines{{0, 1}, {1, 0}, {2, 2}, {2, 2}, {1, 2}};
  for (const bool undirected : {false, true}) {
    for (const auto loop : {loops::keep, loops::remove}) {
      for (const bool in_edges : {false, true}) {
        check<std::uint32_t>(4, lines, false, {.undirected = undirected, .loops = loop, .in_edges = in_edges},
                             direction::directed);
      }
    }
  }
}

TEST(build_graph, a_removed_repeat_leaves_the_lightest_weight_in_both_rows) {
  const std::vector<line> lines{{0, 1, 3.0}, {1, 0, -2.0}, {0, 1, 5.0}};
  const any_graph any = build_graph(list_of<std::uint32_t>(2, lines, true), {.undirected = true});
  const auto& g = std::get<csr_graph<std::uint32_t>>(any);
  EXPECT_EQ(rows_of(g.out()), (std::vector<row>{{{1, -2.0}}, {{0, -2.0}}}));
}

/// A row with most of the edges, in a bucket too large to be sorted in the buffer, next to many repeats of one edge.
TEST(build_graph, rows_of_very_different_length) {
  const std::uint64_t vertices = 20'000;
  std::mt19937_64 random(4);
  std::vector<line> lines;
  for (int i = 0; i < 270'000; ++i) lines.push_back({77, random() % vertices});
  for (int i = 0; i < 20'000; ++i) lines.push_back({random() % vertices, random() % vertices});
  for (int i = 0; i < 5000; ++i) lines.push_back({5, 6});
  check<std::uint32_t>(vertices, lines, false, {}, direction::directed);
}

/// Three vertices with so many arcs that a row spans several buckets.
TEST(build_graph, rows_longer_than_a_bucket) {
  const auto lines = random_lines(3, 140'000, 5, false);
  check<std::uint32_t>(3, lines, false, {.repeats = repeats::keep}, direction::directed);
  check<std::uint64_t>(3, lines, false, {}, direction::undirected);
}

// Short weights share a word with the key while arcs are sorted. If a weight is not short, weights are in an array.
TEST(build_graph, weights_that_16_bits_hold_but_for_one) {
  const auto spread = [](std::vector<line> lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].weight = std::array{0.0, 1.0, 255.0, 65535.0, 7.0}[i % 5];
    return lines;
  };
  auto lines = spread(random_lines(500, 6000, 21, false));
  for (const double odd : {3.0, 65536.0, 0.5, -1.0, -0.0, 0x1p31, 0x1p40}) {
    lines[1234].weight = odd;
    for (const auto meaning : {direction::directed, direction::undirected}) {
      for (const auto repeated : {repeats::remove, repeats::keep}) {
        check<std::uint32_t>(500, lines, true, {.repeats = repeated}, meaning);
      }
    }
    const any_graph any = build_graph(list_of<std::uint32_t>(500, lines, true), {.repeats = repeats::keep});
    const auto& graph = std::get<csr_graph<std::uint32_t>>(any);
    EXPECT_EQ(std::ranges::count_if(naive::values_of(graph.out().weights), [](double w) { return std::signbit(w); }),
              std::signbit(odd) ? 1 : 0)
        << odd;
    EXPECT_EQ(graph.has_short_weights(), odd == 3.0) << odd;
  }
  // Rows that span several buckets, and buckets that do not fit the buffer.
  const auto many = spread(random_lines(3, 140'000, 5, false));
  check<std::uint32_t>(3, many, true, {.repeats = repeats::keep}, direction::directed);
  if (!tests::sanitized) check<std::uint32_t>(3, many, true, {}, direction::undirected);
  auto long_row = spread(random_lines(20'000, 290'000, 6, false));
  for (std::size_t i = 0; i < 270'000; ++i) long_row[i].from = 77;
  check<std::uint32_t>(20'000, long_row, true, {}, direction::directed);
}

TEST(build_graph, is_the_same_for_any_number_of_threads_and_cut_into_blocks) {
  const auto lines = random_lines(5000, 100'000, 9, true);
  const unsigned before = threads();
  std::vector<std::vector<row>> results;
  for (const unsigned n : {1u, 2u, 3u}) {
    set_threads(n);
    const any_graph any =
        build_graph(list_of<std::uint32_t>(5000, lines, true, 40'000 / n), {.repeats = repeats::keep});
    results.push_back(rows_of(std::get<csr_graph<std::uint32_t>>(any).in()));
  }
  set_threads(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(build_graph, takes_the_list_and_its_labels) {
  any_edge_list list = list_of<std::uint32_t>(2, {{0, 1}}, false);
  auto& given = std::get<0>(list);
  given.labels = machine::page_array<std::uint64_t>(2);
  given.labels[0] = 10;
  given.labels[1] = 1000;
  const any_graph any = build_graph(std::move(list));
  EXPECT_EQ(std::get<0>(any).label(1), 1000u);
  EXPECT_TRUE(given.blocks.empty());  // NOLINT: build_graph() documents that it empties the list
}

TEST(build_graph, refuses_edges_outside_the_graph) {
  std::vector<line> lines(5000, {0, 1});
  lines[4321] = {3, 4};
  try {
    build_graph(list_of<std::uint32_t>(4, lines, false));
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "edge list: edge (3, 4) names a vertex that is not below 4");
  }
  EXPECT_THROW(build_graph(list_of<std::uint64_t>((std::uint64_t{1} << 37) + 1, {{0, 1}}, false)), usage_error);
  auto no_weights = list_of<std::uint32_t>(4, {{0, 1}}, false);
  no_weights.weighted = true;
  EXPECT_THROW(build_graph(std::move(no_weights)), usage_error);
}

TEST(build_graph, stops_when_asked_and_reports_progress) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(build_graph(list_of<std::uint32_t>(10, {{0, 1}}, false), {}, {nullptr, stop.get_token()}), cancelled);

  struct recorder : progress {
    std::vector<std::pair<std::string, std::uint64_t>> stages;
    std::atomic<std::uint64_t> done = 0;
    void begin(std::string_view stage, std::uint64_t total, std::string_view) override {
      stages.emplace_back(stage, total);
    }
    void advance(std::uint64_t amount) override { done += amount; }
  } seen;
  build_graph(list_of<std::uint32_t>(10, {{0, 1}, {1, 2}}, false), {.undirected = true}, {&seen, {}});
  // One direction of each edge, then the other.
  EXPECT_EQ(seen.stages, (std::vector<std::pair<std::string, std::uint64_t>>{
                             {"partitioning", 2}, {"sorting", 2}, {"partitioning", 2}, {"sorting", 2}}));
  EXPECT_EQ(seen.done, 8u);
}

TEST(conversions, symmetrized_drops_directions_repeats_and_loops_on_request) {
  const auto lines = random_lines(300, 5000, 12, true);
  auto list = list_of<std::uint32_t>(300, lines, true);
  list.labels = machine::page_array<std::uint64_t>(300);
  for (std::uint64_t v = 0; v < 300; ++v) list.labels[v] = v * v;
  const any_graph directed = build_graph(std::move(list), {.repeats = repeats::keep});
  for (const auto loop : {loops::keep, loops::remove}) {
    const any_graph any = symmetrized(directed, loop);
    const auto& g = std::get<0>(any);
    EXPECT_FALSE(g.directed());
    EXPECT_EQ(g.label(299), 299u * 299u);
    EXPECT_EQ(rows_of(g.out()), expected_rows(300, lines, {.loops = loop}, true));
    EXPECT_EQ(rows_of(std::get<0>(symmetrized(any, loop)).out()), rows_of(g.out()));
  }
}

TEST(conversions, loops_are_counted_and_removed) {
  const auto lines = random_lines(300, 2000, 13, true);
  for (const auto meaning : {direction::directed, direction::undirected}) {
    auto list = list_of<std::uint64_t>(300, lines, true);
    list.meaning = meaning;
    const bool undirected = meaning == direction::undirected;
    const any_graph with = build_graph(std::move(list));
    std::uint64_t loops_seen = 0;
    const auto rows = rows_of(std::get<1>(with).out());
    for (std::uint64_t v = 0; v < rows.size(); ++v) {
      for (const auto& [target, weight] : rows[v]) loops_seen += target == v;
    }
    EXPECT_GT(loops_seen, 0u);
    EXPECT_EQ(count_self_loops(with), loops_seen);
    const any_graph without = without_self_loops(with);
    EXPECT_EQ(count_self_loops(without), 0u);
    EXPECT_EQ(rows_of(std::get<1>(without).out()), expected_rows(300, lines, {.loops = loops::remove}, undirected));
    EXPECT_EQ(rows_of(std::get<1>(without).in()),
              expected_rows(300, lines, {.loops = loops::remove}, undirected, !undirected));
  }
}

TEST(conversions, missing_in_edges_are_added) {
  const auto lines = random_lines(50, 400, 14, false);
  const any_graph g = with_in_edges(build_graph(list_of<std::uint32_t>(50, lines, false), {.in_edges = false}));
  EXPECT_EQ(rows_of(std::get<0>(g).out()), expected_rows(50, lines, {}, false));
  EXPECT_EQ(rows_of(std::get<0>(g).in()), expected_rows(50, lines, {}, false, true));
}

/// Sorts n keys of `bits` bits by their bits from `low` on; if the sorter is stable, equal ones keep their order.
template <class Key, class Weight>
void check_sort(std::size_t n, unsigned low, unsigned bits, std::uint64_t spread) {
  std::mt19937_64 random(n + bits);
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  std::vector<Key> keys;
  std::vector<Weight> weights;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t key = (i % 3 == 0 ? random() % spread : random()) & mask;
    keys.push_back(static_cast<Key>(key));
    if constexpr (!std::is_same_v<Weight, no_weight>) weights.push_back(static_cast<Weight>(key));
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < n; ++i) order.emplace_back(static_cast<std::uint64_t>(keys[i]) >> low, i);
  std::sort(order.begin(), order.end());
  std::vector<std::uint64_t> expected;
  for (const auto& [part, i] : order) expected.push_back(static_cast<std::uint64_t>(keys[i]));
  const auto sorter = std::make_unique<radix_sorter<Key, Weight>>();
  sorter->sort({keys.data(), weights.data()}, n, low, bits);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(static_cast<std::uint64_t>(keys[i]), expected[i]) << i << " of " << n;
    if constexpr (!std::is_same_v<Weight, no_weight>) ASSERT_EQ(weights[i], static_cast<Weight>(expected[i]));
  }
}

TEST(radix_sorter, sorts_runs_of_any_length_and_width) {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 48, 49, 1000, 5000}) {
    check_sort<std::uint32_t, double>(n, 0, 30, 5);
    check_sort<std::uint32_t, short_weight>(n, 20, 32, 5);
    check_sort<key48, double>(n, 0, 47, 1000);
    check_sort<key48, double>(n, 31, 33, 1000);
    check_sort<std::uint64_t, double>(n, 0, 63, 1);
    check_sort<std::uint64_t, short_weight>(n, 0, 1, 2);
  }
  // Bare keys; lengths at which the way to sort changes.
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 20, 21, 48, 256, 257, 5000, 70000}) {
    check_sort<std::uint32_t, no_weight>(n, 0, 30, 5);
    check_sort<std::uint32_t, no_weight>(n, 20, 32, 5);
    check_sort<std::uint32_t, no_weight>(n, 0, 32, 1);
    check_sort<key48, no_weight>(n, 0, 47, 1000);
    check_sort<key48, no_weight>(n, 31, 33, 1000);
    check_sort<std::uint64_t, no_weight>(n, 0, 64, 2);
    check_sort<std::uint64_t, no_weight>(n, 10, 63, 100'000);
  }
}

TEST(radix_sorter, splits_runs_longer_than_its_buffer) {
  const std::size_t n = (std::size_t{1} << 18) + 12345;
  EXPECT_FALSE((radix_sorter<std::uint32_t, double>::stable(n)));
  check_sort<std::uint32_t, short_weight>(n, 0, 26, 3);
  check_sort<key48, double>(n, 0, 7, 3);
  check_sort<std::uint64_t, no_weight>(n, 0, 45, 3);
}

}  // namespace
}  // namespace callisto::graph
