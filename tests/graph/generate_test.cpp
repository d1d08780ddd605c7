// The generators: sizes, distributions, and that results depend only on the seed.
#include <callisto/callisto.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/csr/counter_random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <stop_token>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns a hash of the edges and their order.
std::uint64_t fingerprint(const any_edge_list& any) {
  return std::visit(
      [](const auto& list) {
        std::uint64_t sum = list.vertices;
        for (const auto& block : list.blocks) {
          for (const auto& e : block.edges) sum = mix_bits(mix_bits(sum ^ e.from) ^ e.to);
        }
        return sum;
      },
      any);
}

std::vector<std::uint64_t> degrees(const any_edge_list& any) {
  return std::visit(
      [](const auto& list) {
        std::vector<std::uint64_t> d(list.vertices);
        for (const auto& block : list.blocks) {
          for (const auto& e : block.edges) {
            ++d[e.from];
            ++d[e.to];
          }
        }
        return d;
      },
      any);
}

std::uint64_t edges_in(const any_edge_list& any) {
  return std::visit([](const auto& list) { return list.edges(); }, any);
}

TEST(generators, depend_on_the_seed_and_not_on_threads_or_width) {
  const unsigned before = threads();
  for (const unsigned n : {1u, 2u, 3u}) {
    set_threads(n);
    // Golden values: a change breaks the promise that a seed stands for a graph, and needs an entry in CHANGELOG.md.
    EXPECT_EQ(fingerprint(generate_kronecker({{.seed = 1}, 13, 40})), 8403737414686681399u);
    EXPECT_EQ(fingerprint(generate_uniform({{.seed = 1}, 30'000, 300'000})), 4481153291074700321u);
    EXPECT_EQ(fingerprint(generate_power_law({{.seed = 1}, 30'000, 300'000, 2.3})), 7457090430673000960u);
  }
  set_threads(before);
  EXPECT_NE(fingerprint(generate_kronecker({{.seed = 1}, 10, 4})),
            fingerprint(generate_kronecker({{.seed = 2}, 10, 4})));
  EXPECT_NE(fingerprint(generate_uniform({{.seed = 1}, 100, 50})),
            fingerprint(generate_uniform({{.seed = 2}, 100, 50})));
  EXPECT_NE(fingerprint(generate_power_law({{.seed = 1}, 100, 50})),
            fingerprint(generate_power_law({{.seed = 2}, 100, 50})));

  const any_edge_list wide = generate_kronecker({{.wide = true}, 10, 4});
  EXPECT_EQ(wide.index(), 1u);
  EXPECT_EQ(fingerprint(wide), fingerprint(generate_kronecker({{}, 10, 4})));
}

TEST(generators, make_as_many_vertices_and_edges_as_asked_for) {
  const any_edge_list k = generate_kronecker({{.meaning = direction::directed}, 9, 600});
  EXPECT_EQ(edges_in(k), 600u * 512u);
  EXPECT_EQ(std::get<0>(k).vertices, 512u);
  EXPECT_EQ(std::get<0>(k).meaning, direction::directed);
  const any_edge_list u = generate_uniform({{}, 3, 1'000'001});
  EXPECT_EQ(edges_in(u), 1'000'001u);
  EXPECT_EQ(std::get<0>(u).meaning, direction::undirected);
  EXPECT_EQ(edges_in(generate_uniform({{}, 0, 0})), 0u);
  EXPECT_EQ(edges_in(generate_power_law({{}, 1, 10})), 10u);
}

/// Vertices are permuted, but their degrees tell how many bits of their original numbers are 1.
TEST(generate_kronecker, has_the_degrees_of_the_specification) {
  const unsigned scale = 10;
  const std::uint64_t n = 1 << scale;
  const std::uint64_t degree = 300;
  auto d = degrees(generate_kronecker({{}, scale, degree}));
  std::sort(d.rbegin(), d.rend());
  // A vertex with k of the `scale` bits of its number set is an end of 2 m 0.76^(scale - k) 0.24^k edges on average.
  std::size_t at = 0;
  for (unsigned k = 0; k <= 6; ++k) {
    double vertices = 1;
    for (unsigned i = 0; i < k; ++i) vertices = vertices * (scale - i) / (i + 1);
    const double expected = 2.0 * double(degree * n) * std::pow(0.76, scale - k) * std::pow(0.24, k);
    const double last = std::round(vertices);
    double mean = 0;
    for (double i = 0; i < last; ++i) mean += double(d[at++]) / last;
    EXPECT_NEAR(mean / expected, 1, 5 / std::sqrt(expected * vertices) + (k > 3 ? 0.02 : 0)) << k;
  }
}

/// The ends of an edge are not independent: 0.57 is less than 0.76^2.
TEST(generate_kronecker, has_the_loops_of_the_specification) {
  const any_edge_list any = generate_kronecker({{}, 5, 20'000});
  std::uint64_t loops_seen = 0;
  for (const auto& block : std::get<0>(any).blocks) {
    for (const auto& e : block.edges) loops_seen += e.from == e.to;
  }
  const double m = double(edges_in(any));
  const double expected = std::pow(0.57 + 0.05, 5);
  EXPECT_NEAR(double(loops_seen) / m, expected, 5 * std::sqrt(expected / m));
}

TEST(generate_uniform, has_independent_and_uniform_ends) {
  const any_edge_list any = generate_uniform({{}, 10, 200'000});
  std::array<std::array<double, 10>, 10> seen{};
  for (const auto& block : std::get<0>(any).blocks) {
    for (const auto& e : block.edges) ++seen[e.from][e.to];
  }
  double chi_squared = 0;
  for (const auto& r : seen) {
    for (const double s : r) chi_squared += (s - 2000) * (s - 2000) / 2000;
  }
  EXPECT_LT(chi_squared, 99 + 5 * std::sqrt(2 * 99.0));
  EXPECT_GT(chi_squared, 99 - 5 * std::sqrt(2 * 99.0));
}

TEST(generate_power_law, has_degrees_with_the_exponent) {
  for (const double exponent : {2.2, 2.5, 3.0}) {
    const auto d = degrees(generate_power_law({{.seed = 3}, 100'000, 500'000, exponent}));
    // Maximum likelihood for the tail (Clauset, Shalizi, Newman 2009, equation 3.7).
    const double least = 40;
    double n = 0;
    double sum = 0;
    for (const auto degree : d) {
      if (double(degree) < least) continue;
      ++n;
      sum += std::log(double(degree) / (least - 0.5));
    }
    EXPECT_GT(n, 1000);
    EXPECT_NEAR(1 + n / sum, exponent, 0.1);
  }
}

TEST(generate_grid, joins_neighbours_in_rows_and_columns) {
  grid_options options;
  options.rows = 3;
  options.columns = 4;
  const any_edge_list grid = generate_grid(options);
  const any_graph graph = build_graph(generate_grid(options));
  const auto& g = std::get<csr_graph<std::uint32_t>>(graph);
  EXPECT_EQ(edges_in(grid), 17u);
  EXPECT_EQ(degrees(grid), (std::vector<std::uint64_t>{2, 3, 3, 2, 3, 4, 4, 3, 2, 3, 3, 2}));
  const auto row = g.out().row(5);
  EXPECT_EQ(std::vector<std::uint32_t>(row.begin(), row.end()), (std::vector<std::uint32_t>{1, 4, 6, 9}));
  options.rows = 1;
  EXPECT_EQ(edges_in(generate_grid(options)), 3u);
  options.columns = 1;
  EXPECT_EQ(edges_in(generate_grid(options)), 0u);
  options.columns = 0;
  EXPECT_THROW(generate_grid(options), usage_error);
  options.columns = options.rows = std::uint64_t{1} << 30;
  EXPECT_THROW(generate_grid(options), usage_error);
}

TEST(generators, permute_vertices_by_a_bijection) {
  // With an extreme exponent all vertices are equally likely. With many edges each occurs, unless the permutation maps
  // two numbers to one.
  for (const std::uint64_t n : std::vector<std::uint64_t>{1, 2, 3, 7, 64, 1000}) {
    const auto d = degrees(generate_power_law({{}, n, 40 * n, 100}));
    EXPECT_EQ(std::count(d.begin(), d.end(), 0u), 0) << n;
  }
  for (unsigned scale = 1; scale <= 3; ++scale) {
    const auto d = degrees(generate_kronecker({{}, scale, 2000}));
    EXPECT_EQ(std::count(d.begin(), d.end(), 0u), 0) << scale;
  }
}

TEST(generators, spread_hubs_over_the_vertex_numbers) {
  const auto d = degrees(generate_kronecker({{}, 16, 8}));
  double first_half = 0;
  double all = 0;
  std::set<std::size_t> hub_places;
  for (std::size_t v = 0; v < d.size(); ++v) {
    all += double(d[v]);
    if (v < d.size() / 2) first_half += double(d[v]);
    if (d[v] > 500) hub_places.insert(v * 16 / d.size());
  }
  EXPECT_NEAR(first_half / all, 0.5, 0.05);
  EXPECT_GE(hub_places.size(), 14u);
}

TEST(generators, refuse_what_they_cannot_make) {
  EXPECT_THROW(generate_kronecker({{}, 0, 16}), usage_error);
  EXPECT_THROW(generate_kronecker({{}, 38, 16}), usage_error);
  EXPECT_THROW(generate_kronecker({{}, 20, std::uint64_t{1} << 60}), usage_error);
  EXPECT_THROW(generate_uniform({{}, 0, 1}), usage_error);
  EXPECT_THROW(generate_uniform({{}, (std::uint64_t{1} << 37) + 1, 1}), usage_error);
  EXPECT_THROW(generate_uniform({{}, 10, (std::uint64_t{1} << 48) + 1}), usage_error);
  for (const double exponent : {2.0, 0.0, -3.0, 101.0, std::nan("")}) {
    EXPECT_THROW(generate_power_law({{}, 10, 10, exponent}), usage_error) << exponent;
  }
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(generate_uniform({{}, 10, 10}, {nullptr, stop.get_token()}), cancelled);
}

TEST(counter_random, below_is_the_upper_half_of_the_product) {
  const counter_random random(1);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t word = random(3 * i);
    const std::uint64_t bound = random(3 * i + 1) >> (i % 64);
    __extension__ using wide = unsigned __int128;
    EXPECT_EQ(below(word, bound), static_cast<std::uint64_t>(wide{word} * bound >> 64));
  }
  EXPECT_NE(counter_random(1)(0), counter_random(1, 1)(0));
}

}  // namespace
}  // namespace callisto::graph
