// weight_array in both forms, and the graphs and readers that choose the form.
#include "naive.hpp"

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/graph/files/read.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

TEST(weight_array, short_weights_are_those_that_16_bits_give_back_bit_by_bit) {
  for (const double w : {0.0, 1.0, 255.0, 256.0, 32768.0, 65535.0}) EXPECT_TRUE(is_short(w)) << w;
  for (const double w :
       {-0.0, -1.0, 0.5, 65534.5, 65536.0, 4294967296.0, 0x1p63, 1e300, 5e-324, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_FALSE(is_short(w)) << w;
    EXPECT_FALSE(are_short(std::vector<double>{1, 2, w, 3})) << w;
  }
  for (unsigned w = 0; w <= 65535; ++w) {
    ASSERT_EQ(weight_as<double>(weight_as<short_weight>(static_cast<double>(w))), static_cast<double>(w));
  }
}

TEST(weight_array, keeps_what_was_set_when_it_becomes_wide) {
  for (const double odd : {-0.0, -7.0, 0.25, 1e300}) {
    weight_array weights(1000);
    EXPECT_TRUE(weights.is_short());
    EXPECT_EQ(weights.bytes(), 2000u);
    for (std::size_t i = 0; i < 500; ++i) weights.set(i, static_cast<double>(i * 131));
    EXPECT_TRUE(weights.is_short());
    weights.set(500, odd);
    EXPECT_FALSE(weights.is_short());
    EXPECT_EQ(weights.bytes(), 8000u);
    weights.set(501, 65535);
    for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(weights[i], static_cast<double>(i * 131));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(weights[500]), std::bit_cast<std::uint64_t>(odd));
    EXPECT_EQ(weights[501], 65535);
    EXPECT_EQ(weights[999], 0);
    EXPECT_EQ(weights.data<short_weight>(), nullptr);
    weights.shrink(502);
    EXPECT_EQ(weights.size(), 502u);
    EXPECT_EQ(weights.visit([](auto values) { return sizeof(values[0]); }), 8u);
  }
  EXPECT_TRUE(weight_array().is_short());
  EXPECT_TRUE(weight_array().empty());
}

TEST(weight_array, of_out_and_in_edges_has_one_form) {
  const auto rows = [](std::vector<std::uint32_t> ends, weight_array weights) {
    adjacency<std::uint32_t> made{machine::page_array<std::uint64_t>(4), machine::page_array<std::uint32_t>(2),
                                  std::move(weights)};
    made.offsets[1] = made.offsets[2] = made.offsets[3] = 2;
    for (std::size_t i = 0; i < 2; ++i) made.targets[i] = ends[i];
    return made;
  };
  const auto of = [](double first, double second) {
    weight_array weights(2);
    weights.set(0, first);
    weights.set(1, second);
    return weights;
  };
  using graph_type = csr_graph<std::uint32_t>;
  const graph_type mixed(true, rows({1, 2}, of(3, 0.5)), rows({0, 0}, of(3, 4)), {}, 0);
  EXPECT_FALSE(mixed.has_short_weights());
  EXPECT_FALSE(mixed.in().weights.is_short());
  EXPECT_EQ(naive::values_of(mixed.in().weights), (std::vector<double>{3, 4}));
  const auto later = graph_type(true, rows({1, 2}, of(3, 4)), {}, {}, 0).with_in(rows({0, 0}, of(-1, 4)));
  EXPECT_EQ(naive::values_of(later.out().weights), (std::vector<double>{3, 4}));
  EXPECT_FALSE(later.has_short_weights());
  const auto both = graph_type(true, rows({1, 2}, of(3, 0.5)), {}, {}, 0).with_weights(of(1, 2), {});
  EXPECT_TRUE(both.has_short_weights());
}

TEST(weight_array, of_blocks_of_a_text_file_has_the_form_that_each_needs) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    const std::string weight = i < 100 ? std::to_string(i % 97) : i < 200 ? "7.00" : i == 250 ? "65536" : "65535";
    text += std::to_string(i) + " " + std::to_string(i + 1) + " " + weight + "\n";
  }
  const any_edge_list any = read_edges(std::as_bytes(std::span(text)), "text.wel", {.chunk_bytes = 100});
  std::size_t wide = 0;
  std::size_t edges = 0;
  for (const auto& block : std::get<0>(any).blocks) {
    for (std::size_t i = 0; i < block.edges.size(); ++i, ++edges) {
      const double expected = edges < 100    ? static_cast<double>(edges % 97)
                              : edges < 200  ? 7
                              : edges == 250 ? 65536
                                             : 65535;
      ASSERT_EQ(block.weights[i], expected) << edges;
    }
    wide += block.weights.is_short() ? 0 : 1;
  }
  EXPECT_EQ(edges, 300u);
  EXPECT_EQ(wide, 1u);
}

}  // namespace
}  // namespace callisto::graph
