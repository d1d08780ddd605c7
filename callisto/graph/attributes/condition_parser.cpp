// A recursive descent over the words of a condition.
#include <callisto/graph/attributes/condition_parser.hpp>

#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace callisto::graph::condition_detail {
namespace {

/// Parentheses and `not` within each other.
constexpr int deepest = 100;

enum class token_kind { word, quoted_name, text, number, sign, end };

struct token {
  token_kind is = token_kind::end;
  std::string text = {};
  std::size_t column = 1;
};

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) { step(); }

  std::shared_ptr<const node> run() {
    auto all = any_of();
    if (now_.is != token_kind::end) fail("'and', 'or' or the end");
    return all;
  }

 private:
  using tree = std::shared_ptr<const node>;

  [[noreturn]] void fail_at(std::size_t column, const std::string& expected, const std::string& found) const {
    throw usage_error("--where: column " + std::to_string(column) + ": expected " + expected + ", found " + found);
  }
  [[noreturn]] void fail(const std::string& expected) const {
    fail_at(now_.column, expected, now_.is == token_kind::end ? "the end" : "'" + now_.text + "'");
  }

  static bool is_word_byte(char c) noexcept {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  }

  void step() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    now_ = {token_kind::end, {}, at_ + 1};
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    if (c == '"' || c == '\'' || c == '`') {
      quoted(c);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.') {
      take(token_kind::number, [](char d) { return is_word_byte(d) || d == '.' || d == '-' || d == '+'; });
    } else if (is_word_byte(c)) {
      take(token_kind::word, [](char d) { return is_word_byte(d) || d == '.'; });
    } else {
      constexpr std::array<std::string_view, 6> two{"==", "!=", "<=", ">=", "&&", "||"};
      const std::string_view pair = text_.substr(at_, 2);
      const bool is_pair = std::find(two.begin(), two.end(), pair) != two.end();
      now_.is = token_kind::sign;
      now_.text = is_pair ? std::string(pair) : std::string(1, c);
      at_ += is_pair ? 2 : 1;
    }
  }

  void take(token_kind is, bool (*belongs)(char)) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    now_.is = is;
    now_.text = text_.substr(begin, at_ - begin);
  }

  void quoted(char quote) {
    now_.is = quote == '`' ? token_kind::quoted_name : token_kind::text;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\' || quote == '`' || at_ + 1 == text_.size()) {
        now_.text += text_[at_];
        continue;
      }
      const char c = text_[++at_];
      now_.text += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    if (at_ == text_.size()) fail_at(now_.column, std::string("a ") + quote + " that closes the quote", "the end");
    ++at_;
  }

  bool is_word(std::string_view word) const noexcept { return now_.is == token_kind::word && now_.text == word; }
  bool is_sign(std::string_view sign) const noexcept { return now_.is == token_kind::sign && now_.text == sign; }
  bool skip_word(std::string_view word) { return is_word(word) && (step(), true); }
  bool skip_sign(std::string_view sign) { return is_sign(sign) && (step(), true); }

  tree joined(operation what, std::string_view word, std::string_view sign, tree (parser::*part)()) {
    const std::size_t column = now_.column;
    std::vector<tree> parts{(this->*part)()};
    while (skip_word(word) || skip_sign(sign)) parts.push_back((this->*part)());
    if (parts.size() == 1) return parts.front();
    return std::make_shared<node>(node{what, std::move(parts), {}, column});
  }

  tree any_of() { return joined(operation::any_of, "or", "||", &parser::all_of); }
  tree all_of() { return joined(operation::all_of, "and", "&&", &parser::negation); }

  tree negation() {
    const std::size_t column = now_.column;
    if (++depth_ > deepest) fail_at(column, "at most 100 parentheses within each other", "more");
    tree result;
    if (skip_word("not") || skip_sign("!")) {
      result = std::make_shared<node>(node{operation::negated, {negation()}, {}, column});
    } else if (skip_sign("(")) {
      result = any_of();
      if (!skip_sign(")")) fail("')'");
    } else {
      result = comparison();
    }
    --depth_;
    return result;
  }

  tree comparison() {
    const std::size_t column = now_.column;
    operand left = value("a column or a value");
    const auto* const name = std::get_if<column_name>(&left);
    if (skip_word("is")) {
      const bool negated = skip_word("not");
      if (name == nullptr) fail_at(column, "a column before 'is'", "a value");
      if (!skip_word("missing")) fail("'missing'");
      return maybe_not(negated, std::make_shared<node>(node{operation::missing, {}, {std::move(left)}, column}));
    }
    const bool negated = is_word("not");
    if (negated) step();
    if (skip_word("in")) return maybe_not(negated, among(std::move(left), column));
    if (negated) fail("'in'");
    constexpr std::array<std::pair<std::string_view, operation>, 7> signs{{{"==", operation::equal},
                                                                           {"=", operation::equal},
                                                                           {"!=", operation::unequal},
                                                                           {"<", operation::less},
                                                                           {"<=", operation::at_most},
                                                                           {">", operation::greater},
                                                                           {">=", operation::at_least}}};
    for (const auto& [sign, what] : signs) {
      if (!skip_sign(sign)) continue;
      operand right = value("a column or a value");
      return std::make_shared<node>(node{what, {}, {std::move(left), std::move(right)}, column});
    }
    if (name == nullptr) fail("a comparison, such as ==");
    return std::make_shared<node>(node{operation::truth, {}, {std::move(left)}, column});
  }

  static tree maybe_not(bool negated, tree of) {
    if (!negated) return of;
    const std::size_t column = of->column;
    return std::make_shared<node>(node{operation::negated, {std::move(of)}, {}, column});
  }

  tree among(operand left, std::size_t column) {
    const bool square = is_sign("[");
    if (!skip_sign("(") && !skip_sign("[")) fail("'('");
    std::vector<operand> operands{std::move(left)};
    do {
      operands.push_back(value("a value"));
      if (std::holds_alternative<column_name>(operands.back())) fail_at(column, "values behind 'in'", "a column");
    } while (skip_sign(","));
    if (!skip_sign(square ? "]" : ")")) fail(square ? "',' or ']'" : "',' or ')'");
    return std::make_shared<node>(node{operation::among, {}, std::move(operands), column});
  }

  operand value(const std::string& expected) {
    token taken = now_;
    switch (taken.is) {
      case token_kind::text:
        step();
        return std::move(taken.text);
      case token_kind::quoted_name:
        step();
        return column_name{owner::any, std::move(taken.text)};
      case token_kind::number:
        step();
        return number(taken);
      case token_kind::word:
        break;
      case token_kind::sign:
      case token_kind::end:
        fail(expected);
    }
    for (const std::string_view word : {"and", "or", "not", "in", "is"}) {
      if (taken.text == word) fail(expected);
    }
    step();
    if (taken.text == "true") return true;
    if (taken.text == "false") return false;
    for (const auto& [prefix, of] :
         {std::pair<std::string_view, owner>("vertex.", owner::vertex), {"edge.", owner::edge}}) {
      if (!taken.text.starts_with(prefix)) continue;
      std::string name = taken.text.substr(prefix.size());
      if (name.empty() && now_.is == token_kind::quoted_name) {
        name = now_.text;
        step();
      }
      if (name.empty()) fail("the name of a column");
      return column_name{of, std::move(name)};
    }
    return column_name{owner::any, std::move(taken.text)};
  }

  long double number(const token& taken) const {
    std::string_view digits = taken.text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const char* const end = digits.data() + digits.size();
    std::int64_t whole = 0;
    if (const auto [stop, error] = std::from_chars(digits.data(), end, whole); error == std::errc{} && stop == end) {
      return static_cast<long double>(whole);
    }
    double real = 0;
    const auto [stop, error] = std::from_chars(digits.data(), end, real);
    if (error != std::errc{} || stop != end) fail_at(taken.column, "a number", "'" + taken.text + "'");
    return static_cast<long double>(real);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  token now_;
};

}  // namespace

std::shared_ptr<const node> parse_condition(std::string_view text) { return parser(text).run(); }

}  // namespace callisto::graph::condition_detail
