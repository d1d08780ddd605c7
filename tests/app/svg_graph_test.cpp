// Checks drawings of graphs: every line and circle is there, and names do not overlap.
#include <callisto/app/draw/svg_graph.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace callisto::app {
namespace {

std::size_t drawn_count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(svg_graph, draws_all_lines_by_width) {
  std::vector<drawn_vertex> vertices(50);
  std::vector<drawn_edge> edges;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    vertices[i].x = static_cast<double>(i % 7);
    vertices[i].y = static_cast<double>(i / 7);
    for (std::size_t j = 0; j < i; ++j) edges.push_back({i, j, i % 2 == 0 ? 1.0 : 2.0});
  }
  const svg_panel panel = draw_graph(vertices, edges, 300, 200);
  EXPECT_EQ(drawn_count(panel.elements, "M"), edges.size());
  EXPECT_EQ(drawn_count(panel.elements, "L"), edges.size());
  EXPECT_EQ(drawn_count(panel.elements, "<circle"), vertices.size());
  EXPECT_GE(drawn_count(panel.elements, "stroke-width:2.00"), 2u);  // long paths are cut
}

TEST(svg_graph, of_names_that_overlap_the_larger_circle_has_its_own) {
  std::vector<drawn_vertex> vertices(3);
  vertices[0] = {0, 0, 3, 0, "small", "", ""};
  vertices[1] = {0.001, 0, 5, 0, "large", "", ""};
  vertices[2] = {1, 1, 3, 0, "<far>", "", ""};
  const svg_panel panel = draw_graph(vertices, {}, 300, 300);
  EXPECT_EQ(drawn_count(panel.elements, ">large<"), 1u);
  EXPECT_EQ(drawn_count(panel.elements, ">small<"), 0u);
  EXPECT_EQ(drawn_count(panel.elements, ">&lt;far&gt;<"), 1u);
}

TEST(svg_graph, of_one_place_is_no_trouble) {
  const std::vector<drawn_vertex> one(1);
  const svg_panel panel = draw_graph(one, {}, 300, 300);
  EXPECT_EQ(panel.elements.find("nan"), std::string::npos);
  EXPECT_NE(panel.elements.find("cx=\"150.0\""), std::string::npos);
}

}  // namespace
}  // namespace callisto::app
