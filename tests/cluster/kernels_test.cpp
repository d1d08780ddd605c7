// Kernels over ranks against the same kernels in one process, on graphs dealt to ranks in one process.
#include "../graph/naive.hpp"
#include "../graph/shapes.hpp"
#include "../sanitizers.hpp"

#include <callisto/cluster/betweenness.hpp>
#include <callisto/cluster/bfs.hpp>
#include <callisto/cluster/components.hpp>
#include <callisto/cluster/deal.hpp>
#include <callisto/cluster/distances.hpp>
#include <callisto/cluster/hub_arcs.hpp>
#include <callisto/cluster/kcore.hpp>
#include <callisto/cluster/sssp.hpp>
#include <callisto/cluster/triangles.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/communities/communities_among.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/statistics_among.hpp>
#include <callisto/graph/distance/distances.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/pagerank/pagerank_among.hpp>
#include <callisto/graph/sssp/paths_among.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

namespace callisto::cluster {
namespace {

using graph::any_graph;
using graph::direction;
using graph::naive::pairs;

struct named_graph {
  std::string name;
  std::function<any_graph()> make;
};

any_graph graph_of(std::uint64_t vertices, const pairs& edges, direction meaning) {
  if (meaning == direction::undirected) return graph::naive::undirected(vertices, edges);
  return graph::naive::directed(vertices, edges);
}

any_graph kronecker(direction meaning, bool wide) {
  graph::kronecker_options how;
  how.scale = tests::sanitized ? 8 : 10;
  how.meaning = meaning;
  how.wide = wide;
  return graph::build_graph(graph::generate_kronecker(how));
}

std::vector<named_graph> graphs() {
  std::vector<named_graph> all;
  all.push_back({"kronecker", [] { return kronecker(direction::undirected, false); }});
  all.push_back({"directed kronecker", [] { return kronecker(direction::directed, false); }});
  all.push_back({"wide", [] { return kronecker(direction::directed, true); }});
  all.push_back({"weighted", [] { return graph::with_random_weights(kronecker(direction::directed, false), 3); }});
  all.push_back({"star", [] { return graph_of(1001, graph::shapes::star(1000), direction::undirected); }});
  all.push_back({"all arcs at one vertex", [] {
                   pairs arcs;
                   for (std::uint64_t v = 1; v < 700; ++v) arcs.emplace_back(0, v);
                   return graph_of(700, arcs, direction::directed);
                 }});
  all.push_back({"all arcs to one vertex", [] {
                   pairs arcs;
                   for (std::uint64_t v = 0; v < 699; ++v) arcs.emplace_back(v, 699);
                   return graph_of(700, arcs, direction::directed);
                 }});
  all.push_back({"two hubs", [] {
                   pairs arcs{{0, 0}, {0, 640}, {640, 0}, {0, 640}};
                   for (std::uint64_t v = 1; v < 640; ++v) {
                     arcs.emplace_back(0, v);
                     arcs.emplace_back(v, 640);
                     if (v % 3 == 0) arcs.emplace_back(v, (v * 7) % 640);
                   }
                   return graph_of(641, arcs, direction::directed);
                 }});
  all.push_back({"path", [] { return graph_of(600, graph::shapes::path(600), direction::undirected); }});
  all.push_back({"grid", [] { return graph_of(40 * 40, graph::shapes::grid(40), direction::undirected); }});
  all.push_back({"one vertex", [] { return graph_of(1, {}, direction::undirected); }});
  all.push_back({"a loop", [] { return graph_of(1, {{0, 0}}, direction::directed); }});
  all.push_back({"three vertices", [] { return graph_of(3, {{0, 1}, {2, 1}}, direction::directed); }});
  all.push_back({"no arcs", [] { return graph_of(500, {}, direction::undirected); }});
  all.push_back({"parts", [] {
                   pairs edges = graph::shapes::karate_club();
                   for (std::uint64_t v = 300; v < 420; v += 2) edges.emplace_back(v, v - 250);
                   return graph_of(500, edges, direction::undirected);
                 }});
  all.push_back({"clique", [] { return graph_of(200, graph::shapes::clique(90), direction::undirected); }});
  return all;
}

/// The graphs with weights: whole ones that take 16 bits, or fractions, of which a fifth is 0.
std::vector<named_graph> weighted_graphs() {
  std::vector<named_graph> all;
  for (const named_graph& g : graphs()) {
    if (g.name == "weighted") continue;
    all.push_back({g.name, [make = g.make] { return graph::with_random_weights(make(), 3); }});
    if (g.name != "directed kronecker" && g.name != "path" && g.name != "parts") continue;
    all.push_back({g.name + ", fractions", [make = g.make] {
                     const auto weight = [](std::uint64_t u, std::uint64_t v) {
                       return static_cast<double>((u + v) % 5) / 7;
                     };
                     return graph::naive::weighted(std::get<graph::csr_graph<std::uint32_t>>(make()), weight);
                   }});
  }
  return all;
}

/// Runs compare(graph, control) at each rank, which has its own rows.
void over_ranks(int ranks, const named_graph& of,
                const std::function<void(const any_graph&, const graph::shared_control&)>& run) {
  global::in_process_job job;
  job.net.ranks = ranks;
  global::run_in_process(job, [&](global::session& s) {
    any_graph mine;
    if (s.rank() == 0) mine = of.make();
    const std::vector<std::uint64_t> bounds = bounds_of_first(mine);
    deal_graph(mine, bounds);
    rank_partners among(bounds);
    run(mine, {{}, &among});
  });
}

class Cluster : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Cluster,
                         testing::ValuesIn(tests::sanitized ? std::vector<int>{3} : std::vector<int>{1, 2, 3, 5}));

template <class T>
std::vector<T> values(const machine::page_array<T>& from) {
  return {from.begin(), from.end()};
}

/// Graphs with rows that ranks sum together: alike, and with other arcs, so that rows are copied, and not.
std::vector<named_graph> graphs_of_long_rows() {
  std::vector<named_graph> all;
  all.push_back({"long star", [] { return graph_of(70'001, graph::shapes::star(70'000), direction::undirected); }});
  all.push_back({"long rows", [] {
                   pairs arcs;
                   for (std::uint64_t v = 0; v != 80'000; ++v) {
                     arcs.emplace_back(v, 66'666);
                     if (v % 8 != 0) arcs.emplace_back(v, 5);
                     if (v % 5 == 0) arcs.emplace_back(v, 66'666);
                     if (v % 3 != 0) arcs.emplace_back(v, v * 48'271 % 80'021);
                   }
                   return graph_of(80'021, arcs, direction::directed);
                 }});
  return all;
}

TEST_P(Cluster, PageRankIsThatOfOneProcessToTheLastBit) {
  const std::vector<graph::pagerank_options> ways{
      {}, {.tolerance = 1e-4}, {.seeds = {{0, 1}, {2, 3}}}, {.iterations = 7, .accelerated = false}};
  std::vector<named_graph> all = graphs();
  if (!tests::sanitized) std::ranges::copy(graphs_of_long_rows(), std::back_inserter(all));
  for (const named_graph& g : all) {
    const any_graph whole = g.make();
    const std::uint64_t vertices = std::visit([](const auto& one) { return one.vertices(); }, whole);
    for (const graph::pagerank_options& how : ways) {
      if (!how.seeds.empty() && vertices < 3) continue;
      const graph::pagerank_result alone = graph::pagerank(whole, how);
      over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
        const graph::pagerank_result found = graph::pagerank_among(mine, how, control);
        EXPECT_EQ(found.iterations, alone.iterations) << g.name;
        EXPECT_EQ(found.change, alone.change) << g.name;
        EXPECT_EQ(found.converged, alone.converged) << g.name;
        if (!control.among->tells()) return;
        EXPECT_EQ(values(found.scores), values(alone.scores)) << g.name;
      });
    }
  }
}

TEST_P(Cluster, ComponentsAreThoseOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const any_graph whole = g.make();
    std::visit(
        [&]<class Vertex>(const graph::csr_graph<Vertex>& one) {
          const std::vector<Vertex> alone = values(graph::components(one));
          over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
            const auto found = cluster::components(std::get<graph::csr_graph<Vertex>>(mine), control);
            if (!control.among->tells()) return;
            EXPECT_EQ(values(found), alone) << g.name;
          });
        },
        whole);
  }
}

TEST_P(Cluster, SearchesFindTheDistancesOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const any_graph whole = g.make();
    std::visit(
        [&]<class Vertex>(const graph::csr_graph<Vertex>& one) {
          for (const std::uint64_t source : {std::uint64_t{0}, one.vertices() / 2, one.vertices() - 1}) {
            for (const std::uint32_t depth : {graph::bfs_options{}.depth, std::uint32_t{2}}) {
              const graph::bfs_options how{.depth = depth};
              const auto alone = graph::bfs(one, source, how);
              over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
                const auto found = cluster::bfs(std::get<graph::csr_graph<Vertex>>(mine), source, how, control);
                EXPECT_EQ(found.reached, alone.reached) << g.name;
                EXPECT_EQ(found.arcs, alone.arcs) << g.name;
                EXPECT_EQ(found.eccentricity, alone.eccentricity) << g.name;
                if (!control.among->tells()) return;
                EXPECT_EQ(values(found.distances), values(alone.distances)) << g.name;
                graph::verify_bfs(one, source, found, depth);
                // The smallest neighbour one level up is the parent.
                for (std::uint64_t v = 0; v < one.vertices(); ++v) {
                  if (v == source || found.distances[v] == found.unreached) continue;
                  const auto row = one.in().row(v);
                  const auto parent = std::find_if(
                      row.begin(), row.end(), [&](Vertex u) { return found.distances[u] + 1 == found.distances[v]; });
                  ASSERT_EQ(found.parents[v], *parent) << g.name << ", vertex " << v;
                }
              });
            }
          }
        },
        whole);
  }
}

TEST_P(Cluster, CoresAreThoseOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const any_graph whole = g.make();
    std::visit(
        [&]<class Vertex>(const graph::csr_graph<Vertex>& one) {
          const graph::kcore_result alone = graph::kcore(one);
          over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
            const auto found = cluster::kcore(std::get<graph::csr_graph<Vertex>>(mine), control);
            EXPECT_EQ(found.degeneracy, alone.degeneracy) << g.name;
            EXPECT_EQ(found.innermost, alone.innermost) << g.name;
            if (!control.among->tells()) return;
            EXPECT_EQ(values(found.coreness), values(alone.coreness)) << g.name;
          });
        },
        whole);
  }
}

// Each rank finds the arcs of hubs among its own rows.
TEST(ClusterOfEight, DividesTheArcsOfHubs) {
  for (const named_graph& g : weighted_graphs()) {
    const bool has_hubs = g.name == "star" || g.name == "two hubs" || g.name.starts_with("all arcs");
    if (!has_hubs) continue;
    const any_graph whole = g.make();
    const auto& one = std::get<graph::csr_graph<std::uint32_t>>(whole);
    const auto cores = values(graph::kcore(one).coreness);
    const graph::sssp_result paths = graph::sssp(one, 3);
    const auto searched = values(graph::bfs(one, 3).distances);
    over_ranks(8, g, [&](const any_graph& any, const graph::shared_control& control) {
      const auto& mine = std::get<graph::csr_graph<std::uint32_t>>(any);
      EXPECT_EQ(find_hubs(mine, *control.among).size(), g.name == "two hubs" ? 2U : 1U) << g.name;
      const graph::kcore_result found = cluster::kcore(mine, control);
      const graph::sssp_result from = cluster::sssp(mine, 3, plan_paths(mine, {}, control), control);
      const auto tree = cluster::bfs(mine, 3, {}, control);
      for (std::uint64_t v = 0; v != one.vertices(); ++v) {
        ASSERT_EQ(from.distances[v], paths.distances[v]) << g.name << ", vertex " << v;
      }
      if (!control.among->tells()) return;
      EXPECT_EQ(values(found.coreness), cores) << g.name;
      EXPECT_EQ(values(tree.distances), searched) << g.name;
    });
  }
}

TEST_P(Cluster, TrianglesAreThoseOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const graph::triangles_result alone = graph::count_triangles(g.make());
    over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
      const graph::triangles_result found = cluster::count_triangles(mine, control);
      EXPECT_EQ(found.triangles, alone.triangles) << g.name;
      EXPECT_EQ(found.edges, alone.edges) << g.name;
    });
  }
}

TEST_P(Cluster, ClusteringIsThatOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const any_graph whole = g.make();
    std::visit(
        [&]<class Vertex>(const graph::csr_graph<Vertex>& one) {
          const graph::clustering_result alone = graph::clustering(one);
          over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
            const auto found = cluster::clustering(std::get<graph::csr_graph<Vertex>>(mine), control);
            EXPECT_EQ(found.total, alone.total) << g.name;
            EXPECT_NEAR(found.average, alone.average, 1e-12) << g.name;
            EXPECT_EQ(found.transitivity, alone.transitivity) << g.name;
            for (std::uint64_t v = control.among->first(); v != control.among->last(); ++v) {
              ASSERT_EQ(found.triangles[v], alone.triangles[v]) << g.name << ", vertex " << v;
            }
            if (!control.among->tells()) return;
            EXPECT_EQ(values(found.triangles), values(alone.triangles)) << g.name;
            EXPECT_EQ(values(found.coefficients), values(alone.coefficients)) << g.name;
          });
        },
        whole);
  }
}

TEST_P(Cluster, DistancesAreThoseOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const any_graph whole = g.make();
    std::visit(
        [&]<class Vertex>(const graph::csr_graph<Vertex>& one) {
          const auto map = graph::components(one);
          // Few sources; and all, from which one process searches in another way.
          for (const std::uint64_t sources : {std::uint64_t{5}, one.vertices()}) {
            if (sources > 500 || (sources > 5 && one.directed())) continue;
            const graph::distances_options how{.sources = sources, .seed = 3};
            const graph::distance_sample alone = graph::sample_distances(one, map, how);
            over_ranks(GetParam(), g, [&](const any_graph& any, const graph::shared_control& control) {
              const auto& mine = std::get<graph::csr_graph<Vertex>>(any);
              const graph::distance_sample found = cluster::sample_distances(mine, map, how, control);
              EXPECT_EQ(found.vertices, alone.vertices) << g.name;
              EXPECT_EQ(found.sources, alone.sources) << g.name;
              EXPECT_EQ(found.at, alone.at) << g.name;
              EXPECT_EQ(found.diameter_low, alone.diameter_low) << g.name;
              EXPECT_EQ(found.diameter_high, alone.diameter_high) << g.name;
            });
          }
        },
        whole);
  }
}

TEST_P(Cluster, DegreesAreThoseOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const any_graph whole = g.make();
    const graph::degree_distribution alone = graph::count_degrees(whole);
    const double correlation = graph::degree_assortativity(whole);
    over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
      const graph::degree_distribution found = graph::count_degrees_among(mine, control);
      EXPECT_EQ(found.out, alone.out) << g.name;
      EXPECT_EQ(found.in, alone.in) << g.name;
      EXPECT_EQ(found.simple, alone.simple) << g.name;
      const double together = graph::degree_assortativity_among(mine, control);
      EXPECT_TRUE(together == correlation || (std::isnan(together) && std::isnan(correlation))) << g.name;
    });
  }
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream from(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), {}};
}

TEST_P(Cluster, NativeFilesAreThoseOfOneProcess) {
  if (GetParam() == 4) GTEST_SKIP() << "as with 2";
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("native_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::vector<named_graph> all = weighted_graphs();
  // Sections of several blocks of 4 MiB, which parts cut.
  if (!tests::sanitized && GetParam() == 3) {
    all.push_back({"several blocks", [] {
                     graph::kronecker_options how;
                     how.scale = 15;
                     how.meaning = direction::directed;
                     how.wide = true;
                     return graph::build_graph(graph::generate_kronecker(how));
                   }});
  }
  for (const named_graph& g : all) {
    const std::filesystem::path one = folder / "one.cg";
    const std::filesystem::path many = folder / "many.cg";
    graph::write_native(g.make(), one);
    over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
      graph::write_native_among(mine, many, control);
    });
    EXPECT_TRUE(bytes_of(one) == bytes_of(many)) << g.name;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2) << "temporaries are left";
  over_ranks(GetParam(), all.front(), [&](const any_graph& mine, const graph::shared_control& control) {
    EXPECT_THROW(graph::write_native_among(mine, "/dev/null", control), usage_error);
  });
  std::filesystem::remove_all(folder);
}

TEST_P(Cluster, TheWholeComesTogetherWhereTheResultIsTold) {
  for (const named_graph& g : weighted_graphs()) {
    const any_graph whole = g.make();
    over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
      const any_graph found = whole_where_told(mine, *control.among);
      if (!control.among->tells()) return;
      std::visit(
          [&]<class Vertex>(const graph::csr_graph<Vertex>& one) {
            const auto& same = std::get<graph::csr_graph<Vertex>>(found);
            EXPECT_EQ(values(same.out().offsets), values(one.out().offsets)) << g.name;
            EXPECT_EQ(values(same.out().targets), values(one.out().targets)) << g.name;
            EXPECT_EQ(values(same.in().targets), values(one.in().targets)) << g.name;
            for (std::uint64_t a = 0; a != one.arcs(); ++a) {
              ASSERT_EQ(same.out().weights[a], one.out().weights[a]) << g.name;
            }
          },
          whole);
    });
  }
}

TEST_P(Cluster, ShortestPathsAreThoseOfOneProcessToTheLastBit) {
  for (const named_graph& g : weighted_graphs()) {
    const any_graph whole = g.make();
    std::visit(
        [&]<class Vertex>(const graph::csr_graph<Vertex>& one) {
          const std::uint64_t source = one.vertices() / 2;
          const graph::sssp_result alone = graph::sssp(one, source);
          const auto parents = values(graph::shortest_path_parents(one, source, alone.distances));
          // 0.01: a path's distances are windows apart.
          for (const double delta : g.name == "path, fractions" ? std::vector{0.0, 0.01, 1000.0} : std::vector{0.0}) {
            over_ranks(GetParam(), g, [&](const any_graph& any, const graph::shared_control& control) {
              const auto& mine = std::get<graph::csr_graph<Vertex>>(any);
              const path_plan<Vertex> plan = plan_paths(mine, {.delta = delta}, control);
              const graph::sssp_result found = cluster::sssp(mine, source, plan, control);
              EXPECT_EQ(found.reached, alone.reached) << g.name;
              EXPECT_EQ(found.eccentricity, alone.eccentricity) << g.name;
              for (std::uint64_t v = 0; v != one.vertices(); ++v) {
                ASSERT_EQ(found.distances[v], alone.distances[v]) << g.name << ", vertex " << v;
              }
              if (delta != 0) return;
              const auto told = graph::shortest_path_parents_among(mine, source, found.distances, control);
              if (!control.among->tells()) return;
              EXPECT_EQ(values(told), parents) << g.name;
            });
          }
        },
        whole);
  }
}

TEST_P(Cluster, ShortestPathsRefuseWhatOneProcessRefuses) {
  const auto path_of = [](double weight) {
    return named_graph{"path", [weight] {
                         return graph::naive::weighted(
                             graph::naive::directed(300, graph::shapes::path(300)),
                             [weight](std::uint64_t u, std::uint64_t) { return u > 200 ? weight : 1.0; });
                       }};
  };
  const auto refused = [&](double weight, const graph::sssp_options& how, const std::string& text) {
    over_ranks(GetParam(), path_of(weight), [&](const any_graph& any, const graph::shared_control& control) {
      const auto& mine = std::get<graph::csr_graph<std::uint32_t>>(any);
      try {
        cluster::sssp(mine, 0, plan_paths(mine, how, control), control);
        ADD_FAILURE() << weight;
      } catch (const usage_error& e) {
        EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
      }
    });
  };
  refused(-1, {}, "at least 0");
  refused(graph::sssp_result::unreached, {}, "at least 0");
  refused(1e308, {}, "larger than any double");
  refused(1, {.delta = -1}, "above 0");
}

TEST_P(Cluster, BetweennessIsThatOfOneProcess) {
  const std::vector<graph::betweenness_options> ways{{}, {.samples = 5, .normalized = true}};
  for (const named_graph& g : graphs()) {
    if (g.name.find("kronecker") != std::string::npos || g.name == "weighted") continue;
    const any_graph whole = g.make();
    const std::uint64_t vertices = std::visit([](const auto& one) { return one.vertices(); }, whole);
    for (graph::betweenness_options how : ways) {
      if (how.samples != 0 && vertices < 5) continue;
      if (how.samples == 0 && vertices > 10) how.from = {0, vertices / 2, vertices - 1};
      const graph::betweenness_result alone = graph::betweenness(whole, how);
      over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
        const graph::betweenness_result found = cluster::betweenness(mine, how, control);
        if (!control.among->tells()) return;
        EXPECT_EQ(found.sources, alone.sources) << g.name;
        ASSERT_EQ(found.scores.size(), alone.scores.size()) << g.name;
        ASSERT_EQ(found.standard_errors.size(), alone.standard_errors.size()) << g.name;
        for (std::uint64_t v = 0; v != vertices; ++v) {
          EXPECT_NEAR(found.scores[v], alone.scores[v], 1e-9 * alone.scores[v] + 1e-12) << g.name << ", vertex " << v;
          if (!alone.standard_errors.empty()) {
            EXPECT_NEAR(found.standard_errors[v], alone.standard_errors[v], 1e-6 * alone.standard_errors[v] + 1e-9)
                << g.name << ", vertex " << v;
          }
        }
      });
    }
  }
}

TEST_P(Cluster, BetweennessRefusesWhatHasNoFormOverRanks) {
  const named_graph path{"path", [] { return graph_of(300, graph::shapes::path(300), direction::undirected); }};
  over_ranks(GetParam(), path, [](const any_graph& mine, const graph::shared_control& control) {
    EXPECT_THROW(cluster::betweenness(mine, {.error = 0.1}, control), usage_error);
    EXPECT_THROW(cluster::betweenness(mine, {.samples = 301}, control), usage_error);
  });
}

/// A graph with groups of 24 vertices in which coarse graphs are divided among processes, too.
any_graph grouped(direction meaning) {
  const std::uint64_t vertices = tests::sanitized ? 1'300 : 3'000;
  const graph::counter_random draw(7);
  pairs edges;
  for (std::uint64_t i = 0; i < 3 * vertices; ++i) {
    const std::uint64_t u = graph::below(draw(3 * i), vertices);
    const std::uint64_t v = i % 4 == 0 ? graph::below(draw(3 * i + 1), vertices)
                                       : std::min(vertices - 1, u / 24 * 24 + graph::below(draw(3 * i + 2), 24));
    edges.emplace_back(u, v);
  }
  return graph_of(vertices, edges, meaning);
}

void expect_same_communities(const named_graph& of, const graph::communities_options& how, int ranks) {
  const graph::communities_result alone = graph::communities(of.make(), how);
  over_ranks(ranks, of, [&](const any_graph& mine, const graph::shared_control& control) {
    const graph::communities_result found = graph::communities_among(mine, how, control);
    EXPECT_EQ(values(found.of), values(alone.of)) << of.name;
    EXPECT_EQ(found.communities, alone.communities) << of.name;
    EXPECT_EQ(found.quality, alone.quality) << of.name;
    EXPECT_EQ(found.converged, alone.converged) << of.name;
    ASSERT_EQ(found.levels.size(), alone.levels.size()) << of.name;
    for (std::size_t i = 0; i != found.levels.size(); ++i) {
      EXPECT_EQ(found.levels[i].vertices, alone.levels[i].vertices) << of.name << ", level " << i;
      EXPECT_EQ(found.levels[i].rounds, alone.levels[i].rounds) << of.name << ", level " << i;
      EXPECT_EQ(found.levels[i].moves, alone.levels[i].moves) << of.name << ", level " << i;
    }
  });
}

TEST_P(Cluster, CommunitiesAreThoseOfOneProcess) {
  for (const named_graph& g : graphs()) expect_same_communities(g, {}, GetParam());
  const named_graph edges{"groups", [] { return grouped(direction::undirected); }};
  const named_graph arcs{"groups of a directed graph", [] { return grouped(direction::directed); }};
  using method = graph::community_method;
  using quality = graph::community_quality;
  using directions = graph::community_directions;
  expect_same_communities(edges, {}, GetParam());
  expect_same_communities(edges, {.method = method::labels}, GetParam());
  expect_same_communities(edges, {.method = method::louvain, .resolution = 3, .iterations = 2}, GetParam());
  expect_same_communities(edges, {.quality = quality::cpm, .resolution = 0.01, .seed = 9}, GetParam());
  expect_same_communities(arcs, {}, GetParam());
  expect_same_communities(arcs, {.directions = directions::ignore}, GetParam());
  const named_graph weighted{"groups with weights", [&] { return graph::with_random_weights(arcs.make(), 3); }};
  expect_same_communities(weighted, {}, GetParam());
  const named_graph fractions{"groups with fractions", [&] {
                                return graph::naive::weighted(std::get<graph::csr_graph<std::uint32_t>>(edges.make()),
                                                              [](std::uint64_t u, std::uint64_t v) {
                                                                return static_cast<double>((u + v) % 5) / 7;
                                                              });
                              }};
  expect_same_communities(fractions, {}, GetParam());
}

TEST_P(Cluster, UsualResolutionsAreThoseOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const double alone = graph::usual_resolution(g.make(), graph::community_quality::cpm);
    over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
      EXPECT_EQ(graph::usual_resolution_among(mine, graph::community_quality::cpm, control), alone) << g.name;
    });
  }
}

TEST_P(Cluster, StatisticsAreThoseOfOneProcess) {
  for (const named_graph& g : graphs()) {
    const any_graph whole = g.make();
    const graph::graph_statistics alone = graph::compute_statistics(whole);
    const std::uint64_t loops = graph::count_self_loops(whole);
    over_ranks(GetParam(), g, [&](const any_graph& mine, const graph::shared_control& control) {
      const graph::graph_statistics found = graph::statistics_among(mine, control);
      EXPECT_EQ(found.vertices, alone.vertices) << g.name;
      EXPECT_EQ(found.arcs, alone.arcs) << g.name;
      EXPECT_EQ(found.self_loops, alone.self_loops) << g.name;
      EXPECT_EQ(found.repeated_arcs, alone.repeated_arcs) << g.name;
      EXPECT_EQ(found.edges, alone.edges) << g.name;
      EXPECT_EQ(found.out.min, alone.out.min) << g.name;
      EXPECT_EQ(found.out.max, alone.out.max) << g.name;
      EXPECT_EQ(found.in.min, alone.in.min) << g.name;
      EXPECT_EQ(found.in.max, alone.in.max) << g.name;
      EXPECT_EQ(found.isolated, alone.isolated) << g.name;
      EXPECT_EQ(found.dangling, alone.dangling) << g.name;
      EXPECT_EQ(count_self_loops(mine, *control.among), loops) << g.name;
    });
  }
}

// A hub does not keep others out of its part: the vertices of a star are dealt evenly, whatever its row weighs.
TEST(Bounds, OfAMappedStarAreEven) {
  const any_graph star = graph_of(16'385, graph::shapes::star(16'384), direction::undirected);
  for (const int ranks : {1, 2, 3, 8}) {
    global::in_process_job job;
    job.net.ranks = ranks;
    global::run_in_process(job, [&](global::session& s) {
      const auto among = partners_of(star);
      const auto own = among->last() - among->first();
      const std::uint64_t even = 16'385 / static_cast<std::uint64_t>(ranks);
      const std::uint64_t piece = graph::partner_piece(16'385);
      EXPECT_LE(own, even + even / 16 + piece) << s.rank() << " of " << ranks;
      EXPECT_GE(own + even / 8 + piece, even) << s.rank() << " of " << ranks;
    });
  }
}

// Parts are whole pieces, follow each other, and differ in weight by one piece at most, where pieces are alike.
TEST(Bounds, AreBalancedAndWholePieces) {
  std::vector<std::uint64_t> offsets(10'001);
  for (std::uint64_t v = 0; v < 10'000; ++v) offsets[v + 1] = offsets[v] + 5;
  for (const std::size_t parts : {1U, 2U, 3U, 7U, 200U}) {
    const std::vector<std::uint64_t> bounds = balanced_bounds(offsets, {}, parts);
    ASSERT_EQ(bounds.size(), parts + 1);
    EXPECT_EQ(bounds.front(), 0U);
    EXPECT_EQ(bounds.back(), 10'000U);
    EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
    const std::uint64_t piece = graph::partner_piece(10'000);
    for (std::size_t p = 0; p != parts; ++p) {
      EXPECT_EQ(bounds[p] % piece, 0U);
      const std::uint64_t even = 10'000 / parts;
      EXPECT_LE(bounds[p + 1] - bounds[p], even + piece);
      EXPECT_GE(bounds[p + 1] - bounds[p] + piece, even);
    }
  }
  // A hub's piece is not cut: the other parts share the rest.
  for (std::uint64_t v = 6'000; v <= 10'000; ++v) offsets[v] += 1'000'000;
  const std::vector<std::uint64_t> bounds = balanced_bounds(offsets, {}, 3);
  const auto owner = std::upper_bound(bounds.begin(), bounds.end(), std::uint64_t{5'999}) - bounds.begin() - 1;
  EXPECT_LE(bounds[static_cast<std::size_t>(owner) + 1] - bounds[static_cast<std::size_t>(owner)], 6'000U);
  EXPECT_EQ(balanced_bounds({}, {}, 4), std::vector<std::uint64_t>(5));
}

}  // namespace
}  // namespace callisto::cluster
