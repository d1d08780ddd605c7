// The reader of the language of Graphviz (graphviz.org/doc/info/lang.html): "digraph { a -> b -> {c d} [weight=2] }".
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/input/references.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

/// A token: a sign, or an id, which may be empty or look like a sign if it was in quotes.
struct dot_token {
  enum class kind { end, sign, id };
  kind is = kind::end;
  std::string text;
  bool quoted = false;
  bool html = false;  ///< it was in angle brackets

  bool is_sign(std::string_view sign) const { return is == kind::sign && text == sign; }
  /// True for a keyword, which is in no quotes and of any case.
  bool is_word(std::string_view word) const {
    return is == kind::id && !quoted && !html && input::lower_case(text) == word;
  }
};

bool continues_id(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & '\x80') != 0;
}

class dot_lexer {
 public:
  dot_lexer(const input::source& from, std::string_view text) : from_(from), text_(text) {}

  std::uint64_t line() const noexcept { return line_; }
  [[noreturn]] void fail(const std::string& message) const { throw input_error(from_.name(), line_, message); }

  dot_token next() {
    skip();
    if (at_ == text_.size()) return {};
    const char c = text_[at_];
    if (c == '"') return quoted();
    if (c == '<') return html();
    if (rest().starts_with("->") || rest().starts_with("--")) return sign(2);
    const bool number = c == '-' || c == '.' || (c >= '0' && c <= '9');
    if (!number && !continues_id(c)) return sign(1);
    const std::size_t begin = at_++;
    while (at_ < text_.size() && (continues_id(text_[at_]) || (number && text_[at_] == '.'))) ++at_;
    return {dot_token::kind::id, std::string(text_.substr(begin, at_ - begin))};
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  dot_token sign(std::size_t size) {
    at_ += size;
    return {dot_token::kind::sign, std::string(text_.substr(at_ - size, size))};
  }

  void move(std::size_t to) {
    to = std::min(to, text_.size());
    line_ += static_cast<std::uint64_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                   text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }

  /// Moves behind blanks and comments.
  void skip() {
    for (;;) {
      move(text_.find_first_not_of(" \t\r\n\f\v", at_));
      const bool line_begins = at_ == 0 || text_[at_ - 1] == '\n';
      if (rest().starts_with("//") || (line_begins && rest().starts_with('#'))) {
        move(text_.find('\n', at_));
      } else if (rest().starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == text_.npos) fail("a comment '/*' is not closed");
        move(end + 2);
      } else {
        return;
      }
    }
  }

  /// Reads strings in quotes, joined by "+".
  dot_token quoted() {
    dot_token token{dot_token::kind::id, {}, true};
    for (;;) {
      std::size_t end = at_ + 1;
      for (;; ++end) {
        if (end >= text_.size()) fail("a quote is not closed");
        if (text_[end] == '"') break;
        const std::string_view escape = text_.substr(end, 2);
        if (escape == "\\\"") {
          token.text += '"';
          ++end;
        } else if (escape == "\\\n") {
          ++end;
        } else if (escape == "\\\\") {
          token.text += escape;  // a label has it for a backslash
          ++end;
        } else {
          token.text += text_[end];
        }
      }
      move(end + 1);
      const std::size_t before = at_;
      const std::uint64_t line = line_;
      skip();
      if (!rest().starts_with('+')) break;
      ++at_;
      skip();
      if (rest().starts_with('"')) continue;
      at_ = before;
      line_ = line;
      break;
    }
    return token;
  }

  dot_token html() {
    std::size_t depth = 0;
    for (std::size_t end = at_; end < text_.size(); ++end) {
      depth += text_[end] == '<' ? 1 : 0;
      depth -= text_[end] == '>' ? 1 : 0;
      if (depth != 0) continue;
      dot_token token{dot_token::kind::id, std::string(text_.substr(at_ + 1, end - at_ - 1)), false, true};
      move(end + 1);
      return token;
    }
    fail("a '<' is not closed");
  }

  const input::source& from_;
  const std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

class dot_parser {
 public:
  dot_parser(const input::source& from, std::string_view text, const read_options& options)
      : graph_(from, options.attributes), lexer_(from, text), weight_key_(options.weights_column.value_or("weight")) {
    step();
  }

  /// Reads the first graph of the file.
  void run(read_report& report) {
    strict_ = now_.is_word("strict");
    if (strict_) step();
    directed_ = now_.is_word("digraph");
    if (!directed_ && !now_.is_word("graph")) lexer_.fail("expected 'graph' or 'digraph', found " + shown());
    step();
    if (now_.is == dot_token::kind::id) step();  // its name
    expect("{");
    scopes_.push_back({});
    statements();
    if (now_.is != dot_token::kind::end) report.notes.emplace_back("holds several graphs, of which the first is read");
    const std::size_t all = edges_.size();
    if (strict_) merge_repeats();
    if (edges_.size() < all) {
      report.notes.emplace_back("is strict: edges that repeat others are one, of the last weight");
    }
    for (const dot_edge& e : edges_) {
      set_attributes(attribute_of::edges, graph_.edges(), sets_[e.set]);
      graph_.add(e.from, e.to, directed_, e.weight);
    }
  }

  bool directed() const noexcept { return directed_; }
  collector& graph() noexcept { return graph_; }

 private:
  using attributes = std::vector<std::pair<std::string, dot_token>>;

  struct dot_edge {
    std::uint32_t from;
    std::uint32_t to;
    std::optional<double> weight;
    std::size_t set;  ///< of its attributes, which edges of a statement share
  };

  /// A graph or subgraph within braces.
  struct scope {
    attributes of_vertices = {};               ///< what "node [...]" sets
    attributes of_edges = {};                  ///< what "edge [...]" sets
    std::vector<std::uint32_t> vertices = {};  ///< that it names
  };

  std::pair<std::uint32_t, std::uint32_t> ends_of(const dot_edge& e) const {
    return directed_ || e.from < e.to ? std::pair(e.from, e.to) : std::pair(e.to, e.from);
  }

  void merge_repeats() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> first;
    std::size_t kept = 0;
    for (const dot_edge& e : edges_) {
      const auto [place, added] = first.emplace(ends_of(e), kept);
      if (added) {
        edges_[kept++] = e;
      } else {
        dot_edge& one = edges_[place->second];
        if (e.weight) one.weight = e.weight;
        if (sets_[e.set].empty()) continue;
        attributes all = sets_[one.set];
        all.insert(all.end(), sets_[e.set].begin(), sets_[e.set].end());
        one.set = sets_.size();
        sets_.push_back(std::move(all));
      }
    }
    edges_.resize(kept);
  }

  void step() { now_ = lexer_.next(); }
  std::string shown() const { return now_.is == dot_token::kind::end ? "the end" : input::shown(now_.text); }

  void expect(std::string_view sign) {
    if (!now_.is_sign(sign)) lexer_.fail("expected '" + std::string(sign) + "', found " + shown());
    step();
  }

  std::string id() {
    if (now_.is != dot_token::kind::id) lexer_.fail("expected a name, found " + shown());
    std::string text = std::move(now_.text);
    step();
    return text;
  }

  /// Reads statements up to the brace that closes them.
  void statements() {
    while (!now_.is_sign("}")) {
      if (now_.is == dot_token::kind::end) lexer_.fail("truncated: a '}' is missing");
      if (now_.is_sign(";") || now_.is_sign(",")) {
        step();
        continue;
      }
      statement();
    }
    step();
  }

  void statement() {
    for (const std::string_view word : {"graph", "node", "edge"}) {
      if (!now_.is_word(word)) continue;
      step();
      const attributes all = attribute_lists();
      if (word != "graph") {
        auto& set = word == "edge" ? scopes_.back().of_edges : scopes_.back().of_vertices;
        set.insert(set.end(), all.begin(), all.end());
      }
      return;
    }
    std::vector<std::uint32_t> from = operand();
    if (now_.is_sign("=")) {  // an attribute of the graph
      step();
      id();
      return;
    }
    if (pending_) from = {declare_pending()};
    std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> pairs;
    while (now_.is_sign("->") || now_.is_sign("--")) {
      if (now_.is_sign("->") != directed_) {
        lexer_.fail(directed_ ? "expected '->' in a digraph, found '--'" : "expected '--' in a graph, found '->'");
      }
      step();
      std::vector<std::uint32_t> to = operand();
      if (pending_) to = {declare_pending()};
      pairs.emplace_back(std::move(from), to);
      from = std::move(to);
    }
    const attributes own = attribute_lists();
    if (pairs.empty()) {
      for (const std::uint32_t v : from) describe(v, own);
      return;
    }
    const std::optional<double> weight = weight_of(own);
    sets_.push_back(of_edge(own));
    for (const auto& [sources, targets] : pairs) {
      for (const std::uint32_t a : sources) {
        for (const std::uint32_t b : targets) edges_.push_back({a, b, weight, sets_.size() - 1});
      }
    }
  }

  /// Reads a vertex, and keeps its name in pending_, or a subgraph, and returns the vertices of the latter.
  std::vector<std::uint32_t> operand() {
    pending_.reset();
    const bool subgraph = now_.is_word("subgraph");
    if (subgraph) {
      step();
      if (now_.is == dot_token::kind::id) step();
    }
    if (!subgraph && !now_.is_sign("{")) {
      pending_ = id();
      while (now_.is_sign(":")) {  // a port of the vertex
        step();
        id();
      }
      return {};
    }
    constexpr std::size_t deepest = 200;  // of calls within calls
    if (scopes_.size() > deepest) lexer_.fail("subgraphs within more than 200 subgraphs are not read");
    expect("{");
    scopes_.push_back({scopes_.back().of_vertices, scopes_.back().of_edges, {}});
    statements();
    std::vector<std::uint32_t> all = std::move(scopes_.back().vertices);
    scopes_.pop_back();
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    auto& outer = scopes_.back().vertices;
    if (scopes_.size() > 1) outer.insert(outer.end(), all.begin(), all.end());
    pending_.reset();
    return all;
  }

  std::uint32_t declare_pending() {
    const std::uint32_t v = graph_.vertex(*pending_);
    pending_.reset();
    if (known_.size() <= v) known_.resize(v + std::size_t{1});
    if (!known_[v]) describe(v, scopes_.back().of_vertices);
    known_[v] = true;
    if (scopes_.size() > 1) scopes_.back().vertices.push_back(v);
    return v;
  }

  attributes attribute_lists() {
    attributes all;
    while (now_.is_sign("[")) {
      step();
      while (!now_.is_sign("]")) {
        if (now_.is_sign(";") || now_.is_sign(",")) {
          step();
          continue;
        }
        std::string key = id();
        dot_token value{dot_token::kind::id, "true"};
        if (now_.is_sign("=")) {
          step();
          value = now_;
          id();
        }
        all.emplace_back(std::move(key), std::move(value));
      }
      step();
    }
    return all;
  }

  void describe(std::uint32_t v, const attributes& own) {
    for (const auto& [key, value] : own) {
      if (key != "label" || value.html) {
        set_attribute(attribute_of::vertices, v, key, value);
        continue;
      }
      const std::string text = label_text(value.text);
      if (value.text != "\\N" && !text.empty()) graph_.call(v, text);
    }
  }

  void set_attribute(attribute_of of, std::uint64_t row, const std::string& key, const dot_token& value) {
    if (value.html) return graph_.leave_out(of, key);
    // Numbers and truth values are in no quotes; programs put texts in quotes, or leave them bare.
    const bool bare = !value.quoted && (value.text == "true" || value.text == "false" || is_numeral(value.text));
    graph_.set_attribute(of, row, key, input::without_references(value.text, true),
                         bare ? std::nullopt : std::optional(column_type::text));
  }

  void set_attributes(attribute_of of, std::uint64_t row, const attributes& all) {
    for (const auto& [key, value] : all) set_attribute(of, row, key, value);
  }

  static bool is_numeral(std::string_view text) {
    return !text.empty() && text.find_first_not_of("+-.0123456789eE") == text.npos;
  }

  /// Returns a label as it is drawn: with line breaks, without their alignment.
  static std::string label_text(std::string_view label) {
    std::string text;
    for (std::size_t i = 0; i < label.size(); ++i) {
      if (label[i] != '\\' || i + 1 == label.size()) {
        text += label[i];
        continue;
      }
      const char c = label[++i];
      const bool line_break = c == 'n' || c == 'l' || c == 'r';
      if (line_break && i + 1 == label.size()) break;
      text += line_break ? '\n' : c;
    }
    return input::without_references(text, true);
  }

  /// Returns the attributes of the edges of a statement beside their weight.
  attributes of_edge(const attributes& own) const {
    attributes all;
    for (const attributes* of : {&scopes_.back().of_edges, &own}) {
      for (const auto& one : *of) {
        if (one.first != "weight" && (weight_key_ == "none" || one.first != weight_key_)) all.push_back(one);
      }
    }
    return all;
  }

  std::optional<double> weight_of(const attributes& own) const {
    const dot_token* found = nullptr;
    for (const attributes* of : {&scopes_.back().of_edges, &own}) {
      for (const auto& [key, value] : *of) {
        if (weight_key_ != "none" && key == weight_key_) found = &value;
      }
    }
    if (found == nullptr) return std::nullopt;
    const auto weight = to_weight(found->text, weights::real);
    if (!weight) lexer_.fail(not_a_weight(found->text, weights::real));
    return weight;
  }

  collector graph_;
  dot_lexer lexer_;
  std::string weight_key_;
  dot_token now_;
  bool strict_ = false;
  bool directed_ = false;
  std::vector<scope> scopes_;
  std::optional<std::string> pending_;  ///< a vertex, unless "=" makes it an attribute
  std::vector<dot_edge> edges_;
  std::vector<attributes> sets_;  ///< of edges, by statement
  std::vector<bool> known_;       ///< by vertex: what "node [...]" says is set
};

/// Returns the first word of `text` in lower case, behind comments, and what follows it.
std::pair<std::string, std::string_view> first_dot_word(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (text.starts_with("//") || text.starts_with('#')) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      text.remove_prefix(std::min(text.find("*/"), text.size() - 2) + 2);
    } else {
      break;
    }
  }
  const std::size_t end = std::min(text.find_first_of(" \t\r\n{\""), text.size());
  return {input::lower_case(text.substr(0, end)), text.substr(end)};
}

}  // namespace

bool is_dot(std::string_view head) {
  auto [word, rest] = first_dot_word(head);
  if (word == "strict") std::tie(word, rest) = first_dot_word(rest);
  if (word != "graph" && word != "digraph") return false;
  // A name, perhaps in quotes, then the brace.
  const std::size_t brace = rest.find('{');
  if (brace == rest.npos) return false;
  const std::string_view name = input::trimmed(rest.substr(0, brace), " \t\r\n");
  return name.find_first_of("\n[") == name.npos;
}

any_edge_list read_dot(input::source& from, const read_options& options, const run_control& control,
                       read_report& report) {
  const std::string text = read_all_as_utf8(from, report);
  dot_parser parser(from, text, options);
  parser.run(report);
  return parser.graph().finish(parser.directed(), options, control, report);
}

}  // namespace callisto::graph::formats
