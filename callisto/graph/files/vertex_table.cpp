// Reads and writes tables of vertices.
#include <callisto/graph/files/vertex_table.hpp>

#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/files/formats/collected_columns.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/quoted_lines.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/source.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/graph/files/write_text.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns the place of a vertex among all by label.
template <class Vertex>
std::optional<std::uint64_t> place_of(const csr_graph<Vertex>& graph, std::string_view name) {
  if (graph.names() != nullptr) return graph.names()->find(name);
  const auto number = formats::to_vertex_number(name);
  std::uint64_t first = 0;
  for (std::uint64_t last = graph.vertices(); number && first != last;) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (graph.label(graph.by_label(middle)) < *number) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (!number || first == graph.vertices() || graph.label(graph.by_label(first)) != *number) return std::nullopt;
  return first;
}

/// A cell, and whether it stood in quotes.
struct table_cell {
  std::string_view text;
  bool quoted;
};

/// Returns a name in quotes as a message shows it: letters of any language as they are.
std::string as_told(std::string_view name) {
  const bool plain = machine::is_utf8(name) && std::none_of(name.begin(), name.end(), [](char c) {
                       return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                     });
  return plain && name.size() <= 80 ? "'" + std::string(name) + "'" : input::shown(name);
}

std::vector<table_cell> cells_of(std::string_view line, char separator, std::deque<std::string>& unquoted) {
  std::vector<table_cell> cells;
  formats::column_reader reader(line, separator, unquoted);
  for (std::string_view cell;;) {
    const bool quoted = reader.rest().starts_with('"');
    if (!reader.next(cell)) return cells;
    cells.push_back({cell, quoted});
  }
}

/// The columns of a table by place of the vertex.
class vertex_table {
 public:
  vertex_table(std::string_view header, const attribute_choice& wanted) {
    const std::size_t cut = header.find_first_of(",\t;|");
    separator_ = cut == header.npos ? ',' : header[cut];
    if (separator_ != ',') columns_.allow_decimal_commas();
    std::deque<std::string> unquoted;
    for (const table_cell& cell : cells_of(header, separator_, unquoted)) names_.emplace_back(cell.text);
    for (std::size_t i = 1; i < names_.size(); ++i) {
      if (names_[i].empty()) names_[i] = "column" + std::to_string(i + 1);
      wanted_.push_back(wanted.has(names_[i]));
      if (wanted_.back()) columns_.declare(names_[i]);
    }
  }

  char separator() const noexcept { return separator_; }

  void take(std::uint64_t place, const std::vector<table_cell>& cells) {
    for (std::size_t i = 1; i < std::min(cells.size(), names_.size()); ++i) {
      if (wanted_[i - 1] && (!cells[i].text.empty() || cells[i].quoted)) {
        columns_.set(names_[i], place, cells[i].text);
      }
    }
  }

  column_list finish(std::uint64_t vertices, const run_control& control) {
    std::vector<std::uint64_t> same(vertices);
    for (std::uint64_t i = 0; i < vertices; ++i) same[i] = i;
    return columns_.finish(same, vertices, control);
  }

 private:
  char separator_ = ',';
  std::vector<std::string> names_;
  std::vector<bool> wanted_;  ///< by column behind the first
  formats::collected_columns columns_;
};

}  // namespace

any_graph with_vertex_table(any_graph graph, const std::string& path, const attribute_choice& wanted,
                            const run_control& control, std::vector<std::string>* notes) {
  read_report found;
  const std::string text = formats::without_quoted_line_breaks(
      formats::read_all_as_utf8(*input::open_source(path, {nullptr, control.stop}), found));
  for (const std::string& note : found.notes) {
    if (notes != nullptr) notes->push_back(path + " " + note);
  }
  input::line_reader lines(text, true);
  if (!lines.next()) throw input_error(path, 0, "is empty, expected a table of vertices with a header");
  vertex_table table(lines.line(), wanted);
  return std::visit(
      [&](auto& g) -> any_graph {
        std::vector<bool> seen(g.vertices());
        std::uint64_t others = 0;
        std::string first_other;
        while (lines.next()) {
          std::deque<std::string> unquoted;
          const auto cells = cells_of(lines.line(), table.separator(), unquoted);
          if (cells.empty()) continue;
          const auto place = place_of(g, cells.front().text);
          if (!place) {
            if (others++ == 0) first_other = as_told(cells.front().text);
            continue;
          }
          if (seen[*place]) {
            throw input_error(path, lines.number(), "names the vertex " + input::shown(cells.front().text) + " again");
          }
          seen[*place] = true;
          table.take(*place, cells);
        }
        const auto found = static_cast<std::uint64_t>(std::count(seen.begin(), seen.end(), true));
        std::string lacking;
        if (found != g.vertices()) {
          const auto first = static_cast<std::uint64_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
          g.append_name(lacking, g.by_label(first));
        }
        if (found == 0 && others != 0 && g.vertices() != 0) {
          throw input_error(path, 0,
                            "no line is of a vertex: column 1 must hold what vertices are called, such as " +
                                as_told(lacking) + "; the first line has " + first_other);
        }
        if (found != g.vertices() && notes != nullptr) {
          notes->push_back(path + ": " + std::to_string(g.vertices() - found) + " of " + std::to_string(g.vertices()) +
                           " vertices have no line in it, the first " + as_told(lacking));
        }
        if (others != 0 && notes != nullptr) {
          notes->push_back(path + ": " + input::counted(others, "line") +
                           " left out, whose vertices are not in the graph, the first " + first_other);
        }
        column_list columns = table.finish(g.vertices(), control);
        const auto& old = g.attributes();
        if (old != nullptr) {
          for (const auto& c : old->vertices) {
            if (find_column(columns, c->name) == nullptr) columns.push_back(c);
          }
        }
        auto all = attributes_of(std::move(columns), old != nullptr ? old->edges : column_list());
        return std::move(g).with_attributes(std::move(all));
      },
      graph);
}

void write_vertex_table(const any_graph& graph, const std::string& path) {
  machine::output_file file(path);
  std::visit(
      [&](const auto& g) {
        const column_list columns = g.attributes() != nullptr ? g.attributes()->vertices : column_list();
        std::string text = "vertex";
        for (const auto& c : columns) {
          text += ',';
          text_of::append_quoted(text, c->name, false);
        }
        text += '\n';
        constexpr std::size_t enough = std::size_t{1} << 20;
        for (std::uint64_t i = 0; i < g.vertices(); ++i) {
          std::string name;
          g.append_name(name, g.by_label(i));
          text_of::append_quoted(text, name, false);
          for (const auto& c : columns) {
            text += ',';
            if (c->type == column_type::text && c->has(i)) {
              text_of::append_quoted(text, c->text(i), false);
            } else {
              c->append(text, i);
            }
          }
          text += '\n';
          if (text.size() < enough) continue;
          file.append(text);
          text.clear();
        }
        file.append(text);
      },
      graph);
  file.commit();
}

}  // namespace callisto::graph
