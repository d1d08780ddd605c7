// Checks overviews: their numbers, and pages and texts for graphs of every kind.
#include <callisto/app/graph/overview.hpp>
#include <callisto/app/graph/overview_report.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

using edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

loaded_graph made_of(std::uint64_t vertices, const edges& all, graph::direction meaning, std::uint64_t first_label,
                     const std::vector<double>& weights = {}) {
  graph::edge_list<std::uint32_t> list;
  list.vertices = vertices;
  list.meaning = meaning;
  list.first_label = first_label;
  list.blocks.resize(1);
  list.blocks[0].edges = machine::page_array<graph::edge<std::uint32_t>>(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) list.blocks[0].edges[i] = {all[i].first, all[i].second};
  list.weighted = !weights.empty();
  list.blocks[0].weights = graph::weight_array(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) list.blocks[0].weights.set(i, weights[i]);
  loaded_graph loaded;
  loaded.graph = graph::build_graph(std::move(list));
  loaded.edges = all.size();
  loaded.seconds = 0.1;
  return loaded;
}

// Two triangles that share vertex 2, an edge, and a single vertex. Labels begin with 100.
const edges bow_tie{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}, {5, 6}};

TEST(overview, finds_what_is_there) {
  const loaded_graph loaded = made_of(8, bow_tie, graph::direction::undirected, 100);
  const overview found = survey(loaded.graph, {}, {});
  EXPECT_EQ(found.statistics.isolated, 1u);
  EXPECT_EQ(found.degrees.simple, (graph::degree_counts{{0, 1}, {1, 2}, {2, 4}, {4, 1}}));
  ASSERT_TRUE(found.components && found.triangles && found.distances && found.pagerank && found.betweenness);
  EXPECT_EQ(found.components->count, 3u);
  EXPECT_EQ(found.components->single, 1u);
  EXPECT_EQ(found.components->largest.front(), (std::pair{vertex_label(100), std::uint64_t{5}}));
  EXPECT_EQ(found.components->sizes, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 1}, {2, 1}, {5, 1}}));
  EXPECT_EQ(found.triangles->triangles, 2u);
  EXPECT_DOUBLE_EQ(found.triangles->global_clustering, 6.0 / (4 + 6));
  EXPECT_EQ(found.distances->diameter_low, 2u);
  EXPECT_EQ(found.distances->diameter_high, 2u);
  EXPECT_DOUBLE_EQ(found.distances->mean(), (12.0 + 2 * 8) / 20);
  EXPECT_EQ(found.pagerank->top.front().label, 102u);
  EXPECT_EQ(found.pagerank->top.front().degree, 4u);
  EXPECT_TRUE(found.betweenness->exact);
  EXPECT_EQ(found.betweenness->top.front().label, 102u);
  EXPECT_DOUBLE_EQ(found.betweenness->top.front().score, 4.0 / 21);
  for (const overview_step& step : found.steps) EXPECT_EQ(step.failure, "") << step.name;
  // The bow tie is small enough to be drawn itself; its middle has most arcs.
  ASSERT_TRUE(found.communities);
  EXPECT_FALSE(found.communities->drawing.communities);
  EXPECT_EQ(found.communities->drawing.shown, 8u);
  EXPECT_EQ(found.communities->drawing.edges.size(), bow_tie.size());
  ASSERT_EQ(found.communities->members.size(), found.communities->largest.size());
  EXPECT_EQ(found.communities->members.front().front(), 102u);
  ASSERT_EQ(found.listed.size(), 8u);
  EXPECT_EQ(found.listed.front().label, 102u);
  EXPECT_EQ(found.listed.front().pagerank, found.pagerank->top.front().score);
  EXPECT_EQ(found.listed.front().betweenness, found.betweenness->top.front().score);
  EXPECT_EQ(found.listed.front().community, found.communities->members.front().front());
  // A community is called by its best connected vertex on the page, and the page tells the reader's decisions.
  loaded_graph noted = made_of(8, bow_tie, graph::direction::undirected, 100);
  noted.report.notes = {"left out: 'time'"};
  graph_input input;
  input.file = "bow";
  const std::string page = to_page(found, input, noted);
  EXPECT_NE(page.find("<td class=\"words\">102</td><td class=\"words\">10"), std::string::npos);
  EXPECT_NE(page.find("bow: left out: 'time'."), std::string::npos);
}

TEST(overview, draws_the_communities_of_a_large_graph) {
  edges cliques;  // 40 of 10 vertices in a ring
  for (std::uint32_t c = 0; c < 40; ++c) {
    for (std::uint32_t u = 0; u < 10; ++u) {
      for (std::uint32_t v = 0; v < u; ++v) cliques.emplace_back(10 * c + u, 10 * c + v);
    }
    cliques.emplace_back(10 * c, (10 * c + 11) % 400);
  }
  const loaded_graph loaded = made_of(400, cliques, graph::direction::undirected, 0);
  const overview found = survey(loaded.graph, {.samples = 2}, {});
  ASSERT_TRUE(found.communities);
  EXPECT_TRUE(found.communities->drawing.communities);
  EXPECT_EQ(found.communities->drawing.shown, found.communities->count);
  EXPECT_EQ(found.communities->drawing.edges.size(), found.communities->count);  // they are in a ring, too
}

TEST(overview, of_small_and_odd_graphs_can_be_told) {
  using graph::direction;
  const std::vector<std::tuple<std::uint64_t, edges, direction>> graphs{
      {0, {}, direction::undirected}, {1, {}, direction::undirected},     {1, {{0, 0}}, direction::directed},
      {3, {}, direction::directed},   {2, {{0, 1}}, direction::directed}, {8, bow_tie, direction::directed}};
  for (const auto& [vertices, all, meaning] : graphs) {
    const loaded_graph loaded = made_of(vertices, all, meaning, 0);
    const overview found = survey(loaded.graph, {.samples = 3}, {});
    graph_input input;
    input.file = "a<b>/x&y.txt";
    const std::string page = to_page(found, input, loaded);
    EXPECT_EQ(page.find("nan"), std::string::npos);
    EXPECT_EQ(page.find("inf"), std::string::npos);
    EXPECT_NE(page.find("<h1>x&amp;y.txt</h1>"), std::string::npos);
    EXPECT_NE(to_words(found, input, loaded).find("betweenness"), std::string::npos);
    EXPECT_EQ(to_json(found, meaning == direction::directed)["isolated"], found.statistics.isolated);
  }
}

TEST(overview, says_what_could_not_be_computed) {
  // Communities need weights of at least 0, and one edge has the weight -1.
  const loaded_graph loaded = made_of(8, bow_tie, graph::direction::undirected, 0, {1, 1, 1, 1, -1, 1, 1});
  const overview found = survey(loaded.graph, {}, {});
  EXPECT_FALSE(found.communities);
  EXPECT_TRUE(found.betweenness);
  graph_input input;
  input.file = "bow";
  EXPECT_NE(to_page(found, input, loaded).find("Not computed: communities"), std::string::npos);
  EXPECT_NE(to_words(found, input, loaded).find("not computed: "), std::string::npos);
  EXPECT_EQ(to_json(found, false)["not_computed"][0]["step"], "communities");
  EXPECT_TRUE(to_json(found, false)["communities"].is_null());
}

TEST(overview, can_be_stopped) {
  const loaded_graph loaded = made_of(8, bow_tie, graph::direction::undirected, 0);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(survey(loaded.graph, {}, {{nullptr, stop.get_token()}}), graph::cancelled);
}

}  // namespace
}  // namespace callisto::app
