// The reader of GML (Himsolt 1997): "graph [ node [ id 1 label "a" ] edge [ source 1 target 2 ] ]".
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

/// Appends a character as UTF-8.
void append_utf8(std::string& text, std::uint32_t code) {
  const auto rest = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    rest(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    rest(6);
    rest(0);
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    rest(12);
    rest(6);
    rest(0);
  }
}

/// Returns the character that "#228" or "#xe4" stands for, the text between & and ;. Empty: none.
std::optional<std::uint32_t> character_of(std::string_view reference) {
  if (!reference.starts_with('#')) return std::nullopt;
  const bool hexadecimal = reference.substr(1, 1) == "x" || reference.substr(1, 1) == "X";
  const std::string_view digits = reference.substr(hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
  if (wrong != std::errc() || end != digits.data() + digits.size() || code == 0 || code > 0x10ffff) return std::nullopt;
  return code;
}

/// Returns a string with &quot;, &#228; and the like as the characters that they stand for.
std::string unescaped(std::string_view text) {
  std::string result;
  for (;;) {
    const std::size_t at = text.find('&');
    result += text.substr(0, at);
    if (at == text.npos) return result;
    text.remove_prefix(at + 1);
    const std::size_t end = text.find(';');
    const std::string_view reference = text.substr(0, end == text.npos ? 0 : end);
    std::optional<std::uint32_t> character = character_of(reference);
    for (const auto& [name, named] : {std::pair("quot", '"'), std::pair("lt", '<'), std::pair("gt", '>'),
                                      std::pair("amp", '&'), std::pair("apos", '\'')}) {
      if (reference == name) character = static_cast<std::uint32_t>(named);
    }
    if (character) {
      append_utf8(result, *character);
      text.remove_prefix(end + 1);
    } else {
      result += '&';
    }
  }
}

class gml_parser {
 public:
  gml_parser(const input::source& from, std::string_view text, std::string_view weight_key)
      : graph_(from), from_(from), text_(text), weight_key_(weight_key) {}

  /// Reads the first graph of the file.
  void run() {
    for (;;) {
      const std::string_view key = next();
      if (key.empty()) throw input_error(from_.name(), line_, "truncated: expected 'graph [ ... ]'");
      if (key == "graph") break;
      skip_value();
    }
    expect_open("graph");
    for (;;) {
      const std::string_view key = next();
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
    std::string_view token = next();
    if (is_string_) return;
    if (token.empty() || token == "]") fail("a value", token);
    for (std::uint64_t depth = token == "[" ? 1 : 0; depth != 0;) {
      token = next();
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
      take(key);
    }
  }

  void node() {
    std::optional<std::string_view> id;
    std::optional<std::string_view> label;
    each_key("node", [&](std::string_view key) {
      if (key == "id") {
        id = value();
      } else if (key == "label") {
        label = value();
      } else {
        skip_value();
      }
    });
    if (!id) throw input_error(from_.name(), line_, "a node has no id");
    const std::uint32_t vertex = graph_.vertex(*id);
    if (label) graph_.call(vertex, unescaped(*label));
  }

  void edge() {
    std::optional<std::string_view> from;
    std::optional<std::string_view> to;
    std::optional<double> weight;
    each_key("edge", [&](std::string_view key) {
      if (key == "source") {
        from = value();
      } else if (key == "target") {
        to = value();
      } else if (key == weight_key_ || (key == "value" && weight_key_ == "weight" && !weight)) {
        const std::string_view text = value();
        weight = to_weight(text, weights::real);
        if (!weight && key == weight_key_) throw input_error(from_.name(), line_, not_a_weight(text, weights::real));
      } else {
        skip_value();
      }
    });
    if (!from || !to) throw input_error(from_.name(), line_, "an edge has no source or no target");
    pending_.push_back({graph_.vertex(*from), graph_.vertex(*to), weight});
  }

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
};

}  // namespace

any_edge_list read_gml(input::source& from, const read_options& options, const run_control& control,
                       read_report& report) {
  const std::string text = input::read_all(from);
  const std::string weight_key = options.weights_column.value_or("weight");
  gml_parser parser(from, text, weight_key);
  parser.run();
  return parser.graph().finish(parser.directed(), options, control, report);
}

}  // namespace callisto::graph::formats
