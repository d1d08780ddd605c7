// The reader of graphs in JSON: nodes and links as NetworkX, d3, vis.js, Sigma, graphology and the JSON Graph Format
// write them, Cytoscape's elements, NetworkX's adjacency, and lists of pairs, also as Python prints them.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/node_link_parts.hpp>
#include <callisto/graph/files/formats/python_literal.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

using json_events = nlohmann::json_sax<nlohmann::json>;

class node_link_reader final : public json_events, node_link_parts {
 public:
  node_link_reader(const input::source& from, std::string_view text, const read_options& options)
      : from_(from),
        text_(text),
        weight_key_(options.weights_column.value_or("weight")),
        chosen_(options.weights_column.has_value()),
        wanted_(options.attributes),
        graph_(from, options.attributes) {}

  void parse() {
    if (has_value_a_line()) {
      frames_.push_back({place::elements, {}, 0});
      input::line_reader lines(text_, true);
      while (lines.next()) {
        const std::string_view line = input::trimmed(lines.line(), " \t\r");
        line_ = lines.number();
        if (!line.empty()) nlohmann::json::sax_parse(line.begin(), line.end(), this);
      }
    } else {
      nlohmann::json::sax_parse(text_.begin(), text_.end(), this);
    }
  }

  any_edge_list finish(const read_options& options, const run_control& control, read_report& report) {
    if (vertices_.empty() && edges_.empty()) take_key_lists(report);
    if (edges_.size() == 3 && triples_ == 3) {
      report.notes.emplace_back("three lists of three numbers are taken as edges with weights, not as a matrix");
    }
    if (vertices_.empty() && edges_.empty()) {
      throw input_error(from_.name(), 0,
                        "holds no list of nodes, links, edges or elements of a graph, and no pairs of vertices");
    }
    const std::vector<std::uint32_t> number = declare_vertices(report);
    if (!directed_) report.direction_known = false;
    if (directed_ || (!edges_.empty() && std::all_of(edges_.begin(), edges_.end(),
                                                     [](const link& e) { return e.directed.has_value(); }))) {
      report.direction_known = true;
    }
    for (const link& e : edges_) {
      const auto end = [&](std::uint32_t word) {
        return by_place_ ? number[static_cast<std::size_t>(*input::to_unsigned(words_[word]))]
                         : graph_.vertex(words_[word]);
      };
      set_attributes(attribute_of::edges, graph_.edges(), e.others);
      graph_.add(end(e.from), end(e.to), e.directed.value_or(directed_.value_or(true)), e.weight);
    }
    for (const adjacent& a : adjacent_) {
      if (a.row >= number.size()) throw input_error(from_.name(), 0, "more lists of neighbours than nodes");
      const std::uint32_t other = graph_.vertex(words_[a.word]);
      // An undirected edge stands in the lists of both ends.
      if (directed_ == false && number[a.row] > other) continue;
      set_attributes(attribute_of::edges, graph_.edges(), a.others);
      graph_.add(number[a.row], other, directed_.value_or(true), a.weight);
    }
    return graph_.finish(directed_.value_or(true), options, control, report);
  }

  bool null() override { return scalar(std::string(), kind::none); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false", kind::boolean); }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value), kind::number); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value), kind::number); }
  bool number_float(number_float_t, const string_t& text) override {
    as_written_ = text;
    const bool done = scalar(to_vertex_number(text) ? text.substr(0, text.find('.')) : text, kind::number);
    as_written_.clear();
    return done;
  }
  bool string(string_t& value) override { return scalar(std::move(value), kind::text); }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    begin(true);
    return true;
  }
  bool start_array(std::size_t) override {
    begin(false);
    return true;
  }
  bool key(string_t& name) override {
    frames_.back().key = std::move(name);
    return true;
  }
  bool end_object() override {
    end();
    return true;
  }
  bool end_array() override {
    end();
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    const std::string_view what = e.what();
    const std::size_t column = what.find("column ");
    const std::size_t colon = column == what.npos ? what.npos : what.find(": ", column);
    const auto before = text_.substr(0, std::min(position, text_.size()));
    const auto line = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    throw input_error(from_.name(), line_ != 0 ? line_ : line,
                      "invalid JSON: " + std::string(colon == what.npos ? what : what.substr(colon + 2)));
  }

 private:
  /// True if the document has a value in each line, as logs have it.
  bool has_value_a_line() const {
    const std::string_view text = input::trimmed(text_, " \t\r\n");
    const std::size_t end = text.find('\n');
    if (!text.starts_with('{') || end == text.npos) return false;
    return input::trimmed(text.substr(0, end), " \t\r").ends_with('}') &&
           input::trimmed(text.substr(end), " \t\r\n").starts_with('{');
  }

  static bool is_record(place is) {
    return is == place::vertex || is == place::edge || is == place::element || is == place::neighbour;
  }

  [[noreturn]] void fail(const std::string& message) const { throw input_error(from_.name(), line_, message); }

  /// Returns what a container within `above` holds.
  place place_within(const frame& above, bool object) {
    switch (above.is) {
      case place::top: {
        const std::string word = input::lower_case(above.key);
        if (word == "nodes" || word == "vertices") return place::vertices;
        if (word == "links" || word == "edges") return place::edges;
        if (word == "elements") return object ? place::top : place::elements;
        if (word == "graph" && object) return place::top;
        if (word == "graphs" && !object) return place::top;
        if (word == "options" && object) return place::options;
        if (word == "adjacency" && !object) return place::adjacency;
        if (!object && !above.key.empty() && frames_.size() == 1) {
          keyed_.emplace_back(words_.number_of(above.key), std::vector<std::uint32_t>());
          return place::key_list;
        }
        return above.key.empty() && object && above.count == 1 ? place::top : place::nothing;
      }
      case place::vertices:
        return object ? place::vertex : place::nothing;
      case place::edges:
        return place::edge;
      case place::elements:
        return object ? place::element : place::edge;
      case place::vertex:
      case place::edge:
      case place::element:
      case place::neighbour:
        if (!object) return place::nothing;
        if (above.key.empty() && above.count == 3) return place::part;  // (from, to, {attributes})
        if (above.key == "data" || above.key == "attributes" || above.key == "metadata") {
          record_.has_part = true;
          return place::part;
        }
        if (above.key == "position" && above.is != place::edge) return place::position;
        if (is_source(above.key)) return place::end_from;
        if (is_target(above.key)) return place::end_to;
        return place::nothing;
      case place::adjacency:
        return place::neighbours;
      case place::neighbours:
        return object ? place::neighbour : place::nothing;
      case place::part:
      case place::options:
      case place::end_from:
      case place::end_to:
      case place::position:
      case place::key_list:
      case place::nothing:
        return place::nothing;
    }
    __builtin_unreachable();
  }

  void begin(bool object) {
    if (frames_.empty()) {
      frames_.push_back({object ? place::top : place::elements, {}, 0});
      return;
    }
    frame& above = frames_.back();
    ++above.count;
    const place is = place_within(above, object);
    if (is_record(is)) {
      record_ = {};
      if (above.is == place::vertices && !above.key.empty()) record_.id = above.key;
    } else if (is == place::nothing) {
      leave_out(above);
    }
    frames_.push_back({is, {}, 0});
  }

  void end() {
    const place is = frames_.back().is;
    frames_.pop_back();
    if (is == place::neighbour) {
      if (!record_.id) fail("a neighbour has no id");
      const auto value = weight();
      adjacent_.push_back(
          {frames_[frames_.size() - 2].count - 1, words_.number_of(*record_.id), value, kept_of(attribute_of::edges)});
    } else if (is_record(is)) {
      const bool is_edge = is == place::edge || (is == place::element && record_.from && record_.to);
      is_edge ? add_edge() : add_vertex();
    }
  }

  static bool is_source(std::string_view key) {
    return key == "source" || key == "from" || key == "src" || key == "start" || key == "_from" || key == "citing" ||
           key == "follower";
  }
  static bool is_target(std::string_view key) {
    return key == "target" || key == "to" || key == "dst" || key == "end" || key == "_to" || key == "cited" ||
           key == "followee" || key == "followed";
  }

  void leave_out(const frame& within) {
    if (within.key.empty()) return;
    if (within.is == place::part) record_.part_others.push_back({within.key});
    if (is_record(within.is)) record_.others.push_back({within.key});
  }

  /// Takes an attribute of the vertex or edge that is read.
  void keep(const frame& within, std::string text, kind is) {
    attributes& all = within.is == place::part ? record_.part_others : record_.others;
    all.push_back(attribute_called(within.key, std::move(text), is));
  }

  attribute attribute_called(std::string name, std::string text, kind is) {
    if (!as_written_.empty()) text = as_written_;
    const auto type = is == kind::text ? std::optional(column_type::text) : std::nullopt;
    return {std::move(name), std::move(text), type};
  }

  bool scalar(std::string text, kind is) {
    if (frames_.empty()) fail("expected an object or a list, found " + input::shown(text));
    frame& within = frames_.back();
    ++within.count;
    switch (within.is) {
      case place::top:
        if (within.key == "directed" && (is == kind::boolean || is == kind::number)) {
          directed_ = text == "true" || text == "1";
        }
        break;
      case place::options:
        if (within.key == "type" && (text == "directed" || text == "undirected")) directed_ = text == "directed";
        break;
      case place::vertices:
        if (is != kind::none) {
          record_ = {};
          record_.id = within.key.empty() ? std::move(text) : within.key;
          add_vertex();
        }
        break;
      case place::edge:
        if (within.key.empty()) {
          cell(within.count, std::move(text), is);
          break;
        }
        [[fallthrough]];
      case place::vertex:
      case place::element:
      case place::neighbour:
      case place::part:
        if (is != kind::none) entry(within, std::move(text), is);
        break;
      case place::end_from:
      case place::end_to:
        if (within.key == "id" && is != kind::none) set_end(within.is == place::end_from, std::move(text), is);
        break;
      case place::position:
        if (is == kind::number && (within.key == "x" || within.key == "y" || within.key == "z")) {
          record_.places.push_back(attribute_called(within.key, std::move(text), is));
        }
        break;
      case place::edges:
      case place::elements:
      case place::neighbours:
        fail("expected an edge, found " + input::shown(text));
      case place::key_list:
        if (is != kind::none) keyed_.back().second.push_back(words_.number_of(text));
        break;
      case place::adjacency:
      case place::nothing:
        break;
    }
    return true;
  }

  void set_end(bool from, std::string text, kind is) {
    record_.numbers = record_.numbers && is == kind::number;
    (from ? record_.from : record_.to) = std::move(text);
  }

  /// Takes a cell of an edge that is a list.
  void cell(std::uint64_t number, std::string text, kind is) {
    if (number <= 2) {
      if (is == kind::none) fail("an end of an edge is null");
      set_end(number == 1, std::move(text), is);
    } else if (number == 3) {
      triples_ += record_.numbers && is == kind::number ? 1 : 0;
      if (is != kind::none) record_.weight = std::move(text);
    } else {
      fail("expected edges of two vertices and perhaps a weight, found a list of more");
    }
  }

  /// Takes an entry of an object.
  void entry(const frame& within, std::string text, kind is) {
    const std::string& key = within.key;
    const std::string small = input::lower_case(key);
    const place of = within.is == place::part ? frames_[frames_.size() - 2].is : within.is;
    const bool may_be_edge = of != place::vertex;
    if (may_be_edge && (is_source(key) || is_target(key)) && of != place::neighbour) {
      set_end(is_source(key), std::move(text), is);
    } else if (may_be_edge && weight_key_ != "none" && (key == weight_key_ || (!chosen_ && small == "weight"))) {
      record_.weight = std::move(text);
    } else if (may_be_edge && !chosen_ && key == "value") {
      record_.value_is_text = is == kind::text;
      record_.value = as_written_.empty() ? std::move(text) : as_written_;
    } else if (key == "id") {
      record_.id = std::move(text);
    } else if (key == "key" && within.is != place::part) {
      if (!record_.id) record_.id = std::move(text);
    } else if (key == "name") {
      record_.name = std::move(text);
    } else if (key == "label") {
      record_.label = std::move(text);
    } else if (may_be_edge && (key == "directed" || key == "undirected") && is == kind::boolean) {
      record_.directed = (text == "true") == (key == "directed");
    } else {
      keep(within, std::move(text), is);
    }
  }

  /// Makes a fact that has no other use an attribute.
  void keep_fact(const char* name, const std::string& value, bool is_text) {
    (record_.has_part ? record_.part_others : record_.others)
        .push_back({name, value, is_text ? std::optional(column_type::text) : std::nullopt});
  }

  std::optional<double> weight() {
    if (record_.weight) {
      const auto found = to_weight(*record_.weight, weights::real);
      if (!found) fail(not_a_weight(*record_.weight, weights::real));
      if (record_.value) keep_fact("value", *record_.value, record_.value_is_text);
      return found;
    }
    const auto found = record_.value ? to_weight(*record_.value, weights::real) : std::nullopt;
    if (record_.value && !found) keep_fact("value", *record_.value, record_.value_is_text);
    return found;
  }

  /// Returns the attributes of the vertex or edge that was read, as far as they are wanted; notes the rest.
  attributes kept_of(attribute_of of) {
    attributes kept;
    for (attribute& a : record_.has_part ? record_.part_others : record_.others) {
      if (a.value && wanted_.has(a.name)) {
        kept.push_back(std::move(a));
      } else {
        graph_.leave_out(of, a.name);
      }
    }
    for (attribute& a : record_.places) {
      if (wanted_.has(a.name)) kept.push_back(std::move(a));
    }
    return kept;
  }

  void set_attributes(attribute_of of, std::uint64_t row, const attributes& all) {
    for (const attribute& a : all) graph_.set_attribute(of, row, a.name, *a.value, a.type);
  }

  void add_vertex() {
    if (record_.value) keep_fact("value", *record_.value, record_.value_is_text);
    if (record_.weight) keep_fact("weight", *record_.weight, false);
    if (record_.name && record_.label) keep_fact("label", *record_.label, true);
    auto& label = record_.name ? record_.name : record_.label;
    vertices_.push_back(
        {record_.id ? words_.number_of(*record_.id) : no_word, std::move(label), kept_of(attribute_of::vertices)});
  }

  void add_edge() {
    if (!record_.from || !record_.to) fail("an edge has no source or no target");
    const auto value = weight();
    if (record_.label) keep_fact("label", *record_.label, true);
    if (record_.name) keep_fact("name", *record_.name, true);
    numbers_ = numbers_ && record_.numbers;
    edges_.push_back({words_.number_of(*record_.from), words_.number_of(*record_.to), record_.directed, value,
                      kept_of(attribute_of::edges)});
  }

  /// Takes an object of lists, '{"a": ["b", "c"]}', if there is nothing else.
  void take_key_lists(read_report& report) {
    bool any = false;
    for (const auto& [vertex, neighbours] : keyed_) any = any || !neighbours.empty();
    if (!any) return;
    for (const auto& [vertex, neighbours] : keyed_) {
      vertices_.push_back({vertex, {}, {}});
      for (const std::uint32_t other : neighbours) edges_.push_back({vertex, other, {}, {}, {}});
    }
    numbers_ = false;
    report.notes.emplace_back("is taken as the neighbours of each vertex");
  }

  /// Declares the vertices; returns their numbers by their places. Decides whether ends of edges are places or ids.
  std::vector<std::uint32_t> declare_vertices(read_report& report) {
    const auto with_id = static_cast<std::size_t>(
        std::count_if(vertices_.begin(), vertices_.end(), [](const listed& v) { return v.id != no_word; }));
    if (with_id != 0 && with_id != vertices_.size()) {
      throw input_error(from_.name(), 0, std::to_string(vertices_.size() - with_id) + " nodes have no id");
    }
    std::vector<bool> is_id(words_.size());
    for (const listed& v : vertices_) {
      if (v.id != no_word) is_id[v.id] = true;
    }
    const auto is_place = [&](std::uint32_t word) {
      const auto at = input::to_unsigned(words_[word]);
      return at && *at < vertices_.size();
    };
    const bool all_ids =
        std::all_of(edges_.begin(), edges_.end(), [&](const link& e) { return is_id[e.from] && is_id[e.to]; });
    by_place_ = numbers_ && !all_ids && std::all_of(edges_.begin(), edges_.end(), [&](const link& e) {
                  return is_place(e.from) && is_place(e.to);
                });
    if (by_place_ && with_id != 0) {
      report.notes.emplace_back("ends of edges are places in the list of nodes, from 0: some are no ids of nodes");
    }
    std::vector<std::uint32_t> number;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      const listed& v = vertices_[i];
      const bool by_label = v.id == no_word && !by_place_ && v.label && !edges_.empty();
      const std::string id = v.id != no_word ? std::string(words_[v.id]) : by_label ? *v.label : std::to_string(i);
      number.push_back(graph_.declare(id));
      if (v.label && !by_label) graph_.call(number.back(), *v.label);
      set_attributes(attribute_of::vertices, number.back(), v.others);
    }
    return number;
  }

  const input::source& from_;
  const std::string_view text_;
  const std::string weight_key_;
  const bool chosen_;  ///< the user names the weight
  const attribute_choice& wanted_;
  collector graph_;
  std::string as_written_;  ///< the real number that is read; empty: there is none
  std::uint64_t line_ = 0;  ///< of a document with a value a line; 0: it is none
  std::vector<frame> frames_;
  record record_;
  name_table words_;  ///< ids, and ends of edges
  std::vector<listed> vertices_;
  std::vector<link> edges_;
  std::vector<adjacent> adjacent_;
  std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> keyed_;  ///< lists by key, words
  std::uint64_t triples_ = 0;                                                ///< edges that are lists of three numbers
  std::optional<bool> directed_;
  bool numbers_ = true;    ///< all ends of edges are numbers of JSON
  bool by_place_ = false;  ///< ends of edges are places in the list of vertices
};

}  // namespace

any_edge_list read_node_link(input::source& from, const read_options& options, const run_control& control,
                             read_report& report) {
  std::string text = read_all_as_utf8(from, report);
  if (is_python_literal(text)) text = json_of_python(text);
  node_link_reader reader(from, text, options);
  reader.parse();
  return reader.finish(options, control, report);
}

}  // namespace callisto::graph::formats
