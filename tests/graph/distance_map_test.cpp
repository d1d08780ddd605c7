// distance_map in each of its forms.
#include <callisto/graph/csr/distance_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace callisto::graph {
namespace {

TEST(distance_map, of_nothing_has_no_vertices) { EXPECT_EQ(distance_map().size(), 0u); }

TEST(distance_map, of_all_vertices) {
  machine::page_array<std::uint32_t> whole(3);
  whole[1] = 4'000'000'000;
  whole[2] = std::numeric_limits<std::uint32_t>::max();
  const distance_map narrow(std::move(whole));
  ASSERT_EQ(narrow.size(), 3u);
  EXPECT_EQ(narrow[0], 0);
  EXPECT_EQ(narrow[1], 4e9);
  EXPECT_EQ(narrow[2], distance_map::unreached);

  machine::page_array<double> real(2);
  real[0] = 0.25;
  real[1] = distance_map::unreached;
  const distance_map wide(std::move(real));
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_EQ(wide[0], 0.25);
  EXPECT_EQ(wide[1], distance_map::unreached);
}

// Vertices outside the set are unreached, whatever their entries of `places` hold, also the places of other vertices.
TEST(distance_map, of_some_vertices_does_not_read_sense_into_the_rest) {
  for (const std::uint32_t rest : {0u, 1u, 2u, 77u, std::numeric_limits<std::uint32_t>::max()}) {
    machine::page_array<std::uint32_t> places(100);
    std::fill(places.begin(), places.end(), rest);
    places[40] = 0;
    places[0] = 1;
    const distance_map some(std::move(places), {{40, 0}, {0, 1.5}});
    ASSERT_EQ(some.size(), 100u);
    for (std::uint64_t v = 0; v < some.size(); ++v) {
      EXPECT_EQ(some[v], v == 40 ? 0 : v == 0 ? 1.5 : distance_map::unreached) << v << ", rest " << rest;
    }
  }
}

}  // namespace
}  // namespace callisto::graph
