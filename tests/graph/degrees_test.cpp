// Degree distributions against a count one by one, and against closed formulas.
#include "naive.hpp"
#include "shapes.hpp"

#include <callisto/graph/csr/degrees.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <stop_token>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns what count_degrees() should return for these degrees, one for each vertex.
degree_counts counted(const std::vector<std::uint64_t>& degrees) {
  std::map<std::uint64_t, std::uint64_t> all;
  for (const std::uint64_t d : degrees) ++all[d];
  degree_counts result;
  for (const auto& [degree, vertices] : all) result.push_back({degree, vertices});
  return result;
}

TEST(degrees, of_nothing) {
  const degree_distribution found = count_degrees(naive::undirected(0, {}));
  EXPECT_TRUE(found.out.empty() && found.in.empty() && found.simple.empty());
  EXPECT_EQ(wedges(found.simple), 0);
}

TEST(degrees, of_random_arcs_with_loops_and_repeats) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::uint64_t n = 3000;
    naive::pairs arcs = naive::random_pairs(n, 40'000, seed);
    for (std::uint64_t i = 0; i < 9000; ++i) arcs.emplace_back(7, i % n);  // beyond the small degrees
    for (std::uint64_t i = 0; i < 5000; ++i) arcs.emplace_back(9, 11);
    std::vector<std::uint64_t> out(n), in(n), simple(n);
    for (const auto& [from, to] : arcs) {
      ++out[from];
      ++in[to];
    }
    for (const auto& [u, v] : naive::simple_edges(arcs)) {
      ++simple[u];
      ++simple[v];
    }
    const degree_distribution found = count_degrees(naive::directed(n, arcs));
    EXPECT_EQ(found.out, counted(out));
    EXPECT_EQ(found.in, counted(in));
    EXPECT_EQ(found.simple, counted(simple));
    double pairs = 0;
    for (const std::uint64_t d : simple)
      pairs += static_cast<double>(d) * static_cast<double>(d - (d != 0 ? 1 : 0)) / 2;
    EXPECT_EQ(wedges(found.simple), pairs);
  }
}

TEST(degrees, of_shapes) {
  const degree_distribution star = count_degrees(naive::undirected(20'001, shapes::star(20'000)));
  EXPECT_EQ(star.out, (degree_counts{{1, 20'000}, {20'000, 1}}));
  EXPECT_EQ(star.in, star.out);
  EXPECT_EQ(wedges(star.simple), 20'000.0 * 19'999 / 2);
  EXPECT_EQ(count_degrees(naive::undirected(300, shapes::clique(300))).simple, (degree_counts{{299, 300}}));
}

TEST(degrees, can_be_stopped_and_need_in_edges) {
  EXPECT_THROW(count_degrees(naive::directed(3, {{0, 1}}, false)), usage_error);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(count_degrees(naive::undirected(3, {{0, 1}}), {nullptr, stop.get_token()}), cancelled);
}

}  // namespace
}  // namespace callisto::graph
