// Checks drawings of graphs: every line and circle is there, and names do not overlap.
#include <callisto/app/draw/svg_graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <regex>
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
  std::vector<drawn_vertex> vertices(9);
  for (drawn_vertex& v : vertices) v = {0.001, 0, 6, 0, "small", "", ""};
  vertices[6] = {0, 0, 8, 0, "large", "", ""};
  vertices[7] = {1, 1, 3, 0, "<far>", "", ""};
  vertices[8] = {-1, -1, 3, 0, "", "", ""};
  const svg_panel panel = draw_graph(vertices, {}, 300, 300);
  EXPECT_EQ(drawn_count(panel.elements, ">large<"), 1u);
  EXPECT_EQ(drawn_count(panel.elements, ">small<"), 3u);  // left, below and above
  EXPECT_EQ(drawn_count(panel.elements, ">&lt;far&gt;<"), 1u);
}

TEST(svg_graph, a_name_keeps_off_other_circles) {
  std::vector<drawn_vertex> vertices(4);
  vertices[0] = {0, 0, 10, 0, "Gerd", "", ""};
  vertices[1] = {0.1, 0, 10, 0, "", "", ""};  // right of it
  vertices[2] = {1, 1, 3, 0, "", "", ""};
  vertices[3] = {-1, 0.5, 3, 0, "", "", ""};
  const svg_panel panel = draw_graph(vertices, {}, 300, 300);
  EXPECT_NE(panel.elements.find("x=\"111.6\" y=\"85.0\">Gerd<"), std::string::npos) << panel.elements;
}

TEST(svg_graph, a_name_is_inside_of_its_circle_where_it_fits) {
  std::vector<drawn_vertex> vertices(2);
  vertices[0] = {0, 0, 14, 3, "Gerd", "", ""};  // as wide as the circle, or nearly
  vertices[1] = {1, 1, 20, 3, "Nora", "", ""};
  const svg_panel panel = draw_graph(vertices, {}, 300, 300);
  EXPECT_NE(panel.elements.find("<text class=\"small name\" x=\"38.0\" y=\"26.0\">Gerd<"), std::string::npos)
      << panel.elements;
  EXPECT_NE(
      panel.elements.find("<text class=\"small inside og3\" x=\"278.0\" y=\"282.0\" text-anchor=\"middle\">Nora<"),
      std::string::npos)
      << panel.elements;
}

TEST(svg_graph, names_are_legible_on_every_fill) {
  const auto luminance = [](const std::string& colour) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double part = std::stoi(colour.substr(static_cast<std::size_t>(2 * i), 2), nullptr, 16) / 255.0;
      sum += (i == 0 ? 0.2126 : i == 1 ? 0.7152 : 0.0722) * std::pow((part + 0.055) / 1.055, 2.4);
    }
    return sum;
  };
  const std::string rules = svg_style_rules();
  const std::regex both(R"(\.g(\d+)\{fill:#(\w{6})\}\.og(\d+)\{fill:#(\w{6})\})");
  std::size_t found = 0;
  for (std::sregex_iterator at(rules.begin(), rules.end(), both), end; at != end; ++at, ++found) {
    EXPECT_EQ((*at)[1], (*at)[3]);
    const double fill = luminance((*at)[2]) + 0.05;
    const double ink = luminance((*at)[4]) + 0.05;
    EXPECT_GE(std::max(fill, ink) / std::min(fill, ink), 4.5) << at->str();
  }
  EXPECT_EQ(found, 2 * svg_group_colours);  // light and dark
}

TEST(svg_graph, of_one_place_is_no_trouble) {
  const std::vector<drawn_vertex> one(1);
  const svg_panel panel = draw_graph(one, {}, 300, 300);
  EXPECT_EQ(panel.elements.find("nan"), std::string::npos);
  EXPECT_NE(panel.elements.find("cx=\"150.0\""), std::string::npos);
}

}  // namespace
}  // namespace callisto::app
