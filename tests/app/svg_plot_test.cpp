// Checks that charts are well-formed, complete, and safe from hostile names and values.
#include <callisto/app/draw/svg_plot.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

svg_plot example() {
  svg_plot plot("Time", {"batch size", axis_scale::log2}, {"seconds", axis_scale::log10});
  plot.add_line("one", {{1, 4.0}, {4, 2.0}, {16, 1.0}});
  plot.add_line("two", {{1, 8.0}, {4, 4.0}, {16, 2.0}});
  plot.add_level("automatic", 0.9);
  return plot;
}

TEST(svg_plot, draws_every_point_and_a_legend) {
  const std::array plots{example()};
  const std::string svg = svg_page("Page", "sub", plots);
  EXPECT_EQ(count(svg, "<circle"), 3u + 1u);  // the points and the legend's marker
  EXPECT_EQ(count(svg, "<rect class=\"f1\""), 3u + 1u);
  for (const char* text : {">one<", ">two<", ">automatic<", ">batch size<", ">seconds<", ">Time<", ">Page<", ">sub<"}) {
    EXPECT_EQ(count(svg, text), std::string(text) == ">Page<" ? 2u : 1u) << text;
  }
  EXPECT_EQ(count(svg, "<g "), count(svg, "</g>"));
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

TEST(svg_plot, draws_dots_in_the_same_place_once) {
  svg_plot plot("", {"", axis_scale::log10}, {"", axis_scale::log10}, {380, 330});
  std::vector<svg_plot::point> points{{1, 1}, {1, 1.0000001}, {1000, 1000}, {0, 5}};
  plot.add_dots("dots", points);
  const svg_panel panel = plot.render();
  EXPECT_EQ(panel.width, 380);
  EXPECT_EQ(panel.height, 330);
  const std::size_t at = panel.elements.find("class=\"dots few s0\" d=\"");
  ASSERT_NE(at, std::string::npos);
  const std::string path = panel.elements.substr(at, panel.elements.find("/>", at) - at);
  EXPECT_EQ(count(path, "h0"), 2u);
}

TEST(svg_plot, labels_of_ticks_do_not_overlap) {
  svg_plot plot("", {"", axis_scale::log10}, {"", axis_scale::linear}, {380, 330});
  plot.add_dots("dots", {{1, 1}, {9000, 2}});
  const std::string svg = plot.render().elements;
  double end = -1;
  std::size_t labels = 0;
  std::vector<std::pair<double, double>> taken;
  for (std::size_t at = svg.find("text-anchor=\"middle\">"); at != std::string::npos;
       at = svg.find("text-anchor=\"middle\">", at + 1)) {
    const std::size_t x_at = svg.rfind("x=\"", at);
    const std::size_t text_at = at + 21;
    const std::string text = svg.substr(text_at, svg.find('<', text_at) - text_at);
    if (text.empty()) continue;  // the name of an axis, which is empty here
    const double x = std::stod(svg.substr(x_at + 3));
    taken.emplace_back(x - 3.3 * static_cast<double>(text.size()), x + 3.3 * static_cast<double>(text.size()));
    ++labels;
  }
  EXPECT_GE(labels, 4u);
  std::sort(taken.begin(), taken.end());
  for (const auto& [left, right] : taken) {
    EXPECT_GT(left, end);
    end = right;
  }
}

TEST(svg_plot, puts_larger_values_higher_and_further_right) {
  svg_plot plot("", {"", axis_scale::log2}, {"", axis_scale::linear});
  plot.add_line("s", {{1, 1}, {8, 3}});
  const std::string svg = plot.render().elements;
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  const std::size_t at = svg.find("class=\"line s0\" d=\"M");
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(std::sscanf(svg.c_str() + at + 20, "%lf %lfL%lf %lf", &x1, &y1, &x2, &y2), 4);
  EXPECT_LT(x1, x2);
  EXPECT_GT(y1, y2);
}

TEST(svg_plot, labels_logarithmic_ticks_with_round_numbers) {
  const std::string svg = example().render().elements;
  for (const char* tick : {">1</text>", ">2</text>", ">4</text>", ">8</text>", ">16</text>"}) {
    EXPECT_GE(count(svg, tick), 1u) << tick;
  }
}

TEST(svg_plot, has_whole_ticks_around_one_whole_number) {
  svg_plot plot("", {"", axis_scale::log10}, {"", axis_scale::log10});
  plot.add_dots("dots", {{25, 1}});
  const std::string svg = plot.render().elements;
  for (const char* tick : {">24<", ">25<", ">26<", ">1<", ">2<"}) EXPECT_EQ(count(svg, tick), 1u) << tick;
  EXPECT_EQ(svg.find("25.5"), std::string::npos);
}

TEST(svg_plot, leaves_out_what_cannot_be_drawn) {
  svg_plot plot("", {"", axis_scale::log2}, {"", axis_scale::log10});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  plot.add_line("s", {{1, 1}, {0, 1}, {2, 0}, {2, nan}, {4, -1}, {4, 2}});
  plot.add_level("l", -1);
  const std::string svg = plot.render().elements;
  EXPECT_EQ(count(svg, "<circle"), 2u + 1u);
  EXPECT_EQ(count(svg, "nan"), 0u);
  EXPECT_EQ(count(svg, "inf"), 0u);
}

TEST(svg_plot, survives_having_nothing_to_show) {
  const svg_plot plot("", {"", axis_scale::log2}, {"", axis_scale::linear});
  EXPECT_EQ(count(plot.render().elements, "nan"), 0u);
  EXPECT_EQ(count(svg_page("", "", {}), "</svg>"), 1u);
}

TEST(svg_plot, escapes_names) {
  svg_plot plot("a<b>&\"c\n", {"x", axis_scale::linear}, {"y", axis_scale::linear});
  EXPECT_EQ(count(plot.render().elements, "a&lt;b&gt;&amp;&quot;c "), 1u);
}

}  // namespace
}  // namespace callisto::app
