// Draws graphs as SVG.
#include <callisto/app/draw/svg_graph.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace callisto::app {

svg_panel draw_graph(std::span<const drawn_vertex> vertices, std::span<const drawn_edge> edges, double width,
                     double height) {
  constexpr double far = std::numeric_limits<double>::max();
  double left = far;
  double right = -far;
  double top = far;
  double bottom = -far;
  double margin = 0;
  for (const drawn_vertex& v : vertices) {
    left = std::min(left, v.x);
    right = std::max(right, v.x);
    top = std::min(top, v.y);
    bottom = std::max(bottom, v.y);
    margin = std::max(margin, v.radius + 2);
  }
  const double across = right - left;
  const double down = bottom - top;
  const double scale =
      std::min(across > 0 ? (width - 2 * margin) / across : far, down > 0 ? (height - 2 * margin) / down : far);
  const auto x = [&](const drawn_vertex& v) {
    return across > 0 ? width / 2 + (v.x - (left + right) / 2) * scale : width / 2;
  };
  const auto y = [&](const drawn_vertex& v) {
    return down > 0 ? height / 2 + (v.y - (top + bottom) / 2) * scale : height / 2;
  };

  svg_panel panel{width, height, {}};
  const auto out = std::back_inserter(panel.elements);
  for (const drawn_edge& e : edges) {
    const drawn_vertex& a = vertices[e.from];
    const drawn_vertex& b = vertices[e.to];
    fmt::format_to(out,
                   "<line class=\"axis\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
                   "style=\"stroke-width:{:.2f};stroke-opacity:.35\"/>\n",
                   x(a), y(a), x(b), y(b), e.width);
  }
  for (const drawn_vertex& v : vertices) {
    const std::string fill = v.colour < svg_colours ? fmt::format("class=\"f{}\"", v.colour) : "fill=\"#8a9096\"";
    fmt::format_to(out, "<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">", fill, x(v), y(v), v.radius);
    if (!v.hint.empty()) fmt::format_to(out, "<title>{}</title>", xml(v.hint));
    panel.elements += "</circle>\n";
  }
  for (const drawn_vertex& v : vertices) {
    if (v.label.empty()) continue;
    fmt::format_to(out, "<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x(v),
                   y(v) + 4, xml(v.label));
  }
  return panel;
}

}  // namespace callisto::app
