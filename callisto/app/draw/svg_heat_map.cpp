// Draws the cells, their colours, and the legend.
#include <callisto/app/draw/svg_heat_map.hpp>

#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace callisto::app {
namespace {

constexpr double cell_width = 22;
constexpr double cell_height = 20;
constexpr double least_left_margin = 52;
constexpr double right_margin = 14;
constexpr double least_width = 216;  // room for the title and the notes
constexpr double title_line = 15;
constexpr double title_lines = 3;
constexpr double least_label_height = 46;  // least height of the columns' labels, which stand on end
constexpr double letter_width = 7.5;       // a letter's width in the widest fonts that stand for sans-serif
constexpr double note_line = 16;
constexpr double bottom_margin = 20;

struct colour {
  double red;
  double green;
  double blue;
};

/// The palette viridis at nine places, from dark to light.
constexpr std::array<colour, 9> viridis{{{68, 1, 84},
                                         {71, 44, 122},
                                         {59, 81, 139},
                                         {44, 113, 142},
                                         {33, 144, 141},
                                         {39, 173, 129},
                                         {92, 200, 99},
                                         {170, 220, 50},
                                         {253, 231, 37}}};

/// Returns the colour at `light`, from 0 (dark) to 1.
std::string colour_at(double light) {
  const double place = std::clamp(light, 0.0, 1.0) * static_cast<double>(viridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), viridis.size() - 2);
  const double part = place - static_cast<double>(below);
  const auto mix = [part](double a, double b) { return static_cast<int>(std::lround(a + part * (b - a))); };
  const colour& a = viridis[below];
  const colour& b = viridis[below + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue));
}

double lightness(const heat_scale& s, double value) { return std::log(s.high / value) / std::log(s.high / s.low); }

/// Returns the room that the longest of `labels` takes, but at least `least`.
double room_for(const std::vector<std::string>& labels, double least) {
  double longest = least;
  for (const std::string& label : labels) {
    longest = std::max(longest, letter_width * static_cast<double>(columns(label)) + 12);
  }
  return longest;
}

std::string text_at(double x, double y, std::string_view attributes, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, xml(text));
}

}  // namespace

svg_panel heat_map::render(const heat_scale& scale) const {
  const double grid_width = cell_width * static_cast<double>(columns.size());
  const double grid_height = cell_height * static_cast<double>(rows.size());
  const double left_margin = room_for(rows, least_left_margin);
  const double label_height = room_for(columns, least_label_height);
  const double top = title_lines * title_line + 8 + label_height;
  std::string out;
  std::size_t begin = 0;
  for (double line = 1; begin < title.size(); ++line) {
    const std::size_t slash = title.find('/', begin);
    const std::size_t end = slash == std::string::npos ? title.size() : slash + 1;
    out += text_at(left_margin, line * title_line, "class=\"small\" font-weight=\"600\"",
                   title.substr(begin, end - begin));
    begin = end;
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double x = left_margin + (static_cast<double>(c) + 0.5) * cell_width + 4;
    out += fmt::format("<text class=\"small\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\">{}</text>\n", x,
                       top - 6, xml(columns[c]));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = top + static_cast<double>(r) * cell_height;
    out += text_at(left_margin - 6, y + cell_height - 6, "class=\"small\" text-anchor=\"end\"", rows[r]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const cell& here = cells[r * columns.size() + c];
      if (!(here.value > 0) || !std::isfinite(here.value)) continue;
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}</title></rect>\n",
          left_margin + static_cast<double>(c) * cell_width, y, cell_width, cell_height,
          colour_at(lightness(scale, here.value)), xml(here.hint));
      if (here.at_least) {
        out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}\"/>\n",
                           left_margin + static_cast<double>(c) * cell_width + 5, y + cell_height - 5, cell_width - 10,
                           10 - cell_height);
      }
    }
  }
  out += fmt::format("<rect class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                     left_margin, top, grid_width, grid_height);
  double y = top + grid_height;
  for (const std::string& note : notes) out += text_at(left_margin, y += note_line, "class=\"small\"", note);
  return {std::max(left_margin + grid_width + right_margin, least_width), y + bottom_margin, std::move(out)};
}

svg_panel heat_legend(const heat_scale& scale, const std::string& words) {
  constexpr double left = 24;
  constexpr double strip = 480;
  constexpr int steps = 96;
  constexpr double top = 24;
  std::string out = text_at(left, 14, "class=\"small\"", words);
  for (int i = 0; i < steps; ++i) {
    // Each step is a little wider than its share, so that no seam shows.
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"14\" fill=\"{}\"/>\n",
                       left + strip * i / steps, top, strip / steps + 0.5, colour_at(1 - (i + 0.5) / steps));
  }
  for (double v = scale.low; v <= scale.high * 1.001; v *= 2) {
    const double x = left + strip * (1 - lightness(scale, v));
    out += fmt::format("<path class=\"axis\" d=\"M{:.1f} {}v4\"/>\n", x, top + 14);
    out += text_at(x, top + 32, "class=\"small\" text-anchor=\"middle\"",
                   v < 1 ? fmt::format("1/{:g}", 1 / v) : fmt::format("{:g}", v));
  }
  return {left + strip + left, top + 52, std::move(out)};
}

}  // namespace callisto::app
