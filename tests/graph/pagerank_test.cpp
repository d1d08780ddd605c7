// PageRank against a dense matrix product, closed formulas, and scores that NetworkX computed.
#include "../refusal.hpp"
#include "../sanitizers.hpp"
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/hub_places.hpp>
#include <callisto/graph/pagerank/blocks.hpp>
#include <callisto/graph/pagerank/mixing.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/pagerank/rows.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using naive::pairs;

/// Options that sweep until only rounding changes scores.
const pagerank_options to_the_end{.tolerance = 1e-15, .iterations = 2000};

void expect_scores(const pagerank_result& result, const std::vector<double>& expected, double within) {
  ASSERT_EQ(result.scores.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_NEAR(result.scores[v], expected[v], within) << v;
  EXPECT_NEAR(std::accumulate(result.scores.begin(), result.scores.end(), 0.0), 1, 1e-12);
}

using tests::refusal;

struct golden {
  std::string_view name;
  bool directed;
  std::uint64_t vertices;
  double damping;
  pairs edges;
  std::vector<double> scores;
  std::vector<pagerank_seed> seeds = {};
};

/// Scores by networkx.pagerank (NetworkX 3.6.1, tol=1e-16, seeds as personalization): a small graph with a loop, a sink
/// and an isolated vertex; Zachary's karate club; and networkx.gnp_random_graph(20, 0.12, seed=3, directed=True).
const std::vector<golden>& golden_graphs() {
  static const pairs small{{0, 1}, {0, 2}, {1, 2}, {2, 0}, {3, 2}, {3, 4}, {4, 4}, {4, 5}, {6, 0}, {6, 3}, {6, 5}};
  static const pairs karate = shapes::karate_club();
  static const pairs random{{0, 6},  {0, 7},   {1, 3},   {1, 7},   {1, 19},  {3, 9},   {3, 12}, {3, 19},  {4, 1},
                            {4, 10}, {4, 12},  {4, 17},  {5, 19},  {6, 2},   {6, 5},   {6, 13}, {6, 14},  {7, 9},
                            {7, 19}, {9, 14},  {10, 9},  {10, 14}, {11, 1},  {12, 5},  {12, 8}, {12, 16}, {12, 17},
                            {13, 0}, {13, 3},  {13, 18}, {14, 17}, {15, 16}, {15, 18}, {16, 1}, {16, 2},  {16, 3},
                            {16, 6}, {16, 15}, {17, 0},  {17, 3},  {17, 18}, {18, 12}, {19, 14}};
  static const std::vector<golden> graphs{
      {"small",
       true,
       8,
       0.85,
       small,
       {0.295025058104788, 0.154865380510413, 0.302579690460091, 0.0378323212137105, 0.0792321170986179,
        0.0715059709806231, 0.0294797308158783, 0.0294797308158783}},
      {"small, damped more",
       true,
       8,
       0.5,
       small,
       {0.189398166600239, 0.12196094061379, 0.204703068951774, 0.0870466321243523, 0.128497409326425,
        0.119170984455959, 0.0746113989637306, 0.0746113989637306}},
      {"karate",
       false,
       34,
       0.85,
       karate,
       {0.0969972853882956, 0.052876924061146,   0.057078509488462,  0.0358598577864116, 0.0219779523645899,
        0.0291111546783706, 0.0291111546783706,  0.0244904970352825, 0.0297660560810169, 0.0143093971290329,
        0.0219779523645899, 0.00956474549213557, 0.0146448920118772, 0.0295364561519137, 0.0145359939979211,
        0.0145359939979211, 0.0167840054441899,  0.0145586772090216, 0.0145359939979211, 0.0196046363256528,
        0.0145359939979211, 0.0145586772090216,  0.0145359939979211, 0.0315225147766777, 0.0210760335592227,
        0.0210061973944928, 0.0150440380827254,  0.0256397674828478, 0.0195734594638284, 0.0262885376951146,
        0.02459015524858,   0.0371580870691451,  0.0716932260057539, 0.100919182332625}},
      {"random", true, 20, 0.95, random, {0.0623006255651785, 0.0164760729932118,  0.0204393263569309,
                                          0.0736067270836074, 0.00474852324082285, 0.0365001297410095,
                                          0.0404299987881944, 0.0395587434987997,  0.0268980050288133,
                                          0.0496389646300579, 0.00587629751051827, 0.00474852324082285,
                                          0.0932609759494333, 0.014350647953019,   0.146702161866056,
                                          0.0108372016447347, 0.0320456758100623,  0.167392833071262,
                                          0.0674482963464275, 0.0867402696810377}},
      {"small, from two seeds, one of them a sink",
       true,
       8,
       0.85,
       small,
       {0.202192243621729, 0.0859317035392348, 0.23787322779027, 0.185646061747495, 0.137216654335105,
        0.151140108966167, 0, 0},
       {{3, 2}, {5, 1}}},
      {"random, from three seeds",
       true,
       20,
       0.9,
       random,
       {0.141249069678105,
        0.0269359126456803,
        0.0175707057103402,
        0.0576263687466814,
        0,
        0.0285274696224235,
        0.0662308465840714,
        0.0716428551488513,
        0.0136255291410075,
        0.0495271954409875,
        0,
        0.026963497129729,
        0.0605579072933666,
        0.0149019404814161,
        0.13443083908369,
        0.00266876522892418,
        0.0148264734940234,
        0.141354158598761,
        0.048077774077069,
        0.0832826918948726},
       {{11, 1}, {0, 3.5}, {17, 0.25}}},
      {"karate, from one seed",
       false,
       34,
       0.85,
       karate,
       {0.0481882251324024,  0.0323635880378718,  0.0469936338263302,  0.018800901075397,  0.00559779716832363,
        0.0068317890688924,  0.0068317890688924,  0.0122744804135439,  0.0323422042900927, 0.0173763541686012,
        0.00559779716832363, 0.00255999946015889, 0.00522346044584014, 0.025656375706907,  0.0197689604887152,
        0.0197689604887152,  0.00290351035427935, 0.00561656055262457, 0.0197689604887152, 0.0189984558459877,
        0.0197689604887152,  0.00561656055262457, 0.0197689604887152,  0.0378823227524417, 0.0160396214682654,
        0.0163616748358656,  0.0208327566407662,  0.0283609084525247,  0.0227534747205431, 0.0350628769289559,
        0.0283236963104967,  0.0379561450725317,  0.0901703321696774,  0.267637905867262},
       {{33, 1}}},
  };
  return graphs;
}

TEST(pagerank, agrees_with_networkx) {
  for (const golden& g : golden_graphs()) {
    SCOPED_TRACE(g.name);
    pagerank_options options = to_the_end;
    options.damping = g.damping;
    options.seeds = g.seeds;
    const any_graph graph = g.directed ? naive::directed(g.vertices, g.edges) : naive::undirected(g.vertices, g.edges);
    const pagerank_result result = pagerank(graph, options);
    EXPECT_TRUE(result.converged);
    expect_scores(result, g.scores, 1e-12);
  }
}

TEST(pagerank, agrees_with_dense_multiplication_after_every_sweep) {
  const std::uint64_t vertices = 120;
  // Repeated arcs and loops occur among 600 random ones; vertices from 100 on have no out-arcs.
  pairs arcs = naive::random_pairs(vertices, 600, 3);
  std::erase_if(arcs, [](const auto& arc) { return arc.first >= 100; });
  arcs.insert(arcs.end(), {{5, 6}, {5, 6}, {5, 6}, {7, 7}, {7, 7}});
  for (const unsigned sweeps : {1u, 2u, 3u, 20u}) {
    SCOPED_TRACE(sweeps);
    const pagerank_options options{.tolerance = 0, .iterations = sweeps, .batch = sweeps - 1, .accelerated = false};
    const std::vector<double> expected = naive::pagerank(vertices, arcs, 0.85, sweeps);
    for (const any_graph& graph :
         {any_graph(naive::directed(vertices, arcs)), any_graph(naive::directed<std::uint64_t>(vertices, arcs))}) {
      const pagerank_result result = pagerank(graph, options);
      EXPECT_EQ(result.iterations, sweeps);
      EXPECT_FALSE(result.converged);
      expect_scores(result, expected, 1e-14);
    }
  }
}

/// A graph on which mixing gains much, with sinks.
any_graph dense(bool directed) {
  pairs arcs = naive::random_pairs(1000, 30'000, 5);
  std::erase_if(arcs, [](const auto& arc) { return arc.first >= 900; });
  return directed ? naive::directed(1000, arcs) : naive::undirected(1000, arcs);
}

/// A ring with some chords, on which mixing gains little.
any_graph ring(std::uint64_t vertices) {
  pairs edges = naive::random_pairs(vertices, vertices / 50, 7);
  for (std::uint64_t v = 0; v < vertices; ++v) edges.emplace_back(v, (v + 1) % vertices);
  return naive::undirected(vertices, edges);
}

/// Web sites of 100 pages. Half of the pages are linked from the site's four menu pages, the others from pages near
/// them and a few from anywhere; some are linked from nowhere, and some link to nothing.
any_graph sites(std::uint64_t count) {
  pairs arcs = naive::random_pairs(100 * count, 100 * count, 9);
  std::erase_if(arcs, [](const auto& arc) { return arc.second % 100 < 60; });
  for (std::uint64_t site = 0; site < 100 * count; site += 100) {
    for (std::uint64_t page = 0; page < 50; ++page) {
      for (const std::uint64_t menu : {0u, 13u, 26u, 99u}) arcs.emplace_back(site + menu, site + page);
      arcs.emplace_back(site + page, site + 60 + page * 7 % 40);
    }
  }
  std::erase_if(arcs, [](const auto& arc) { return arc.first % 10 == 5; });
  return naive::directed(100 * count, arcs);
}

TEST(pagerank, mixing_finds_the_same_in_fewer_sweeps) {
  const std::vector<pagerank_seed> seeds{{3, 1}, {7, 2}};
  for (const bool directed : {false, true}) {
    for (const bool seeded : {false, true}) {
      const any_graph graph = dense(directed);
      pagerank_options options{.tolerance = 1e-13, .iterations = 1000};
      if (seeded) options.seeds = seeds;
      const pagerank_result mixed = pagerank(graph, options);
      options.accelerated = false;
      const pagerank_result plain = pagerank(graph, options);
      EXPECT_TRUE(mixed.converged);
      EXPECT_LT(mixed.iterations, plain.iterations) << directed << seeded;
      expect_scores(mixed, {plain.scores.begin(), plain.scores.end()}, 1e-13);
    }
  }
}

TEST(pagerank, is_right_where_mixing_gains_little) {
  const any_graph graph = ring(3000);
  const pagerank_result mixed = pagerank(graph, {.tolerance = 1e-12, .iterations = 1000});
  const pagerank_result plain = pagerank(graph, {.tolerance = 1e-12, .iterations = 1000, .accelerated = false});
  EXPECT_TRUE(mixed.converged);
  EXPECT_GT(mixed.iterations, 20u);
  expect_scores(mixed, {plain.scores.begin(), plain.scores.end()}, 1e-12);
}

TEST(pagerank, of_single_precision_is_as_right_as_its_tolerance) {
  for (const any_graph& graph : {dense(false), dense(true), ring(3000)}) {
    const pagerank_result exact = pagerank(graph, {.tolerance = 1e-13, .iterations = 1000});
    const pagerank_result rough = pagerank(graph, {.tolerance = 1e-5});
    EXPECT_TRUE(rough.converged);
    EXPECT_LE(rough.change, 1e-5);
    EXPECT_GT(rough.change, 0);
    double apart = 0;
    for (std::size_t v = 0; v < exact.scores.size(); ++v) apart += std::abs(exact.scores[v] - rough.scores[v]);
    EXPECT_LE(apart, 1e-5 * 0.85 / 0.15 + 1e-6);  // the sum of all further changes, and rounding
    EXPECT_NEAR(std::accumulate(rough.scores.begin(), rough.scores.end(), 0.0), 1, 1e-12);
  }
}

TEST(pagerank, is_the_same_to_the_last_bit) {
  for (const any_graph& graph : {dense(true), sites(60)}) {
    for (const bool accelerated : {false, true}) {
      pagerank_options options{.tolerance = 1e-8, .accelerated = accelerated};
      const pagerank_result first = pagerank(graph, options);
      for (unsigned again = 0; again < (tests::sanitized ? 4 : 20); ++again) {
        if (accelerated) options.batch = 100 * again;
        const pagerank_result other = pagerank(graph, options);
        ASSERT_TRUE(std::equal(first.scores.begin(), first.scores.end(), other.scores.begin()));
      }
    }
  }
}

TEST(pagerank, is_the_same_to_the_last_bit_in_places_by_degree) {
  const pairs arcs = naive::random_pairs(5'000, 40'000, 3);
  const any_graph directed = naive::directed(5'000, arcs);
  const any_graph undirected = naive::undirected<std::uint64_t>(5'000, arcs);
  const any_graph weighted = with_random_weights(naive::directed(5'000, arcs), 5);
  for (const any_graph* const graph : {&directed, &undirected, &weighted}) {
    for (const double tolerance : {1e-4, 1e-12}) {
      pagerank_options options{.tolerance = tolerance, .seeds = {{.vertex = 3}, {.vertex = 99, .weight = 2}}};
      for (const bool seeds : {true, false}) {
        if (!seeds) options.seeds.clear();
        options.inside_order = gather_order::given;
        const pagerank_result given = pagerank(*graph, options);
        options.inside_order = gather_order::degrees;
        const pagerank_result placed = pagerank(*graph, options);
        EXPECT_EQ(placed.inside_order, gather_order::degrees);
        EXPECT_TRUE(std::equal(given.scores.begin(), given.scores.end(), placed.scores.begin()));
        EXPECT_EQ(placed.iterations, given.iterations);
      }
    }
  }
}

// Hubs come first, vertices of about one degree in their own order.
TEST(hub_places, are_groups_of_falling_degree) {
  const any_graph star = naive::undirected(40'000, shapes::star(30'000));
  const auto& graph = std::get<csr_graph<std::uint32_t>>(star);
  const auto made = hub_places<std::uint32_t>::of(graph.in(), graph.out(), {});
  for (std::uint32_t v = 0; v < 40'000; ++v) ASSERT_EQ(made.places()[v], v);  // the centre, its leaves, the others
  const any_graph path = naive::undirected(5, {{0, 1}, {1, 2}, {2, 3}, {2, 4}, {2, 0}});
  const auto& short_graph = std::get<csr_graph<std::uint32_t>>(path);
  const auto few = hub_places<std::uint32_t>::of(short_graph.in(), short_graph.out(), {});
  EXPECT_EQ(std::vector(few.places(), few.places() + 5), (std::vector<std::uint32_t>{1, 2, 0, 3, 4}));
  for (std::uint64_t a = 0; a < short_graph.arcs(); ++a) {
    EXPECT_EQ(few.rows()[a], few.places()[short_graph.in().targets[a]]);
  }
}

TEST(pagerank, of_rows_that_repeat) {
  const any_graph graph = sites(60);
  ASSERT_EQ(find_row_pattern(std::get<0>(graph).in(), 6000), row_pattern::repeated);
  ASSERT_EQ(find_row_pattern(std::get<0>(dense(true)).in(), 1000), row_pattern::none);
  const std::vector<pagerank_seed> seeds{{17, 1}, {3000, 2}, {3001, 1}};
  for (const auto& from : {std::vector<pagerank_seed>{}, seeds}) {
    const pagerank_result found = pagerank(graph, {.tolerance = 1e-13, .iterations = 1000, .seeds = from});
    const pagerank_result plain =
        pagerank(graph, {.tolerance = 1e-13, .iterations = 1000, .seeds = from, .accelerated = false});
    EXPECT_TRUE(found.converged);
    EXPECT_LT(found.iterations, plain.iterations);
    expect_scores(found, {plain.scores.begin(), plain.scores.end()}, 1e-12);  // the last change was 1e-13
  }
}

TEST(pagerank, of_rows_that_move) {
  constexpr std::uint64_t side = 300;
  const any_graph graph = naive::undirected(side * side, shapes::grid(side));
  ASSERT_EQ(find_row_pattern(std::get<0>(graph).in(), side * side), row_pattern::moved);
  ASSERT_EQ(find_row_pattern(std::get<0>(ring(3000)).in(), 3000), row_pattern::none);  // inside blocks
  const std::vector<pagerank_seed> seeds{{17, 1}, {3000, 2}, {3001, 1}};
  for (const auto& from : {std::vector<pagerank_seed>{}, seeds}) {
    if (tests::sanitized && from.empty()) continue;
    const pagerank_result found = pagerank(graph, {.tolerance = 1e-11, .iterations = 1000, .seeds = from});
    const pagerank_result plain =
        pagerank(graph, {.tolerance = 1e-11, .iterations = 1000, .seeds = from, .accelerated = false});
    EXPECT_TRUE(found.converged);
    EXPECT_LT(found.iterations, plain.iterations);
    expect_scores(found, {plain.scores.begin(), plain.scores.end()}, 1e-11);
  }
}

TEST(pagerank, packed_rows_name_the_values_that_the_rows_name) {
  // Rows of all lengths below 70 besides those of web sites, in blocks of two sizes and one that is cut short; and two
  // runs of moved rows, one of them too short to be stored so.
  constexpr std::uint64_t vertices = 7000;
  constexpr std::uint64_t size = 1024;
  pairs arcs;
  const any_graph web = sites(60);
  for (std::uint64_t v = 0; v < 6000; ++v) {
    for (const std::uint32_t u : std::get<0>(web).in().row(v)) arcs.emplace_back(u, v);
  }
  for (std::uint64_t length = 0; length < 70; ++length) {
    for (std::uint64_t k = 0; k < length; ++k) arcs.emplace_back(k * 87, 6000 + length);
  }
  const auto moves = [](std::uint64_t v) { return (v >= 6100 && v < 6140) || (v > 6150 && v < 6980); };
  for (std::uint64_t v = 6100; v < 7000; ++v) {
    for (const std::uint64_t back : {5900u, 3000u, 1u}) {
      if (moves(v) || v % 10 != 0) arcs.emplace_back(v - back, v);
    }
  }
  const any_graph graph = naive::directed(vertices, arcs);
  const auto& in = std::get<0>(graph).in();
  std::vector<std::uint64_t> begin{0, 64};
  for (std::uint64_t v = size; v < vertices; v += size) begin.push_back(v);
  begin.push_back(vertices);
  std::vector<double> values(2 * vertices + 1);  // whole numbers, which are summed without rounding
  for (std::uint64_t v = 0; v < 2 * vertices; ++v) values[v] = static_cast<double>(1 + v * v % 1'000'003);
  packed_rows<std::uint32_t> packed(in, begin.size() - 1);
  EXPECT_FALSE(packed.empty());
  for (std::uint64_t block = 0; block + 1 < begin.size(); ++block)
    packed.pack(in, block, begin[block], begin[block + 1], [](std::uint64_t) { return false; });
  for (std::uint64_t block = 0; block + 1 < begin.size(); ++block) {
    const std::uint64_t first = begin[block];
    const std::uint64_t last = begin[block + 1];
    std::vector<int> seen(last - first);
    packed.gather(in, block, first, values.data(), no_cut_rows.data(), [&](std::uint64_t v, double sum) {
      ASSERT_TRUE(first <= v && v < last);
      ++seen[v - first];
      double expected = 0;
      for (const std::uint32_t u : in.row(v))
        expected += values[first <= u && u < last && !moves(v) ? vertices + u : u];
      EXPECT_EQ(sum, expected) << v;
    });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(last - first));
  }
  EXPECT_TRUE(packed_rows<std::uint32_t>::can_hold(0x7fff'ffff));
  EXPECT_FALSE(packed_rows<std::uint32_t>::can_hold(0x8000'0000));
}

TEST(pagerank, blocks_of_all_colours_are_all_vertices) {
  for (const std::uint64_t vertices : {1u, 64u, 65u, 257u, 200'000u, 1'000'003u}) {
    std::vector<std::uint64_t> offsets(vertices + 1);
    for (std::uint64_t v = 0; v <= vertices; ++v) offsets[v] = 5 * v;
    const bool hub = vertices == 1'000'003;
    if (hub) std::for_each(offsets.begin() + 2500, offsets.end(), [](std::uint64_t& o) { o += 4'000'000; });
    const block_layout layout(offsets.data(), vertices);
    std::vector<int> covered(vertices);
    std::uint64_t blocks = 0;
    for (std::uint64_t colour = 0; colour < block_colours; ++colour) {
      for (const std::uint64_t block : layout.of_colour(colour)) {
        ASSERT_LT(layout.first(block), layout.last(block));
        ASSERT_LE(layout.last(block), vertices);
        for (std::uint64_t v = layout.first(block); v < layout.last(block); ++v) ++covered[v];
        if (hub) {
          ASSERT_EQ(colour, layout.first(block) / 1024 % block_colours);
        }
        ++blocks;
      }
    }
    EXPECT_EQ(blocks, layout.blocks());
    EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), static_cast<std::ptrdiff_t>(vertices));
    if (hub) {
      EXPECT_EQ(blocks, (vertices + 1023) / 1024 + 15);  // one block is cut into 16
    }
  }
}

TEST(pagerank, mixing_weights_are_those_of_the_smallest_residual) {
  // Residuals (3, 0), (0, 4) and (3, 4). The line through the first two comes closest to zero; the third is a
  // combination of these.
  const auto weights_of = [](const std::vector<std::pair<double, double>>& residuals, std::size_t last) {
    mixing_matrix products{};
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      for (std::size_t j = 0; j < residuals.size(); ++j) {
        products[i][j] = residuals[i].first * residuals[j].first + residuals[i].second * residuals[j].second;
      }
    }
    return mixing_weights(products, residuals.size(), last);
  };
  const auto two = weights_of({{3, 0}, {0, 4}}, 1);
  EXPECT_NEAR(two[0], 16.0 / 25, 1e-12);
  EXPECT_NEAR(two[1], 9.0 / 25, 1e-12);
  const auto three = weights_of({{3, 0}, {0, 4}, {3, 4}}, 2);  // weights 1, 1 and -1 give zero
  EXPECT_NEAR(three[0], 1, 1e-12);
  EXPECT_NEAR(three[1], 1, 1e-12);
  EXPECT_NEAR(three[2], -1, 1e-12);
  const auto same = weights_of({{3, 0}, {3, 0}, {0, 4}}, 2);  // either of the two equal ones will do
  EXPECT_NEAR(same[0] + same[1], 16.0 / 25, 1e-12);
  EXPECT_NEAR(same[2], 9.0 / 25, 1e-12);
  EXPECT_EQ(weights_of({{0, 0}}, 0)[0], 1);
  EXPECT_EQ(weights_of({{2, 1}, {2, 1}}, 0)[0], 1);
}

TEST(pagerank, mixing_multiplies_all_residuals) {
  // Whole numbers, which both precisions hold. Sizes 67 and 131 leave groups and chunks unfinished. Two of four sweeps.
  const auto check = [](auto real, std::uint64_t vertices, std::size_t sweeps) {
    using number = decltype(real);
    std::array<std::vector<number>, mixed_sweeps + 1> made;
    sweep_scores<number> scores{};
    for (std::size_t i = 0; i <= sweeps; ++i) {
      for (std::uint64_t v = 0; v < vertices; ++v)
        made[i].push_back(static_cast<number>((v * 7 + i * i * 3 + i * v) % 29));
      scores[i] = made[i].data();
    }
    const multiply_residuals<number, mixed_sweeps> multiply{only_of(scores, sweeps), {1, 2, 1, 4}};
    const mixing_products found = multiply(3, vertices, multiply(0, 3, {}));
    for (std::size_t i = 0; i < mixed_sweeps; ++i) {
      for (std::size_t j = 0; j < mixed_sweeps; ++j) {
        double expected = 0;
        for (std::uint64_t v = 0; v < vertices && i < sweeps && j < sweeps; ++v) {
          expected += double{made[i + 1][v] - made[i][v]} * double{made[j + 1][v] - made[j][v]};
        }
        EXPECT_EQ(found.of[i][j], expected * multiply.scale[i] * multiply.scale[j]) << vertices << ' ' << i << ' ' << j;
      }
    }
    // A mixture with negative values, which are replaced by the last sweep's.
    const mixture<number> mixed{scores, {-1, 1}, sweeps, 3};
    std::vector<number> inverse(vertices, number{0.5});
    inverse[vertices - 1] = 0;
    std::vector<number> x(vertices);
    std::vector<number> published(vertices);
    std::vector<number> fresh(vertices);
    const set_scores<number, mixture<number>> set{inverse.data(), x.data(), published.data(), fresh.data(), mixed};
    const mixed_sums sums = set(3, vertices, set(0, 3, {}));
    double total = 0;
    for (std::uint64_t v = 0; v < vertices; ++v) {
      const number sum = made[2][v] - made[1][v];
      EXPECT_EQ(x[v], sum >= 0 ? sum : 3 * made[sweeps][v]) << v;
      EXPECT_EQ(fresh[v], x[v] * inverse[v]);
      EXPECT_EQ(published[v], fresh[v]);
      total += double{x[v]};
    }
    EXPECT_EQ(sums.total, total);
    EXPECT_EQ(sums.dangling, double{x[vertices - 1]});
  };
  for (const std::uint64_t vertices : {5u, 64u, 67u, 131u}) {
    for (const std::size_t sweeps : {2u, 4u}) {
      check(float{}, vertices, sweeps);
      check(double{}, vertices, sweeps);
    }
  }
}

TEST(pagerank, of_one_vertex_and_of_no_arcs) {
  expect_scores(pagerank(naive::undirected(1, {})), {1}, 0);
  expect_scores(pagerank(naive::directed(1, {{0, 0}})), {1}, 1e-15);
  const pagerank_result four = pagerank(naive::directed(4, {}));
  expect_scores(four, {0.25, 0.25, 0.25, 0.25}, 1e-15);
  EXPECT_TRUE(four.converged);
  EXPECT_EQ(four.iterations, 1u);
}

TEST(pagerank, of_a_star) {
  // The hub of an undirected star with n leaves has score (1 + 0.85 n) / 1.85 / (n + 1) for damping 0.85.
  const std::uint64_t leaves = 50'000;
  pairs edges;
  for (std::uint64_t v = 1; v <= leaves; ++v) edges.emplace_back(0, v);
  const pagerank_result result = pagerank(naive::undirected(leaves + 1, edges), to_the_end);
  const auto n = static_cast<double>(leaves);
  const double hub = (1 + 0.85 * n) / 1.85 / (n + 1);
  EXPECT_NEAR(result.scores[0], hub, 1e-12);
  EXPECT_NEAR(result.scores[leaves], (1 - hub) / n, 1e-15);
}

TEST(pagerank, without_damping_is_uniform) {
  const pagerank_result result = pagerank(naive::directed(3, {{0, 1}, {1, 2}, {0, 2}}), {.damping = 0});
  expect_scores(result, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1e-15);
}

TEST(pagerank, from_seeds_reaches_no_farther_than_they_do) {
  // Two triangles; and weights of seeds count by their ratios only.
  const any_graph graph = naive::undirected(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}});
  pagerank_options options = to_the_end;
  options.seeds = {{1}};
  const pagerank_result one = pagerank(graph, options);
  for (const std::uint64_t v : {3u, 4u, 5u}) EXPECT_EQ(one.scores[v], 0);
  EXPECT_GT(one.scores[1], one.scores[0]);
  options.seeds = {{1, 3e300}, {4, 1e300}};
  const pagerank_result both = pagerank(graph, options);
  for (const std::uint64_t v : {0u, 1u, 2u}) EXPECT_NEAR(both.scores[v], 3 * both.scores[v + 3], 1e-12);
  EXPECT_NEAR(both.scores[1], 0.75 * one.scores[1], 1e-12);
}

TEST(pagerank, stops_at_the_tolerance_or_at_the_limit) {
  const any_graph graph = naive::undirected(200, naive::random_pairs(200, 600, 1));
  const pagerank_result loose = pagerank(graph, {.tolerance = 1e-3});
  const pagerank_result tight = pagerank(graph, {.tolerance = 1e-10});
  EXPECT_TRUE(loose.converged);
  EXPECT_TRUE(tight.converged);
  EXPECT_LE(loose.change, 1e-3);
  EXPECT_LE(tight.change, 1e-10);
  EXPECT_LT(loose.iterations, tight.iterations);
  const pagerank_result cut = pagerank(graph, {.tolerance = 1e-10, .iterations = tight.iterations - 1});
  EXPECT_FALSE(cut.converged);
  EXPECT_GT(cut.change, 1e-10);
  EXPECT_EQ(cut.iterations, tight.iterations - 1);
}

TEST(pagerank, refuses_what_makes_no_sense) {
  const any_graph graph = naive::directed(2, {{0, 1}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double damping : {-0.1, 1.0, 1.5, nan})
    EXPECT_NE(refusal([&] { pagerank(graph, {.damping = damping}); }).find("damping"), std::string::npos) << damping;
  for (const double tolerance : {-1e-9, nan})
    EXPECT_NE(refusal([&] { pagerank(graph, {.tolerance = tolerance}); }).find("tolerance"), std::string::npos);
  EXPECT_NE(refusal([&] { pagerank(graph, {.iterations = 0}); }).find("iterations"), std::string::npos);
  const std::vector<std::pair<std::vector<pagerank_seed>, const char*>> wrong_seeds{
      {{{2}}, "vertex 2"},    {{{0}, {1}, {0}}, "more than once"}, {{{0, 0}}, "weight"}, {{{1, -1}}, "weight"},
      {{{0, nan}}, "weight"}, {{{0, 1e308}, {1, 1e308}}, "finite"}};
  for (const auto& [seeds, says] : wrong_seeds) {
    EXPECT_NE(refusal([&] { pagerank(graph, {.seeds = seeds}); }).find(says), std::string::npos) << says;
  }
  EXPECT_NE(refusal([&] { pagerank(any_graph()); }).find("no vertices"), std::string::npos);
  EXPECT_NE(refusal([&] { pagerank(naive::directed(2, {{0, 1}}, false)); }).find("in-edges"), std::string::npos);
}

TEST(pagerank, reports_every_sweep_and_stops_when_asked) {
  struct counting : progress {
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    std::stop_source* stop = nullptr;
    void begin(std::string_view, std::uint64_t ahead, std::string_view) override { total = ahead; }
    void advance(std::uint64_t amount) override {
      done += amount;
      if (stop != nullptr && done == 2) stop->request_stop();
    }
  } seen;
  const any_graph graph = naive::undirected(200, naive::random_pairs(200, 600, 1));
  const pagerank_options options{.tolerance = 0, .iterations = 7};
  pagerank(graph, options, {.report = &seen, .stop = {}});
  EXPECT_EQ(seen.total, 7u);
  EXPECT_EQ(seen.done, 7u);

  std::stop_source stop;
  seen.done = 0;
  seen.stop = &stop;
  EXPECT_THROW(pagerank(graph, options, {.report = &seen, .stop = stop.get_token()}), cancelled);
  EXPECT_EQ(seen.done, 2u);
}

}  // namespace
}  // namespace callisto::graph
