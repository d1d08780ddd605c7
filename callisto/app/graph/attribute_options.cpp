// Adds the options about attributes and conditions, and does what they say once a graph is read.
#include <callisto/app/graph/attribute_options.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/graph/label.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/files/vertex_table.hpp>
#include <callisto/graph/subgraph/subgraph.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

graph::attribute_choice parse_attributes(const std::string& text) {
  if (text == "all") return {.all = true};
  if (text == "none") return {};
  graph::attribute_choice chosen{.names = words_of(text)};
  if (std::any_of(chosen.names.begin(), chosen.names.end(), [](const std::string& name) { return name.empty(); })) {
    throw usage_error("--attributes: expected all, none or names of columns, found '" + text + "'");
  }
  return chosen;
}

/// Throws usage_error for the name of a column that the graph does not have.
void check_names(const graph::any_graph& graph, const std::vector<std::string>& names, const std::string& file) {
  std::visit(
      [&](const auto& g) {
        std::string known;
        const auto has = [&](const graph::column_list& columns, const std::string& name) {
          for (const auto& c : columns) known += (known.empty() ? "" : ", ") + c->name;
          return graph::find_column(columns, name) != nullptr;
        };
        for (const std::string& name : names) {
          known.clear();
          const auto& all = g.attributes();
          if (all != nullptr && (has(all->vertices, name) || has(all->edges, name))) continue;
          throw usage_error(fmt::format("--attributes: {} has no column '{}'{}", file, name,
                                        known.empty() ? "" : "; there are " + known));
        }
      },
      graph);
}

}  // namespace

void graph_input::add_attribute_options(const command_parser& parser) {
  constexpr const char* group = "Attributes of vertices and edges";
  add_parsed(
      parser, "--attributes", "NAMES", [this](const std::string& text) { attributes_ = parse_attributes(text); },
      "Further columns to read: all, none, or names separated by commas")
      .group(group)
      .words({"all", "none"})
      .more(
          "Without it `info`, `subgraph` and `convert` to a format that has attributes read all, other commands those "
          "that `--where` names. Columns of vertices stand behind the values in tables of `--output`.");
  parser
      .add_option("--vertex-table", vertex_table,
                  "Table with columns of the vertices: a header, then a line a vertex, its name or number first")
      .type_name("FILE")
      .group(group);
  parser
      .add_option("--where", where,
                  "Keep the vertices and edges for which CONDITION is true, such as\n"
                  "'city == \"Bern\" and weight > 2'")
      .type_name("CONDITION")
      .group(group)
      .more(
          "Parts joined by `and` speak of vertices or of edges. Edges that fail are left out, before repeats merge; "
          "vertices that fail are left out with their edges. Words: `and`, `or`, `not`, `==`, `!=`, `<`, `<=`, `>`, "
          "`>=`, `in (..., ...)`, `is missing`. A comparison with a missing value is not true, nor is its `not`. "
          "`weight` is the weight of an edge, `vertex` the name or number of a vertex; `edge.NAME` and `vertex.NAME` "
          "tell columns of one name apart.");
}

graph::attribute_choice graph_input::wanted_attributes() const {
  graph::attribute_choice wanted = attributes_.value_or(graph::attribute_choice{.all = uses_attributes()});
  if (!more_attributes) return wanted;
  for (std::string& name : more_attributes()) wanted.names.push_back(std::move(name));
  return wanted;
}

void graph_input::prepare_attributes(graph::load_options& how) const {
  how.read.attributes = wanted_attributes();
  if (where.empty()) return;
  how.where = std::make_shared<const graph::condition>(where);
  for (const std::string& name : how.where->names()) how.read.attributes.names.push_back(name);
}

void graph_input::finish_attributes(loaded_graph& loaded, const graph::load_options& how,
                                    const graph::run_control& context) const {
  const auto tell = [&](const std::string& note) {
    say(note);
    loaded.report.notes.push_back(note);
  };
  if (vertex_table) {
    std::vector<std::string> notes;
    graph::attribute_choice wanted = how.read.attributes;
    wanted.all = wanted.all || !attributes_;
    loaded.graph = graph::with_vertex_table(std::move(loaded.graph), *vertex_table, wanted, context, &notes);
    for (const std::string& note : notes) tell(note);
  }
  if (attributes_) check_names(loaded.graph, attributes_->names, vertex_table ? file + " or " + *vertex_table : file);
  if (how.where != nullptr) {
    const auto kept = how.where->kept_vertices(loaded.graph, context);
    if (!kept.empty()) {
      const auto count = std::count(kept.begin(), kept.end(), char{1});
      tell(fmt::format("--where keeps {} of {} vertices", with_separators(static_cast<std::uint64_t>(count)),
                       with_separators(kept.size())));
      graph::require_memory("--where", graph::needs::subgraph(loaded.graph));
      loaded.graph = std::visit(
          [&](const auto& g) { return graph::any_graph(graph::induced_subgraph(g, kept, context)); }, loaded.graph);
    }
    loaded.graph = graph::with_columns_chosen(std::move(loaded.graph), wanted_attributes());
  }
}

namespace {

std::string words_for(const graph::column& c, std::uint64_t missing) {
  return fmt::format("{} ({}{})", one_line(c.name), name_of(c.type),
                     missing != 0 ? ", " + with_separators(missing) + " missing" : std::string());
}

std::uint64_t count_missing(const graph::column& c) {
  std::uint64_t missing = 0;
  for (std::uint64_t i = 0; !c.validity.empty() && i < c.rows; ++i) missing += c.has(i) ? 0 : 1;
  return missing;
}

json to_json(const graph::column_list& columns) {
  json all = json::array();
  for (const auto& c : columns) {
    all.push_back({{"name", c->name}, {"type", name_of(c->type)}, {"missing", count_missing(*c)}});
  }
  return all;
}

std::shared_ptr<const graph::graph_attributes> attributes_of(const graph::any_graph& graph) {
  auto all = std::visit([](const auto& g) { return g.attributes(); }, graph);
  return all != nullptr ? all : std::make_shared<const graph::graph_attributes>();
}

}  // namespace

json describe_attributes(const graph::any_graph& graph) {
  const auto all = attributes_of(graph);
  return {{"vertices", to_json(all->vertices)}, {"edges", to_json(all->edges)}};
}

void describe_attributes(const graph::any_graph& graph, table& rows) {
  const auto all = attributes_of(graph);
  for (const auto& [name, columns] : {std::pair("vertex columns", &all->vertices), {"edge columns", &all->edges}}) {
    std::string text;
    for (const auto& c : *columns) text += (text.empty() ? "" : ", ") + words_for(*c, count_missing(*c));
    if (!text.empty()) rows.add_row({name, text});
  }
}

std::vector<std::string> names_of_vertex_columns(const graph::any_graph& graph) {
  const auto all = attributes_of(graph);
  std::vector<std::string> names;
  for (const auto& c : all->vertices) names.push_back(as_row(in_one_column(c->name), ','));
  return names;
}

std::string with_vertex_columns(const std::string& lines, const ranking& top, const graph::any_graph& graph) {
  const auto all = attributes_of(graph);
  const std::uint64_t vertices = size_of(graph).vertices;
  std::vector<std::uint64_t> places(vertices);
  for (std::uint64_t i = 0; i < vertices; ++i) places[by_label(graph, i)] = i;
  std::string text;
  std::size_t begin = 0;
  for (const auto& row : top.rows) {
    const std::size_t end = lines.find('\n', begin);
    text.append(lines, begin, end - begin);
    begin = end + 1;
    const std::uint64_t place = places[vertex_of(graph, row.front())];
    for (const auto& c : all->vertices) {
      text += '\t';
      std::string cell;
      c->append(cell, place);
      text += c->has(place) ? in_one_column(cell) : "-";
    }
    text += '\n';
  }
  return text;
}

void add_vertex_columns(analysis& found, const graph::any_graph& graph) {
  const auto all = attributes_of(graph);
  if (all->vertices.empty() || !found.append_values) return;
  const std::uint64_t vertices = size_of(graph).vertices;
  const auto places = std::make_shared<std::vector<std::uint64_t>>(vertices);
  for (std::uint64_t i = 0; i < vertices; ++i) (*places)[by_label(graph, i)] = i;
  for (const auto& c : all->vertices) found.columns.push_back(as_row(in_one_column(c->name), ','));
  found.append_values = [values = std::move(found.append_values), all, places](std::string& line, std::uint64_t v) {
    values(line, v);
    for (const auto& c : all->vertices) {
      line += '\t';
      std::string text;
      c->append(text, (*places)[v]);
      line += c->has((*places)[v]) ? in_one_column(text) : "-";
    }
  };
}

}  // namespace callisto::app
