// Turns values into SVG elements: scales, ticks and markers.
#include <callisto/app/draw/svg_plot.hpp>

#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace callisto::app {
namespace {

// Distances from the edges of a plot to its plotting area.
constexpr double left_margin = 68;
constexpr double right_margin = 24;
constexpr double title_height = 30;
constexpr double legend_line = 20;
constexpr double bottom_margin = 52;
constexpr double legend_text = 34;  ///< from the beginning of a series' sample to its name

/// If a series has at most this many dots, they are drawn large.
constexpr std::size_t few_dots = 50;

/// Returns the width that a label of class `small` takes at most.
double label_width(std::string_view text) { return 6.6 * static_cast<double>(columns(text)); }

bool drawable(axis_scale kind, double v) { return std::isfinite(v) && (kind == axis_scale::linear || v > 0); }

}  // namespace

/// Maps the values of one axis onto [0, 1]. Not in the unnamed namespace: a class of the header has members of it.
class plot_scale {
 public:
  plot_scale(axis_scale kind, std::span<const double> values) : kind_(kind) {
    low_ = std::numeric_limits<double>::infinity();
    high_ = -low_;
    for (const double v : values) {
      low_ = std::min(low_, v);
      high_ = std::max(high_, v);
      whole_ = whole_ && v == std::floor(v);
    }
    if (!(low_ <= high_)) low_ = high_ = 1;
    if (kind_ == axis_scale::linear) {
      low_ = std::min(0.0, low_);
      if (high_ <= low_) high_ = low_ + 1;
      const double step = linear_step();
      high_ = std::ceil(high_ / step - 1e-9) * step;
    } else {
      // Room to the nearest tick would waste half of the plot; a little air at each end is enough.
      const double air = std::pow(high_ / low_, 0.04) * 1.02;
      if (whole_ && high_ - low_ < 1) {
        // One number of vertices: its neighbours are the ticks beside it.
        low_ = std::max(low_ - 1, low_ / 2);
        high_ += 1;
      }
      low_ /= air;
      high_ *= air;
    }
  }

  double operator()(double v) const {
    if (kind_ == axis_scale::linear) return (v - low_) / (high_ - low_);
    return std::log(v / low_) / std::log(high_ / low_);
  }

  std::vector<double> ticks() const {
    std::vector<double> out;
    if (kind_ == axis_scale::linear) {
      const double step = linear_step();
      for (double k = std::ceil(low_ / step); k * step <= high_ * (1 + 1e-9); ++k) out.push_back(k * step);
    } else if (kind_ == axis_scale::log2) {
      const double first = std::ceil(std::log2(low_));
      const double last = std::floor(std::log2(high_));
      const double step = std::max(1.0, std::ceil((last - first + 1) / 12));
      for (double k = first; k <= last; k += step) out.push_back(std::exp2(k));
    } else {
      // The narrower the range, the more digits have a tick.
      static constexpr std::array wide{1.0};
      static constexpr std::array medium{1.0, 2.0, 5.0};
      static constexpr std::array narrow{1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0};
      const double range = high_ / low_;
      const std::span<const double> digits = range > 1e4  ? std::span<const double>(wide)
                                             : range > 12 ? std::span<const double>(medium)
                                                          : std::span<const double>(narrow);
      for (double k = std::floor(std::log10(low_)); k <= std::ceil(std::log10(high_)); ++k) {
        for (const double digit : digits) {
          const double v = digit * std::pow(10, k);
          // Of whole numbers, none lies between two.
          if (v >= low_ && v <= high_ && (!whole_ || v == std::floor(v))) out.push_back(v);
        }
      }
      if (out.size() < 2 && whole_) {
        out.clear();
        const double step = std::max(1.0, linear_step());
        for (double k = std::ceil(low_ / step); k * step <= high_; ++k) out.push_back(k * step);
      }
      if (out.size() < 2) out = {low_, std::sqrt(low_ * high_), high_};
    }
    return out;
  }

 private:
  /// Returns the step, 1, 2 or 5 times a power of ten, that gives four to nine ticks.
  double linear_step() const {
    const double raw = (high_ - low_) / 6;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double digit = raw / power;
    return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
  }

  axis_scale kind_;
  double low_ = 0;
  double high_ = 1;
  bool whole_ = true;  ///< all values are whole numbers
};

namespace {

/// Returns a tick's label. Whole numbers have separators; other numbers have three digits. Whole thousands from 10,000
/// on and whole millions from 10 million on are abbreviated, such as "20 k". Longer labels would run into the axis's
/// title.
std::string tick_label(double v) {
  if (v >= 1e7 && v < 1e15 && std::fmod(v, 1e6) == 0) {
    return with_separators(static_cast<std::uint64_t>(v / 1e6)) + " M";
  }
  if (v >= 1e4 && v < 1e7 && std::fmod(v, 1e3) == 0) {
    return with_separators(static_cast<std::uint64_t>(v / 1e3)) + " k";
  }
  if (v >= 1 && v < 1e15 && std::fabs(v - std::round(v)) < 1e-9 * v) {
    return with_separators(static_cast<std::uint64_t>(std::llround(v)));
  }
  return fmt::format("{:.3g}", v);
}

/// True if the labels of the chosen ticks of an x axis leave room between them; `places` are the ticks' coordinates.
bool labels_fit(const std::vector<double>& ticks, const std::vector<double>& places, const std::vector<char>& chosen) {
  constexpr double gap = 8;
  double end = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (chosen[i] == 0) continue;
    const double half = label_width(tick_label(ticks[i])) / 2;
    if (places[i] - half < end + gap) return false;
    end = places[i] + half;
  }
  return true;
}

/// Chooses the ticks that get labels, so that the labels fit: all ticks, else the powers of ten, else every second,
/// every third, and so on.
std::vector<char> labels_that_fit(const std::vector<double>& ticks, const std::vector<double>& places) {
  std::vector<char> chosen(ticks.size(), 1);
  if (labels_fit(ticks, places, chosen)) return chosen;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double power = std::log10(ticks[i]);
    chosen[i] = ticks[i] > 0 && std::fabs(power - std::round(power)) < 1e-9 ? 1 : 0;
  }
  if (std::count(chosen.begin(), chosen.end(), 1) > 1 && labels_fit(ticks, places, chosen)) return chosen;
  for (std::size_t step = 2; step <= ticks.size(); ++step) {
    for (std::size_t i = 0; i < ticks.size(); ++i) chosen[i] = i % step == 0 ? 1 : 0;
    if (labels_fit(ticks, places, chosen)) break;
  }
  return chosen;
}

/// Returns the marker of series `index` at (x, y): circle, square, triangle and diamond in turn.
std::string marker(std::size_t index, double x, double y) {
  switch (index % 4) {
    case 0:
      return fmt::format(R"(<circle class="f{}" cx="{:.1f}" cy="{:.1f}" r="4"/>)", index % svg_colours, x, y);
    case 1:
      return fmt::format(R"(<rect class="f{}" x="{:.1f}" y="{:.1f}" width="7" height="7"/>)", index % svg_colours,
                         x - 3.5, y - 3.5);
    case 2:
      return fmt::format(R"(<path class="f{}" d="M{:.1f} {:.1f}l5 8.6h-10z"/>)", index % svg_colours, x, y - 5.5);
    default:
      return fmt::format(R"(<path class="f{}" d="M{:.1f} {:.1f}l5 5-5 5-5-5z"/>)", index % svg_colours, x, y - 5);
  }
}

}  // namespace

void svg_plot::add_line(std::string name, std::vector<point> points) {
  series_.push_back({std::move(name), std::move(points), shape::line});
}

void svg_plot::add_dots(std::string name, std::vector<point> points) {
  series_.push_back({std::move(name), std::move(points), shape::dots});
}

void svg_plot::add_level(std::string name, double y) { series_.push_back({std::move(name), {{0, y}}, shape::level}); }

/// One rendering of a plot: the places of its parts, and their elements.
class svg_plot::drawing {
 public:
  explicit drawing(const svg_plot& of)
      : of_(of),
        x_scale_(of.x_.scale, drawable_values(of, &point::x)),
        y_scale_(of.y_.scale, drawable_values(of, &point::y)),
        right_(of.size_.width - right_margin) {
    const bool long_names = std::any_of(of.series_.begin(), of.series_.end(), [&](const series& s) {
      return label_width(s.name) > (right_ - left_) / 2 - legend_text;
    });
    legend_columns_ = long_names ? 1 : 2;
    const double legend_rows = static_cast<double>((of.series_.size() + legend_columns_ - 1) / legend_columns_);
    // The rows of a legend beyond the second make the plot higher, so that the plotting area keeps its height.
    height_ = of.size_.height + std::max(0.0, legend_rows - 2) * legend_line;
    top_ = title_height + legend_rows * legend_line + 12;
    bottom_ = height_ - bottom_margin;
  }

  svg_panel render() const {
    std::string out = fmt::format("<text class=\"title\" x=\"{:.0f}\" y=\"18\">{}</text>\n", left_, xml(of_.title_));
    out += x_grid() + y_grid() + axes();
    for (std::size_t i = 0; i < of_.series_.size(); ++i) out += drawn_series(i);
    return {of_.size_.width, height_, std::move(out)};
  }

 private:
  /// The elements of a series in the plot. `look` is the class of its path, there and in the legend.
  struct drawn {
    std::string path;
    std::string markers = {};
    std::string_view look = "line";
  };

  /// Returns one coordinate of all points that can be drawn. A level has no x.
  static std::vector<double> drawable_values(const svg_plot& of, double point::* coordinate) {
    std::vector<double> all;
    for (const series& s : of.series_) {
      const bool level = s.kind == shape::level;
      for (const point& p : s.points) {
        if (!drawable(of.y_.scale, p.y) || (!level && !drawable(of.x_.scale, p.x))) continue;
        if (!level || coordinate == &point::y) all.push_back(p.*coordinate);
      }
    }
    return all;
  }

  bool can_draw(const point& p) const { return drawable(of_.x_.scale, p.x) && drawable(of_.y_.scale, p.y); }
  double at_x(double v) const { return left_ + x_scale_(v) * (right_ - left_); }
  double at_y(double v) const { return bottom_ - y_scale_(v) * (bottom_ - top_); }

  std::string x_grid() const {
    const std::vector<double> ticks = x_scale_.ticks();
    std::vector<double> places;
    for (const double v : ticks) places.push_back(at_x(v));
    const std::vector<char> labelled = labels_that_fit(ticks, places);
    std::string out;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", places[i], bottom_, top_);
      if (labelled[i] != 0) {
        out += fmt::format("<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                           places[i], bottom_ + 18, tick_label(ticks[i]));
      }
      out += '\n';
    }
    return out;
  }

  std::string y_grid() const {
    std::string out;
    for (const double v : y_scale_.ticks()) {
      out += fmt::format(
          "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/>"
          "<text class=\"small\" x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
          left_, at_y(v), right_, left_ - 8, at_y(v) + 4, tick_label(v));
    }
    return out;
  }

  std::string axes() const {
    return fmt::format("<path class=\"axis\" d=\"M{0:.1f} {2:.1f}V{3:.1f}H{1:.1f}\"/>\n", left_, right_, top_,
                       bottom_) +
           fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", (left_ + right_) / 2,
                       bottom_ + 40, xml(of_.x_.label)) +
           fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                       (bottom_ + top_) / 2, xml(of_.y_.label));
  }

  drawn level(const series& s) const {
    const double y = s.points[0].y;
    if (!drawable(of_.y_.scale, y)) return {.path = {}, .look = "line level"};
    return {.path = fmt::format("M{:.1f} {:.1f}H{:.1f}", left_, at_y(y), right_), .look = "line level"};
  }

  drawn line(const series& s, std::size_t index) const {
    drawn made;
    // From here on colours come again.
    if (index >= svg_colours) made.look = "line again";
    for (const point& p : s.points) {
      if (!can_draw(p)) continue;
      made.path += fmt::format("{}{:.1f} {:.1f}", made.path.empty() ? "M" : "L", at_x(p.x), at_y(p.y));
      made.markers += marker(index, at_x(p.x), at_y(p.y));
    }
    return made;
  }

  drawn dots(const series& s) const {
    drawn made;
    std::set<std::pair<long, long>> taken;
    for (const point& p : s.points) {
      if (!can_draw(p)) continue;
      const auto place = std::pair(std::lround(at_x(p.x)), std::lround(at_y(p.y)));
      if (taken.insert(place).second) made.path += fmt::format("M{} {}h0", place.first, place.second);
    }
    made.look = taken.size() <= few_dots ? "dots few" : "dots";
    return made;
  }

  /// Returns series `i` in the plot, and its sample and name in the legend.
  std::string drawn_series(std::size_t i) const {
    const series& s = of_.series_[i];
    const double row = title_height + static_cast<double>(i / legend_columns_) * legend_line + 4;
    const double column = left_ + static_cast<double>(i % legend_columns_) * (right_ - left_) / 2;
    const bool are_dots = s.kind == shape::dots;
    const drawn made = s.kind == shape::level ? level(s) : are_dots ? dots(s) : line(s, i);
    const std::string sample = s.kind == shape::line ? marker(i, column + 13, row) : std::string();
    return fmt::format("<path class=\"{} s{}\" d=\"{}\"/>{}\n", made.look, i % svg_colours, made.path, made.markers) +
           fmt::format(
               "<path class=\"{} s{}\" d=\"M{:.1f} {:.1f}{}\"/>{}"
               "<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
               made.look, i % svg_colours, column + (are_dots ? 5 : 0), row, are_dots ? "h0m8 0h0m8 0h0" : "h26",
               sample, column + legend_text, row + 4, xml(s.name));
  }

  const svg_plot& of_;
  plot_scale x_scale_;
  plot_scale y_scale_;
  double left_ = left_margin;
  double right_;
  std::size_t legend_columns_ = 2;
  double height_ = 0;
  double top_ = 0;     ///< upper edge of the plotting area
  double bottom_ = 0;  ///< lower edge of the plotting area
};

svg_panel svg_plot::render() const { return drawing(*this).render(); }

std::string svg_page(const std::string& title, const std::string& subtitle, std::span<const svg_plot> plots,
                     std::size_t columns) {
  std::vector<std::vector<svg_panel>> rows;
  for (std::size_t i = 0; i < plots.size(); ++i) {
    if (i % std::max<std::size_t>(1, columns) == 0) rows.emplace_back();
    rows.back().push_back(plots[i].render());
  }
  return svg_document(title, subtitle, rows);
}

}  // namespace callisto::app
