// Lays out panels and defines their colours.
#include <callisto/app/draw/svg_page.hpp>

#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace callisto::app {
namespace {

// The palette of Okabe and Ito ("Color universal design", 2008): its colours differ for any colour vision. The second
// set is lighter, for dark backgrounds.
constexpr std::array<std::string_view, svg_colours> light_colours{"#0072b2", "#d55e00", "#007a5a",
                                                                  "#a63f82", "#7a5c00", "#555555"};
constexpr std::array<std::string_view, svg_colours> dark_colours{"#56b4e9", "#ff9a4d", "#3fd0a4",
                                                                 "#e79ac6", "#f0e442", "#bbbbbb"};

// Colours of groups, found by a search: in normal vision, protanopia, deuteranopia and tritanopia (by the matrices of
// Machado, Oliveira and Fernandes 2009) any two are at least 18 apart in CIELAB. tests/cli/draw_test.py measures it.
constexpr std::array<std::string_view, svg_group_colours> light_groups{"#1f3c99", "#bb6d03", "#44d69e", "#d00d82",
                                                                       "#c3c70e", "#3395b2", "#7e14fe", "#a30a19",
                                                                       "#97cb67", "#ac60f7", "#678859", "#7a233c"};
constexpr std::array<std::string_view, svg_group_colours> dark_groups{"#aac6f4", "#ffb976", "#1fc1b5", "#f9598f",
                                                                      "#cbec33", "#8450ff", "#008263", "#ff102a",
                                                                      "#80fecc", "#c053d8", "#70943f", "#955ea3"};
// Steps of cividis (Nunez, Anderton and Renslow 2018), the same in light and dark.
constexpr std::array<std::string_view, svg_steps> steps{"#123570", "#43518f", "#6f7387",
                                                        "#9b9477", "#c9b662", "#fde737"};

/// Returns the relative luminance of a colour `#rrggbb` by WCAG 2: 0 is black, 1 white.
double luminance(std::string_view colour) {
  constexpr std::array shares{0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double part = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    sum += shares[i] * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

/// Returns black or white, whichever is easier to read on `fill`: the contrast is 4.58 or more.
std::string_view ink_on(std::string_view fill) {
  const double light = luminance(fill) + 0.05;
  return 1.05 / light > light / 0.05 ? "#ffffff" : "#000000";
}

}  // namespace

std::string svg_style_rules() {
  const auto rules = [](std::string_view background, std::string_view ink, std::string_view faint,
                        std::span<const std::string_view> colours, std::span<const std::string_view> groups) {
    std::string out = fmt::format(
        ".bg{{fill:{0}}}text{{fill:{1}}}.axis,.edge{{stroke:{1}}}.grid{{stroke:{2}}}.name{{stroke:{0}}}.arrow{{fill:{1}"
        "}}.inside{{fill:{3}}}",
        background, ink, faint, ink_on(svg_other_fill));
    for (std::size_t i = 0; i < colours.size(); ++i) {
      out += fmt::format(".s{0}{{stroke:{1}}}.f{0}{{fill:{1}}}", i, colours[i]);
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
      out += fmt::format(".g{0}{{fill:{1}}}.og{0}{{fill:{2}}}", i, groups[i], ink_on(groups[i]));
    }
    // In each mode again, below its rule for .inside.
    for (std::size_t i = 0; i < steps.size(); ++i) out += fmt::format(".oq{}{{fill:{}}}", i, ink_on(steps[i]));
    return out;
  };
  std::string scale;
  for (std::size_t i = 0; i < steps.size(); ++i) scale += fmt::format(".q{}{{fill:{}}}", i, steps[i]);
  return scale +
         "text{font-family:system-ui,sans-serif;font-size:13px}.title{font-size:15px;font-weight:600}"
         ".page{font-size:19px;font-weight:600}.small{font-size:12px}.axis,.grid{stroke-width:1;fill:none}"
         ".line{fill:none;stroke-width:2;stroke-linejoin:round}.level{stroke-dasharray:7 5}.again{stroke-dasharray:2 3}"
         ".dots{fill:none;stroke-width:3.5;stroke-linecap:round;stroke-opacity:.6}"
         ".few{stroke-width:7;stroke-opacity:1}.edge{fill:none;stroke-opacity:.3}"
         ".arrow{fill-opacity:.6}"
         ".name{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}" +
         rules("#ffffff", "#1c1c1c", "#dddddd", light_colours, light_groups) + "@media (prefers-color-scheme:dark){" +
         rules("#14171a", "#e6e6e6", "#3a3f45", dark_colours, dark_groups) + "}\n";
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : one_line(whole_characters(text))) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string svg_document(const std::string& title, const std::string& subtitle,
                         std::span<const std::vector<svg_panel>> rows) {
  constexpr double head = 72;
  double width = 0;
  double height = head;
  std::string body;
  for (const std::vector<svg_panel>& row : rows) {
    double left = 0;
    double highest = 0;
    for (const svg_panel& p : row) {
      body += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n", left, height, p.elements);
      left += p.width;
      highest = std::max(highest, p.height);
    }
    width = std::max(width, left);
    height += highest;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\">\n<title>{2}</title>\n{3}<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n"
      "<text class=\"page\" x=\"24\" y=\"32\">{2}</text>\n<text class=\"small\" x=\"24\" y=\"54\">{4}</text>\n"
      "{5}</svg>\n",
      width, height, xml(title), "<style>" + svg_style_rules() + "</style>\n", xml(subtitle), body);
}

}  // namespace callisto::app
