// Writes attributes as elements of XML, keys of GML and cells of a table.
#include <callisto/graph/files/write_attributes.hpp>

#include <callisto/graph/files/formats/header_words.hpp>
#include <callisto/graph/files/formats/table_attributes.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/graph/files/write_text.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace callisto::graph {
namespace {

using namespace text_of;

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Returns a name as a key of GML: letters, digits and "_", a letter first, and none that has a meaning.
std::string gml_key(std::string_view name) {
  constexpr std::array<std::string_view, 6> taken{"id", "label", "source", "target", "weight", "value"};
  std::string key;
  for (const char c : name) key += is_letter(c) || (c >= '0' && c <= '9') ? c : '_';
  if (key.empty() || !is_letter(key.front())) key = "a" + key;
  if (std::find(taken.begin(), taken.end(), input::lower_case(key)) != taken.end()) key += '_';
  return key;
}

/// Returns a name for GraphML that is read as neither a vertex's name nor a weight.
std::string graphml_name(const std::string& name, bool edges) {
  const bool has_meaning = edges ? input::lower_case(name) == "weight" : name == "label" || name == "name";
  return has_meaning ? name + "_" : name;
}

/// Returns a name for JSON that readers take neither for an end or a name nor for a weight or a list of attributes.
std::string json_name(const std::string& name) {
  constexpr std::array<std::string_view, 23> taken{
      "id",         "name",     "label",      "key",    "source", "target",   "from",  "to",
      "src",        "dst",      "start",      "end",    "_to",    "data",     "_from", "position",
      "attributes", "metadata", "undirected", "weight", "value",  "directed", ""};
  const bool has_meaning =
      std::find(taken.begin(), taken.end(), name) != taken.end() || input::lower_case(name) == "weight";
  return has_meaning ? name + "_" : name;
}

std::string without_backslashes(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '\\', '_');
  return text;
}

/// Returns a name for DOT: its readers take "label" of a vertex for a name.
std::string dot_name(const std::string& name, bool edges) {
  const bool has_meaning = edges ? name == "weight" : name == "label";
  return has_meaning || name.find('\\') != name.npos ? without_backslashes(name) + "_" : name;
}

/// Returns a name as a key of Pajek, one word that is no number.
std::string pajek_key(std::string_view name) {
  std::string key;
  for (const char c : name) key += is_letter(c) || (c >= '0' && c <= '9') || (c & '\x80') != 0 ? c : '_';
  return key.empty() || (key.front() >= '0' && key.front() <= '9') ? "a" + key : key;
}

/// True for a column of numbers that a format holds as texts: other programs round large whole numbers of JSON, and no
/// format but XML, GML and tables has an infinity.
bool becomes_text(const column& c, file_format format) {
  const bool json = format == file_format::node_link;
  if (!json && format != file_format::dot && format != file_format::pajek) return false;
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  for (std::uint64_t i = 0; i < c.rows; ++i) {
    if (!c.has(i)) continue;
    if (json && c.type == column_type::whole && (c.whole(i) > exact || c.whole(i) < -exact)) return true;
    if (c.type == column_type::real && std::isinf(c.real(i))) return true;
  }
  return false;
}

std::string_view xml_type(column_type type) noexcept {
  switch (type) {
    case column_type::whole:
      return "long";
    case column_type::real:
      return "double";
    case column_type::truth:
      return "boolean";
    case column_type::text:
      return "string";
  }
  __builtin_unreachable();
}

/// Returns a line of `what` and the names, the first eight of them.
std::string listed(std::string_view what, const std::vector<std::string>& names) {
  std::string text(what);
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? " " : ", ") + input::shown(names[i]);
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

bool has_values(const column& c) {
  for (std::uint64_t i = 0; i < c.rows; ++i) {
    if (c.has(i)) return true;
  }
  return false;
}

/// True if this column of text comes back from a table with another type: none of its values shows the type.
bool changes_type(const column& c) {
  column_cells values;
  for (std::uint64_t i = 0; i < c.rows; ++i) {
    if (!c.has(i)) continue;
    values.add(c.text(i));
    constexpr std::uint64_t some = 64;
    if (values.size() == some && column_of("", std::span(&values, 1))->type == column_type::text) return false;
  }
  return column_of("", std::span(&values, 1))->type != column_type::text;
}

}  // namespace

bool holds_vertex_columns(file_format format) noexcept {
  return format == file_format::graphml || format == file_format::gexf || format == file_format::gml ||
         format == file_format::node_link || format == file_format::dot || format == file_format::pajek;
}

bool holds_edge_columns(file_format format) noexcept {
  return holds_vertex_columns(format) || format == file_format::table;
}

bool holds_attributes(file_format format) noexcept { return holds_edge_columns(format); }

attribute_writer::attribute_writer(const graph_attributes* all, std::span<const vertex_attribute> found,
                                   file_format format)
    : found_(found), format_(format) {
  const bool xml = format == file_format::graphml || format == file_format::gexf;
  if (!xml) found_ = {};
  if (all == nullptr) return;
  if (holds_vertex_columns(format)) vertices_ = named(all->vertices, false);
  if (holds_edge_columns(format)) edges_ = named(all->edges, true);
}

attribute_writer::columns attribute_writer::named(const column_list& list, bool edges) const {
  columns all;
  std::set<std::string, std::less<>> taken;
  for (const vertex_attribute& result : found_) taken.insert(result.name);
  for (const auto& c : list) {
    check(*c);
    const std::string given = format_ == file_format::gml         ? gml_key(c->name)
                              : format_ == file_format::graphml   ? graphml_name(c->name, edges)
                              : format_ == file_format::node_link ? json_name(c->name)
                              : format_ == file_format::dot       ? dot_name(c->name, edges)
                              : format_ == file_format::pajek     ? pajek_key(c->name)
                                                                  : c->name;
    std::string name = given;
    for (int n = 2; !taken.insert(name).second; ++n) name = given + "_" + std::to_string(n);
    all.push_back({c.get(), std::move(name), c->type == column_type::text || becomes_text(*c, format_)});
  }
  return all;
}

void attribute_writer::check(const column& c) const {
  const auto refuse = [&](std::string_view fault) {
    throw usage_error("column " + input::shown(c.name) + " holds " + std::string(fault) + ", which " +
                      std::string(name_of(format_)) + " cannot hold (.cg holds all texts)");
  };
  if (const std::string_view fault = fault_of(c.name, format_); !fault.empty()) refuse(fault);
  if (c.type != column_type::text) return;
  const std::uint64_t wrong = parallel_reduce(
      std::uint64_t{0}, c.rows, c.rows,
      [&](std::uint64_t i) {
        return !c.has(i) || c.text(i).empty() || fault_of(c.text(i), format_).empty() ? c.rows : i;
      },
      [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
  if (wrong != c.rows) refuse(fault_of(c.text(wrong), format_));
}

std::string attribute_writer::declared(const columns& all, bool edges) const {
  const bool gexf = format_ == file_format::gexf;
  const std::size_t results = edges ? 0 : found_.size();
  if (all.empty() && results == 0) return {};
  const std::string owner = edges ? "edge" : "node";
  std::string text = gexf ? "    <attributes class=\"" + owner + "\">\n" : "";
  for (std::size_t i = 0; i < results + all.size(); ++i) {
    const bool is_result = i < results;
    const std::string id = std::to_string(i);
    text += gexf ? "      <attribute id=\"" + id + "\" title=\""
                 : "  <key id=\"" + std::string(edges ? "e" : "v") + id + "\" for=\"" + owner + "\" attr.name=\"";
    append_escaped(text, is_result ? found_[i].name : all[i - results].name);
    text += gexf ? "\" type=\"" : "\" attr.type=\"";
    text += is_result ? (found_[i].number ? "double" : "string") : xml_type(all[i - results].values->type);
    text += "\"/>\n";
  }
  return gexf ? text + "    </attributes>\n" : text;
}

std::string attribute_writer::declared() const { return declared(vertices_, false) + declared(edges_, true); }

std::string attribute_writer::header_cells() const {
  std::string text;
  for (const written& c : edges_) {
    text += ',';
    append_quoted(text, c.name, false);
  }
  return text;
}

void attribute_writer::append_values(std::string& text, const columns& all, std::string_view key,
                                     std::uint64_t row) const {
  const bool gexf = format_ == file_format::gexf;
  const std::size_t results = key == "v" ? found_.size() : 0;
  const bool placed = key == "v" && has_places(row);
  if (gexf) text += "<attvalues>";
  for (std::size_t i = 0; i < results + all.size(); ++i) {
    const written* c = i < results ? nullptr : &all[i - results];
    if (c != nullptr && !c->values->has(row)) continue;
    if (placed && is_place(*c)) continue;
    std::string value;
    if (c != nullptr) {
      c->values->append(value, row);
    } else {
      found_[i].append(value, row);
      if (value.empty()) continue;
    }
    if (format_ == file_format::node_link || format_ == file_format::dot || format_ == file_format::pajek) {
      append_pair(text, *c, value, row);
      continue;
    }
    if (format_ == file_format::gml) {
      text += ' ' + c->name + ' ';
      if (c->values->type == column_type::truth) {
        text += c->values->truth(row) ? '1' : '0';
      } else if (c->values->type == column_type::text) {
        text += '"';
        append_ascii(text, value);
        text += '"';
      } else {
        text += value;
      }
      continue;
    }
    text += gexf ? "<attvalue for=\"" : "<data key=\"";
    if (!gexf) text += key;
    append_number(text, i);
    text += gexf ? "\" value=\"" : "\">";
    append_escaped(text, value);
    text += gexf ? "\"/>" : "</data>";
  }
  if (gexf) text += "</attvalues>";
}

void attribute_writer::append_pair(std::string& text, const written& c, std::string_view value,
                                   std::uint64_t row) const {
  if (format_ == file_format::node_link) {
    text += ", ";
    append_json(text, c.name);
    text += ": ";
    if (c.as_text) return append_json(text, value);
    text += value;
  } else if (format_ == file_format::dot) {
    if (text.back() != '[') text += ", ";
    append_dot_id(text, c.name);
    text += '=';
    if (c.as_text) {
      append_dot_text(text, value);
    } else if (value.find('e') != value.npos && c.values->type == column_type::real) {
      append_dot_number(text, c.values->real(row));
    } else {
      text += value;
    }
  } else {
    text += ' ' + c.name + ' ';
    if (c.as_text) return append_label(text, value);
    text += value;
  }
}

bool attribute_writer::is_place(const written& c) noexcept {
  const bool number = c.values->type == column_type::whole || c.values->type == column_type::real;
  return number && !c.as_text && (c.name == "x" || c.name == "y" || c.name == "z");
}

bool attribute_writer::has_places(std::uint64_t row) const noexcept {
  if (format_ != file_format::pajek) return false;
  std::size_t axes = 0;
  for (const written& c : vertices_) axes += is_place(c) && c.name != "z" && c.values->has(row) ? 1 : 0;
  return axes == 2;
}

void attribute_writer::append_vertex(std::string& text, std::uint64_t i) const {
  if (has_places(i)) {
    for (const char* axis : {"x", "y", "z"}) {
      for (const written& c : vertices_) {
        if (c.name != axis || !is_place(c) || !c.values->has(i)) continue;
        text += ' ';
        c.values->append(text, i);
      }
    }
  }
  append_values(text, vertices_, "v", i);
}

void attribute_writer::append_edge(std::string& text, std::uint64_t e) const {
  if (format_ != file_format::table) return append_values(text, edges_, "e", e);
  for (const written& c : edges_) {
    text += ',';
    if (!c.values->has(e)) continue;
    if (c.values->type == column_type::text) {
      append_quoted(text, c.values->text(e), false);
    } else {
      c.values->append(text, e);
    }
  }
}

std::vector<std::string> attribute_writer::lost(bool weighted) const {
  const bool declares =
      format_ == file_format::graphml || format_ == file_format::gexf || format_ == file_format::table;
  std::vector<std::string> other_names;
  std::vector<std::string> other_types;
  std::vector<std::string> texts;
  std::vector<std::string> empty;
  std::vector<std::string> weights;
  for (const columns* all : {&vertices_, &edges_}) {
    for (const written& c : *all) {
      const column_type type = c.values->type;
      const bool table = format_ == file_format::table;
      if (c.name != c.values->name) other_names.push_back(c.values->name);
      if (c.as_text && type != column_type::text) texts.push_back(c.values->name);
      if (!declares && !has_values(*c.values)) empty.push_back(c.values->name);
      if (format_ == file_format::gml && type == column_type::truth) other_types.push_back(c.values->name);
      if (table && type == column_type::text && changes_type(*c.values)) other_types.push_back(c.values->name);
      const bool number = type == column_type::whole || type == column_type::real;
      if (table && !weighted && number && formats::role_of(c.name) == formats::role::weight) weights.push_back(c.name);
    }
  }
  std::vector<std::string> lines;
  if (!other_names.empty()) lines.push_back(listed("other names are given to the columns", other_names));
  if (!other_types.empty()) lines.push_back(listed("numbers come back of the columns", other_types));
  if (!texts.empty()) lines.push_back(listed("texts come back of the columns", texts));
  if (!empty.empty()) lines.push_back(listed("columns without values are lost:", empty));
  if (!weights.empty()) {
    lines.push_back(listed("weights come back of the columns", weights) + " (--weights-column none)");
  }
  return lines;
}

}  // namespace callisto::graph
