// Charts as self-contained SVG: lines, levels and dots over linear and logarithmic axes, with a legend.
#pragma once

#include <callisto/app/draw/svg_page.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace callisto::app {

enum class axis_scale {
  linear,  ///< starts at 0
  log2,    ///< ticks at powers of two
  log10,   ///< ticks at round numbers such as 1, 2 and 5 times powers of ten
};

/// One chart with an x and a y axis. Values on logarithmic axes must be positive; points that are not, or are not
/// finite, are left out. Not thread-safe.
class svg_plot {
 public:
  struct axis {
    std::string label;
    axis_scale scale = axis_scale::linear;
  };
  struct point {
    double x;
    double y;
  };

  /// In user units, margins and a legend of two rows included; larger legends make it higher.
  struct extent {
    double width;
    double height;
  };

  svg_plot(std::string title, axis x, axis y, extent size = {560, 420})
      : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)), size_(size) {}

  /// A line through `points` in their order, with a marker on each. Series take colours and markers in turn.
  void add_line(std::string name, std::vector<point> points);

  /// Dots, of those that fall on the same place one, in the colour of the next series: for thousands of points.
  void add_dots(std::string name, std::vector<point> points);

  /// A dashed line at height `y` across the plot, in the colour of the next series.
  void add_level(std::string name, double y);

  svg_panel render() const;

 private:
  enum class shape {
    line,
    dots,
    level,  ///< points[0].y holds across the whole plot
  };
  struct series {
    std::string name;
    std::vector<point> points;
    shape kind;
  };
  class drawing;

  std::string title_;
  axis x_;
  axis y_;
  extent size_;
  std::vector<series> series_;
};

/// A document of plots (svg_page.hpp), `columns` of them in a row.
std::string svg_page(const std::string& title, const std::string& subtitle, std::span<const svg_plot> plots,
                     std::size_t columns = 2);

}  // namespace callisto::app
