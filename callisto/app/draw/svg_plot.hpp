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

/// One chart with an x and a y axis. Leaves out points that are not finite, and points that are not positive on a
/// logarithmic axis. Not thread-safe.
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

  /// A size in user units, which includes margins and a legend of two rows. A larger legend makes the chart higher.
  struct extent {
    double width;
    double height;
  };

  svg_plot(std::string title, axis x, axis y, extent size = {560, 420})
      : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)), size_(size) {}

  /// Adds a line through `points` in their order, with a marker on each. Series take colours and markers in turn.
  void add_line(std::string name, std::vector<point> points);

  /// Adds dots in the colour of the next series, for thousands of points. Points that fall on the same place share a
  /// dot.
  void add_dots(std::string name, std::vector<point> points);

  /// Adds a dashed line at height `y` across the plot, in the colour of the next series.
  void add_level(std::string name, double y);

  /// Returns the chart as a panel, as wide as `size` says.
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

/// Returns a document of plots (svg_page.hpp), with `columns` of them in a row.
std::string svg_page(const std::string& title, const std::string& subtitle, std::span<const svg_plot> plots,
                     std::size_t columns = 2);

}  // namespace callisto::app
