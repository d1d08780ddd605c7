// Finds and formats the labels of vertices.
#include <callisto/app/graph/label.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cstddef>

namespace callisto::app {
namespace {

/// Appends a name as a cell of a line: see append_label(). The name "-" begins with a backslash, for "-" alone is no
/// value.
void append_escaped(std::string& to, std::string_view name) {
  if (name == "-") to += '\\';
  for (const char c : name) {
    switch (c) {
      case '\t':
        to += "\\t";
        break;
      case '\n':
        to += "\\n";
        break;
      case '\r':
        to += "\\r";
        break;
      case '\\':
        to += "\\\\";
        break;
      default:
        to += c;
    }
  }
}

/// Returns the vertex with the number `label`.
std::uint64_t vertex_of_number(const graph::any_graph& graph, std::uint64_t label, std::string_view flag) {
  const auto label_at = [&](std::uint64_t i) {
    return std::visit([i](const auto& g) { return g.label(g.by_label(i)); }, graph);
  };
  const std::uint64_t vertices = std::visit([](const auto& g) { return g.vertices(); }, graph);
  std::uint64_t first = 0;
  for (std::uint64_t last = vertices; first != last;) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (label_at(middle) < label) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (first == vertices || label_at(first) != label) {
    throw usage_error(fmt::format("{}: expected a vertex of the graph, found '{}'; its vertices go from {} to {}", flag,
                                  label, label_at(0), label_at(vertices - 1)));
  }
  return by_label(graph, first);
}

}  // namespace

std::string vertex_label::text() const {
  const auto* const number = std::get_if<std::uint64_t>(&is_);
  return number != nullptr ? std::to_string(*number) : std::get<std::string>(is_);
}

vertex_label::operator json() const {
  return std::visit([](const auto& value) { return json(value); }, is_);
}

vertex_label::operator std::variant<std::uint64_t, double, std::string>() const {
  return std::visit([](const auto& value) { return std::variant<std::uint64_t, double, std::string>(value); }, is_);
}

vertex_label label_of(const graph::any_graph& graph, std::uint64_t v) {
  return std::visit(
      [v](const auto& g) {
        if (g.names() == nullptr) {
          const bool wide = g.label(g.by_label(g.vertices() - 1)) > largest_json_number;
          return wide ? vertex_label(std::to_string(g.label(v))) : vertex_label(g.label(v));
        }
        return vertex_label(std::string((*g.names())[g.label(v)]));
      },
      graph);
}

void append_label(std::string& line, const graph::any_graph& graph, std::uint64_t v) {
  std::visit(
      [&](const auto& g) {
        if (g.names() == nullptr) return g.append_name(line, v);
        append_escaped(line, (*g.names())[g.label(v)]);
      },
      graph);
}

std::string list_words(const std::vector<vertex_label>& labels) {
  std::string text;
  for (const vertex_label& label : labels) text += (text.empty() ? "" : ", ") + one_line(label.text());
  return text;
}

std::string arrows(const graph::any_graph& graph, const std::vector<std::uint64_t>& vertices) {
  constexpr std::size_t most_shown = 50;
  std::string text;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (i != 0) text += " -> ";
    if (vertices.size() > most_shown && i == most_shown / 2) {
      const std::size_t left_out = vertices.size() - most_shown;
      text += fmt::format("... ({} more) -> ", left_out);
      i += left_out;
    }
    text += one_line(label_of(graph, vertices[i]).text());
  }
  return text;
}

std::string cell_text(std::string_view cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] != '\\' || i + 1 == cell.size()) {
      text += cell[i];
      continue;
    }
    const char c = cell[++i];
    text += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return text;
}

std::string in_one_column(std::string_view name) {
  std::string text;
  append_escaped(text, name);
  return text;
}

std::uint64_t by_label(const graph::any_graph& graph, std::uint64_t i) {
  return std::visit([i](const auto& g) { return g.by_label(i); }, graph);
}

std::uint64_t vertex_of(const graph::any_graph& graph, std::string_view label, std::string_view flag) {
  const auto names = std::visit([](const auto& g) { return g.names(); }, graph);
  if (std::visit([](const auto& g) { return g.vertices(); }, graph) == 0) {
    throw usage_error(fmt::format("{}: the graph has no vertices", flag));
  }
  if (names == nullptr) return vertex_of_number(graph, parse_count(std::string(flag), std::string(label), 0), flag);
  // A terminal or a file of another encoding writes the same name in other bytes.
  const auto found = names->find(machine::as_utf8(label));
  if (!found) {
    // Vertices that share a name of --names are called "NAME (NUMBER)".
    std::string shared;
    std::uint64_t count = 0;
    const std::string begin = machine::as_utf8(label) + std::string(" (");
    for (std::uint64_t i = 0; i < names->size(); ++i) {
      const std::string_view name = (*names)[i];
      if (!name.starts_with(begin) || !name.ends_with(')')) continue;
      if (++count <= 3) shared += fmt::format("{}'{}'", count == 1 ? "" : ", ", name);
    }
    if (count != 0) {
      throw usage_error(fmt::format("{}: expected the name of a vertex, found '{}'; there {} {}{}", flag, label,
                                    count == 1 ? "is" : "are", shared, count > 3 ? ", ..." : ""));
    }
    throw usage_error(fmt::format("{}: expected the name of a vertex, found '{}'; names go from '{}' to '{}'", flag,
                                  label, (*names)[0], (*names)[names->size() - 1]));
  }
  return by_label(graph, *found);
}

}  // namespace callisto::app
