// Reads places, colours and names from columns of vertices.
#include <callisto/app/graph/drawn_columns.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/label.hpp>
#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string_view>
#include <variant>

namespace callisto::app {
namespace {

struct axis_names {
  const char* x;
  const char* y;
  bool degrees;
};
constexpr std::array<axis_names, 6> axes{{{"x", "y", false},
                                          {"lon", "lat", true},
                                          {"lng", "lat", true},
                                          {"long", "lat", true},
                                          {"longitude", "latitude", true},
                                          {"Longitude", "Latitude", true}}};
constexpr const char* dot_places = "pos";

const graph::column_list& vertex_columns(const graph::any_graph& graph) {
  static const graph::column_list none;
  return std::visit(
      [](const auto& g) -> const graph::column_list& {
        return g.attributes() == nullptr ? none : g.attributes()->vertices;
      },
      graph);
}

const graph::column& column_called(const graph::any_graph& graph, const std::string& name, const std::string& flag) {
  const graph::column* found = graph::find_column(vertex_columns(graph), name);
  if (found != nullptr) return *found;
  std::string known;
  for (const auto& c : vertex_columns(graph)) known += (known.empty() ? "" : ", ") + c->name;
  throw usage_error(fmt::format("{}: vertices have no column '{}'{}", flag, one_line(name),
                                known.empty() ? "" : "; there are " + one_line(known)));
}

/// Returns the number in row i; nothing if there is none.
std::optional<double> number_in(const graph::column& c, std::uint64_t i) {
  if (!c.has(i)) return std::nullopt;
  double value = 0;
  switch (c.type) {
    case graph::column_type::whole:
      value = static_cast<double>(c.whole(i));
      break;
    case graph::column_type::real:
      value = c.real(i);
      break;
    default:
      return std::nullopt;
  }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Returns the place in a text "27,18" or "27,18!".
std::optional<graph::layout_point> place_in(std::string_view text) {
  graph::layout_point p;
  const char* const end = text.data() + text.size();
  const auto x = std::from_chars(text.data(), end, p.x);
  if (x.ec != std::errc() || x.ptr == end || *x.ptr != ',') return std::nullopt;
  const auto y = std::from_chars(x.ptr + 1, end, p.y);
  if (y.ec != std::errc() || (y.ptr != end && *y.ptr != '!' && *y.ptr != ',')) return std::nullopt;
  return p;
}

/// Returns the places that `place` gives for each row, turned so that y grows downwards; nothing if one lacks, or all
/// are the same.
template <class Place>
std::optional<std::vector<graph::layout_point>> places_by(const graph::any_graph& graph, const Place& place) {
  std::vector<graph::layout_point> at(size_of(graph).vertices);
  bool differ = false;
  for (std::uint64_t i = 0; i < at.size(); ++i) {
    const std::optional<graph::layout_point> p = place(i);
    if (!p) return std::nullopt;
    const std::uint64_t v = by_label(graph, i);
    at[v] = {p->x, -p->y};
    const std::uint64_t first = by_label(graph, 0);
    differ = differ || at[v].x != at[first].x || at[v].y != at[first].y;
  }
  if (!differ) return std::nullopt;
  return at;
}

std::string vertices_words(std::uint64_t count) {
  return with_separators(count) + (count == 1 ? " vertex" : " vertices");
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

std::vector<std::string> columns_of_places() {
  std::vector<std::string> names{dot_places};
  for (const axis_names& a : axes) {
    names.emplace_back(a.x);
    names.emplace_back(a.y);
  }
  return names;
}

std::optional<given_places> places_in(const graph::any_graph& graph) {
  const graph::column_list& columns = vertex_columns(graph);
  for (const axis_names& a : axes) {
    const graph::column* x = graph::find_column(columns, a.x);
    const graph::column* y = graph::find_column(columns, a.y);
    if (x == nullptr || y == nullptr) continue;
    auto at = places_by(graph, [&](std::uint64_t i) -> std::optional<graph::layout_point> {
      const auto across = number_in(*x, i);
      const auto up = number_in(*y, i);
      if (!across || !up) return std::nullopt;
      return graph::layout_point{*across, *up};
    });
    if (!at) continue;
    if (a.degrees) {
      const auto [low, high] = std::minmax_element(at->begin(), at->end(), [](auto& p, auto& q) { return p.y < q.y; });
      const double narrow = std::cos((low->y + high->y) / 2 * std::numbers::pi / 180);
      for (graph::layout_point& p : *at) p.x *= std::max(narrow, 0.05);
    }
    return given_places{std::move(*at), fmt::format("the columns {} and {}", a.x, a.y)};
  }
  const graph::column* pos = graph::find_column(columns, dot_places);
  if (pos == nullptr || pos->type != graph::column_type::text) return std::nullopt;
  auto at = places_by(graph, [&](std::uint64_t i) { return pos->has(i) ? place_in(pos->text(i)) : std::nullopt; });
  if (!at) return std::nullopt;
  return given_places{std::move(*at), fmt::format("the column {}", dot_places)};
}

column_colours colours_by(const graph::any_graph& graph, const std::string& name, const std::string& flag) {
  const graph::column& c = column_called(graph, name, flag);
  const std::uint64_t vertices = size_of(graph).vertices;
  column_colours found;
  found.of.assign(vertices, svg_group_colours);
  found.words.resize(vertices);
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t missing = 0;
  for (std::uint64_t i = 0; i < vertices; ++i) {
    std::string& words = found.words[by_label(graph, i)];
    c.append(words, i);
    words = one_line(words);
    c.has(i) ? void(++counts[words]) : void(++missing);
  }
  const bool number = c.type == graph::column_type::whole || c.type == graph::column_type::real;
  if (number && counts.size() > svg_group_colours) {
    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();
    for (std::uint64_t i = 0; i < vertices; ++i) {
      if (const auto value = number_in(c, i)) {
        low = std::min(low, *value);
        high = std::max(high, *value);
      }
    }
    const double step = (high - low) / svg_steps;
    for (std::uint64_t i = 0; i < vertices; ++i) {
      const auto value = number_in(c, i);
      if (!value) continue;
      const double at = step > 0 ? (*value - low) / step : 0;
      found.of[by_label(graph, i)] = svg_first_step + std::min(static_cast<std::size_t>(at), svg_steps - 1);
    }
    for (std::size_t s = 0; s < svg_steps; ++s) {
      found.legend.emplace_back(svg_first_step + s, short_number(low + step * static_cast<double>(s)) + " to " +
                                                        short_number(low + step * static_cast<double>(s + 1)));
    }
    if (missing != 0) found.others = "no value: " + vertices_words(missing);
    return found;
  }
  std::vector<std::pair<std::string, std::uint64_t>> values(counts.begin(), counts.end());
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::map<std::string, std::size_t> colour;
  std::uint64_t grey = missing;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i < svg_group_colours) {
      colour[values[i].first] = i;
      found.legend.emplace_back(
          i, (values[i].first.empty() ? "empty" : values[i].first) + ": " + vertices_words(values[i].second));
    } else {
      grey += values[i].second;
    }
  }
  for (std::uint64_t i = 0; i < vertices; ++i) {
    const std::uint64_t v = by_label(graph, i);
    const auto at = c.has(i) ? colour.find(found.words[v]) : colour.end();
    if (at != colour.end()) found.of[v] = at->second;
  }
  if (grey != 0) {
    found.others = values.size() > svg_group_colours
                       ? fmt::format("{} more values, or none: {}", with_separators(values.size() - svg_group_colours),
                                     vertices_words(grey))
                       : "no value: " + vertices_words(grey);
  }
  return found;
}

std::vector<std::string> texts_in(const graph::any_graph& graph, const std::string& name, const std::string& flag) {
  const graph::column& c = column_called(graph, name, flag);
  std::vector<std::string> texts(size_of(graph).vertices);
  for (std::uint64_t i = 0; i < texts.size(); ++i) c.append(texts[by_label(graph, i)], i);
  return texts;
}

void write_places(const std::string& path, const graph::any_graph& graph, const std::vector<graph::layout_point>& at) {
  machine::output_file file(path);
  const char separator = path.ends_with(".csv") || path.ends_with(".csv.gz") ? ',' : '\t';
  std::string text = fmt::format("vertex{0}x{0}y\n", separator);
  for (std::uint64_t i = 0; i < at.size(); ++i) {
    const std::uint64_t v = by_label(graph, i);
    std::string line;
    append_label(line, graph, v);
    line += fmt::format("\t{:.6g}\t{:.6g}", at[v].x, at[v].y == 0 ? 0.0 : -at[v].y);
    text += as_row(line, separator) + '\n';
    constexpr std::size_t enough = std::size_t{1} << 20;
    if (text.size() < enough && i + 1 != at.size()) continue;
    file.append(text);
    text.clear();
  }
  file.append(text);
  file.commit();
}

}  // namespace callisto::app
