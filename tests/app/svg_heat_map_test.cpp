// Checks heat maps: a cell for each value, lighter colours for better values, and a legend in the same colours.
#include <callisto/app/draw/svg_heat_map.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace callisto::app {
namespace {

heat_map of(const std::vector<double>& values) {
  heat_map map;
  map.title = "combine(core)/counter(core)";
  map.rows = {"32"};
  for (const double v : values) {
    map.columns.push_back("4");
    map.cells.push_back({v, v > 10, "a <cell>"});
  }
  map.notes = {"0.5"};
  return map;
}

/// Returns the colours of the cells in their order.
std::vector<std::string> colours(const heat_map& map, const heat_scale& scale) {
  const std::string svg = map.render(scale).elements;
  std::vector<std::string> found;
  for (std::size_t at = svg.find("fill=\"#"); at != std::string::npos; at = svg.find("fill=\"#", at + 1)) {
    found.push_back(svg.substr(at + 6, 7));
  }
  return found;
}

/// Returns the sum of red, green and blue.
int lightness(const std::string& colour) {
  return std::stoi(colour.substr(1, 2), nullptr, 16) + std::stoi(colour.substr(3, 2), nullptr, 16) +
         std::stoi(colour.substr(5, 2), nullptr, 16);
}

TEST(HeatMap, WorseIsDarker) {
  const std::vector<std::string> seen = colours(of({0.5, 0.7, 1, 1.5, 2, 3, 4, 8}), {0.5, 8});
  ASSERT_EQ(seen.size(), 8u);
  EXPECT_EQ(seen.front(), "#fde725");  // these two are the ends of viridis
  EXPECT_EQ(seen.back(), "#440154");
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_LT(lightness(seen[i]), lightness(seen[i - 1])) << i;
}

TEST(HeatMap, ValuesBeyondTheScaleHaveTheColoursOfItsEnds) {
  const std::vector<std::string> seen = colours(of({0.01, 0.5, 8, 1000}), {0.5, 8});
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[2], seen[3]);
}

TEST(HeatMap, LeavesOutWhatIsNoValue) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(colours(of({1, nan, 0, -1, infinite, 2}), {0.5, 8}).size(), 2u);
}

TEST(HeatMap, StrikesThroughWhatIsOnlyABound) {
  EXPECT_EQ(of({1, 2}).render({}).elements.find("<path"), std::string::npos);
  EXPECT_NE(of({1, 20}).render({}).elements.find("<path class=\"grid\""), std::string::npos);
}

TEST(HeatMap, BreaksLongTitlesAndEscapesHints) {
  const svg_panel panel = of({1}).render({});
  EXPECT_NE(panel.elements.find(">combine(core)/<"), std::string::npos);
  EXPECT_NE(panel.elements.find(">counter(core)<"), std::string::npos);
  EXPECT_NE(panel.elements.find("a &lt;cell&gt;"), std::string::npos);
  EXPECT_GT(of(std::vector<double>(20, 1.0)).render({}).width, panel.width);
}

TEST(HeatMap, TheLegendNamesBothEnds) {
  const std::string legend = heat_legend({0.25, 8}, "time & space").elements;
  for (const char* part : {">1/4<", ">1<", ">8<", "time &amp; space"}) {
    EXPECT_NE(legend.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace callisto::app
