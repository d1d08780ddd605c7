#include <lab/simulate/cluster_figure.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/draw/svg_page.hpp>
#include <callisto/app/draw/svg_plot.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace callisto::lab {

std::string cluster_figure::words() const {
  std::string text = fmt::format("Simulated: {}\n", network);
  for (std::size_t c = 0; c != columns.size(); ++c) {
    if (!columns[c].is_shown) continue;
    std::vector<table::column> head{{fmt::format("{}, by {}", columns[c].words, varies), table::align::left}};
    for (const unsigned v : values) head.push_back({with_separators(v)});
    table rows(std::move(head));
    for (const series& s : all) {
      std::vector<std::string> cells{s.name};
      for (const auto& run : s.runs) cells.push_back(fmt::format("{:.3g}", run[c] * columns[c].scale));
      rows.add_row(std::move(cells));
    }
    text += rows.render(2) + '\n';
  }
  return text;
}

json cluster_figure::runs() const {
  json list = json::array();
  for (const series& s : all) {
    for (std::size_t i = 0; i != s.runs.size(); ++i) {
      json one{{"series", s.name}, {varies_key, values[i]}};
      for (std::size_t c = 0; c != columns.size(); ++c) one[columns[c].key] = s.runs[i][c];
      list.push_back(std::move(one));
    }
  }
  return list;
}

std::string cluster_figure::drawing(const std::string& below) const {
  std::vector<std::vector<svg_panel>> page(1);
  for (std::size_t c = 0; c != columns.size(); ++c) {
    const column& of = columns[c];
    if (!of.is_shown) continue;
    svg_plot plot(std::string("simulated: ") + of.words, {varies, axis_scale::log2},
                  {of.words, of.is_logarithmic ? axis_scale::log10 : axis_scale::linear});
    for (const series& s : all) {
      std::vector<svg_plot::point> points;
      for (std::size_t i = 0; i != s.runs.size(); ++i)
        if (const double y = s.runs[i][c] * of.scale; y > 0 || !of.is_logarithmic)
          points.push_back({static_cast<double>(values[i]), y});
      plot.add_line(s.name, std::move(points));
    }
    if (page.back().size() == 3) page.emplace_back();
    page.back().push_back(plot.render());
  }
  return svg_document(title, fmt::format("{}{}; simulated", network, below), page);
}

double cluster_figure::at(const std::string& of, const std::string& key, unsigned value) const {
  const auto line = std::ranges::find(all, of, &series::name);
  const auto of_key = std::ranges::find_if(columns, [&](const column& c) { return c.key == key; });
  const auto run = std::ranges::find(values, value);
  return line->runs[static_cast<std::size_t>(run - values.begin())][static_cast<std::size_t>(of_key - columns.begin())];
}

double cluster_figure::last(const std::string& of, const std::string& key) const { return at(of, key, values.back()); }

}  // namespace callisto::lab
