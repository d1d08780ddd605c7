// The reader of GML (Himsolt 1997): "graph [ node [ id 1 label "a" ] edge [ source 1 target 2 ] ]".
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/references.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::formats {
namespace {

class gml_parser {
 public:
  gml_parser(const input::source& from, std::string_view text, std::string_view weight_key,
             const attribute_choice& wanted)
      : graph_(from, wanted), from_(from), text_(text), weight_key_(weight_key) {}

  /// Reads the first graph of the file.
  void run() {
    for (;;) {
      const std::string key = next_key();
      if (key.empty()) throw input_error(from_.name(), line_, "truncated: expected 'graph [ ... ]'");
      if (key == "graph") break;
      skip_value();
    }
    expect_open("graph");
    for (;;) {
      const std::string key = next_key();
      if (key.empty()) throw input_error(from_.name(), line_, "truncated: the ']' of the graph is missing");
      if (key == "]") break;
      if (key == "node") {
        node();
      } else if (key == "edge") {
        edge();
      } else if (key == "directed") {
        directed_ = value() == "1";
      } else {
        skip_value();
      }
    }
    // Now it is known whether edges have directions.
    for (const auto& e : pending_) graph_.add(e.from, e.to, directed_, e.weight);
  }

  bool directed() const noexcept { return directed_; }
  collector& graph() noexcept { return graph_; }

 private:
  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    throw input_error(from_.name(), line_, "expected " + expected + ", found " + input::shown(found));
  }

  /// Returns the next token: a bracket, a word, or a string without its quotes; empty at the end. is_string_ tells of
  /// the latter.
  std::string_view next() {
    is_string_ = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else {
        break;
      }
    }
    if (at_ == text_.size()) return {};
    const std::size_t begin = at_;
    if (text_[at_] == '[' || text_[at_] == ']') return text_.substr(at_++, 1);
    if (text_[at_] == '"') {
      const std::size_t close = text_.find('"', at_ + 1);
      if (close == text_.npos) throw input_error(from_.name(), line_, "a quote is not closed");
      is_string_ = true;
      const std::string_view token = text_.substr(at_ + 1, close - at_ - 1);
      line_ += static_cast<std::uint64_t>(std::count(token.begin(), token.end(), '\n'));
      at_ = close + 1;
      return token;
    }
    at_ = std::min(text_.find_first_of(" \t\r\n[]", at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  /// Returns the next token in lower case: programs differ in how they write keys.
  std::string next_key() { return input::lower_case(next()); }

  /// Returns an id as it is compared: a number that is whole may be written as 0 and 0.0.
  std::string_view id_of(std::string_view token) const {
    const std::size_t point = is_string_ ? token.npos : token.find('.');
    return point != token.npos && to_vertex_number(token) ? token.substr(0, point) : token;
  }

  void expect_open(std::string_view key) {
    const std::string_view token = next();
    if (token != "[" || is_string_) fail("'[' behind '" + std::string(key) + "'", token);
  }

  /// Returns the value of a key, which is no list.
  std::string_view value() {
    const std::string_view token = next();
    if (!is_string_ && (token.empty() || token == "[" || token == "]")) fail("a value", token);
    return token;
  }

  void skip_value() {
    const std::string_view token = next();
    if (is_string_) return;
    if (token.empty() || token == "]") fail("a value", token);
    if (token == "[") skip_list();
  }

  /// Skips the rest of a list.
  void skip_list() {
    for (std::uint64_t depth = 1; depth != 0;) {
      const std::string_view token = next();
      if (token.empty() && !is_string_) fail("']'", token);
      if (!is_string_ && token == "[") ++depth;
      if (!is_string_ && token == "]") --depth;
    }
  }

  /// Calls take(key) for the keys of a list; take() reads the value.
  template <class Take>
  void each_key(std::string_view of, const Take& take) {
    expect_open(of);
    for (;;) {
      const std::string_view key = next();
      if (is_string_ || key.empty() || key == "[") fail("a key of '" + std::string(of) + "' or ']'", key);
      if (key == "]") return;
      take(input::lower_case(key), key);
    }
  }

  /// Reads the value of an attribute of the vertex or edge that is read. Lists of keys are left out.
  void take_attribute(attribute_of of, std::string_view key) {
    const std::string_view token = next();
    if (!is_string_ && (token.empty() || token == "]")) fail("a value", token);
    if (!is_string_ && token == "[") {
      graph_.leave_out(of, key);
      skip_list();
      return;
    }
    attributes_.push_back({key, is_string_ ? input::without_references(token, true) : std::string(token), is_string_});
  }

  void set_attributes(attribute_of of, std::uint64_t row) {
    for (const auto& [key, value, quoted] : attributes_) {
      graph_.set_attribute(of, row, key, value, quoted ? std::optional(column_type::text) : std::nullopt);
    }
    attributes_.clear();
  }

  void node() {
    std::optional<std::string_view> id;
    std::optional<std::string_view> label;
    each_key("node", [&](const std::string& key, std::string_view as_written) {
      if (key == "id") {
        id = id_of(value());
      } else if (key == "label") {
        label = value();
      } else {
        take_attribute(attribute_of::vertices, as_written);
      }
    });
    if (!id) throw input_error(from_.name(), line_, "a node has no id");
    const std::uint32_t vertex = graph_.declare(*id);
    set_attributes(attribute_of::vertices, vertex);
    if (label) graph_.call(vertex, input::without_references(*label, true));
  }

  void edge() {
    std::optional<std::string_view> from;
    std::optional<std::string_view> to;
    std::optional<double> weight;
    each_key("edge", [&](const std::string& key, std::string_view as_written) {
      const bool wanted = as_written == weight_key_ || key == weight_key_;
      if (key == "source") {
        from = id_of(value());
      } else if (key == "target") {
        to = id_of(value());
      } else if (wanted || (key == "value" && weight_key_ == "weight" && !weight)) {
        const std::string_view text = value();
        weight = to_weight(text, weights::real);
        if (!weight && wanted) throw input_error(from_.name(), line_, not_a_weight(text, weights::real));
      } else {
        take_attribute(attribute_of::edges, as_written);
      }
    });
    if (!from || !to) throw input_error(from_.name(), line_, "an edge has no source or no target");
    set_attributes(attribute_of::edges, pending_.size());
    pending_.push_back({graph_.vertex(*from), graph_.vertex(*to), weight});
  }

  struct pending_attribute {
    std::string_view key;
    std::string value;
    bool quoted;
  };
  struct pending_edge {
    std::uint32_t from;
    std::uint32_t to;
    std::optional<double> weight;
  };

  collector graph_;
  const input::source& from_;
  std::string_view text_;
  std::string_view weight_key_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  bool is_string_ = false;
  bool directed_ = false;
  std::vector<pending_edge> pending_;
  std::vector<pending_attribute> attributes_;  ///< of the vertex or edge that is read
};

}  // namespace

any_edge_list read_gml(input::source& from, const read_options& options, const run_control& control,
                       read_report& report) {
  const std::string text = read_all_as_utf8(from, report);
  const std::string weight_key = options.weights_column.value_or("weight");
  gml_parser parser(from, text, weight_key, options.attributes);
  parser.run();
  return parser.graph().finish(parser.directed(), options, control, report);
}

}  // namespace callisto::graph::formats
