// Draws graphs as SVG.
#include <callisto/app/draw/svg_graph.hpp>

#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace callisto::app {
namespace {

struct box {
  double left;
  double right;
  double top;
  double bottom;

  bool overlaps(const box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// Returns the class of text on a fill of that colour, behind a blank; empty for `svg_other_fill`.
std::string ink_class(std::size_t colour) {
  if (colour < svg_group_colours) return fmt::format(" og{}", colour);
  if (colour >= svg_first_step && colour < svg_first_step + svg_steps)
    return fmt::format(" oq{}", colour - svg_first_step);
  return {};
}

/// A place for a name: the box of its letters.
struct name_place {
  box at;
  bool inside;  ///< of the circle

  /// Returns the text there.
  std::string text(const drawn_vertex& v) const {
    const double baseline = (at.top + at.bottom) / 2 + 4;
    if (!inside) {
      return fmt::format("<text class=\"small name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at.left, baseline,
                         xml(v.label));
    }
    return fmt::format("<text class=\"small inside{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       ink_class(v.colour), (at.left + at.right) / 2, baseline, xml(v.label));
  }
};

/// Returns where the name of the circle at (x, y) can stand, best first: inside of it if it fits; else right, left,
/// below and above.
std::vector<name_place> places_of(const drawn_vertex& v, double x, double y) {
  constexpr double column = 6.6;  // about the mean width of a letter
  // Letters of wide fonts, and the rim of the circle: a name that touches it is hard to read.
  constexpr double widest = 1.2;
  constexpr double half = 6.5;  // of a line
  const double wide = column * static_cast<double>(columns(v.label));
  const auto place = [&](double left, double middle, bool inside = false) {
    return name_place{{left, left + wide, middle - half, middle + half}, inside};
  };
  if (widest * wide <= 2 * v.radius) return {place(x - wide / 2, y, true)};
  const double gap = v.radius + 2;
  return {place(x + gap, y), place(x - gap - wide, y), place(x - wide / 2, y + gap + half),
          place(x - wide / 2, y - gap - half)};
}

/// Adds the names of circles, of the largest first, that do not overlap each other. A name keeps off the other circles
/// where it can.
template <class X, class Y>
void add_names(svg_panel& panel, std::span<const drawn_vertex> vertices, const X& x, const Y& y) {
  // More pairs of a name and a circle would take longer to look at than the drawing.
  constexpr std::size_t most_pairs = 4'000'000;
  std::vector<const drawn_vertex*> named;
  for (const drawn_vertex& v : vertices) {
    if (!v.label.empty()) named.push_back(&v);
  }
  std::ranges::stable_sort(named, std::ranges::greater(), [](const drawn_vertex* v) { return v->radius; });
  const bool few = named.size() * vertices.size() <= most_pairs;
  std::vector<box> taken;
  for (const drawn_vertex* v : named) {
    const auto on_other_circle = [&](const box& at) {
      return few && std::ranges::any_of(vertices, [&](const drawn_vertex& other) {
               const double r = other.radius;
               return &other != v && at.overlaps({x(other) - r, x(other) + r, y(other) - r, y(other) + r});
             });
    };
    const name_place* best = nullptr;
    const std::vector<name_place> places = places_of(*v, x(*v), y(*v));
    for (const name_place& p : places) {
      const bool outside = p.at.left < 0 || p.at.right > panel.width || p.at.top < 0 || p.at.bottom > panel.height;
      if (outside || std::ranges::any_of(taken, [&](const box& other) { return p.at.overlaps(other); })) continue;
      const bool clear = p.inside || !on_other_circle(p.at);
      if (best == nullptr || clear) best = &p;
      if (clear) break;
    }
    if (best == nullptr) continue;
    taken.push_back(best->at);
    panel.elements += best->text(*v);
  }
}

}  // namespace

std::string svg_fill(std::size_t colour) {
  if (colour < svg_group_colours) return fmt::format("class=\"g{}\"", colour);
  if (colour >= svg_first_step && colour < svg_first_step + svg_steps) {
    return fmt::format("class=\"q{}\"", colour - svg_first_step);
  }
  return fmt::format("fill=\"{}\"", svg_other_fill);
}

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
  // A path holds many lines of one width; viewers take the square of its length.
  constexpr std::size_t longest = 4000;
  std::map<double, std::string> paths;
  const auto end_path = [&](double line, std::string& path) {
    fmt::format_to(out, "<path class=\"edge\" style=\"stroke-width:{:.2f}\" d=\"{}\"/>\n", line, path);
    path.clear();
  };
  std::string heads;
  const auto end_heads = [&] {
    fmt::format_to(out, "<path class=\"arrow\" d=\"{}\"/>\n", heads);
    heads.clear();
  };
  for (const drawn_edge& e : edges) {
    const drawn_vertex& a = vertices[e.from];
    const drawn_vertex& b = vertices[e.to];
    std::string& path = paths[e.width];
    const double long_x = x(b) - x(a);
    const double long_y = y(b) - y(a);
    const double length = std::hypot(long_x, long_y);
    const double head = 4 + 2 * e.width;
    if (!e.arrow || length <= b.radius + head) {
      fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}L{:.1f} {:.1f}", x(a), y(a), x(b), y(b));
    } else {
      // The head touches the circle, and the line ends where the head begins.
      const double ux = long_x / length;
      const double uy = long_y / length;
      const double tip_x = x(b) - ux * b.radius;
      const double tip_y = y(b) - uy * b.radius;
      const double back_x = tip_x - ux * head;
      const double back_y = tip_y - uy * head;
      const double side = head / 2;
      fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}L{:.1f} {:.1f}", x(a), y(a), back_x, back_y);
      fmt::format_to(std::back_inserter(heads), "M{:.1f} {:.1f}L{:.1f} {:.1f} {:.1f} {:.1f}z", tip_x, tip_y,
                     back_x - uy * side, back_y + ux * side, back_x + uy * side, back_y - ux * side);
      if (heads.size() > longest) end_heads();
    }
    if (path.size() > longest) end_path(e.width, path);
  }
  for (auto& [line, path] : paths) {
    if (!path.empty()) end_path(line, path);
  }
  if (!heads.empty()) end_heads();
  for (const drawn_vertex& v : vertices) {
    fmt::format_to(out, "<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", svg_fill(v.colour), x(v), y(v),
                   v.radius);
    if (!v.name.empty()) fmt::format_to(out, " data-n=\"{}\"", xml(v.name));
    panel.elements += '>';
    if (!v.hint.empty()) fmt::format_to(out, "<title>{}</title>", xml(v.hint));
    panel.elements += "</circle>\n";
  }
  add_names(panel, vertices, x, y);
  return panel;
}

}  // namespace callisto::app
