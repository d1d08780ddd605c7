// Parsing lines of edges, in three ways: usual_lines() is fastest and takes runs of usual lines; plain_line() takes
// every other edge of digits; careful() takes all other lines, and finds what is wrong with them.
#include <callisto/graph/files/formats/edge_lines.hpp>

#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/marks.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace callisto::graph::formats {
namespace {

/// Reads the weight at `p` and moves `p` behind it. Returns false if there is no finite number. `end`: behind the text.
template <weights Kind>
bool parse_weight(const char*& p, const char* end, double& value) noexcept {
  std::uint64_t whole;
  const char* const begin = p;
  if (input::parse_digits(p, whole) && (*p == '\n' || *p == '\r') && whole <= std::uint64_t{1} << 53) {
    value = static_cast<double>(whole);
    return true;
  }
  p = begin;
  if constexpr (Kind == weights::whole) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(p, end, number);
    p = stop;
    value = static_cast<double>(number);
    return error == std::errc{};
  } else {
    const auto [stop, error] = std::from_chars(p, end, value);
    p = stop;
    return error == std::errc{} && std::isfinite(value);
  }
}

template <class Id, weights Kind>
class line_parser {
 public:
  line_parser(std::string_view text, const edge_line_rules& rules, edge<Id>* edges, weight_array& values)
      : text_(text),
        end_(text.data() + text.size()),
        rules_(rules),
        separators_{rules.separator, rules.separator == ' ' ? '\t' : rules.separator},
        span_(std::min<std::uint64_t>(rules.last_id - rules.first_id, std::numeric_limits<Id>::max())),
        edges_(edges),
        values_(values),
        next_(edges) {}

  edge_lines run() {
    const char* p = text_.data();
    input::mark_finder marks(text_);
    while (marks.go_on(p)) {
      for (;;) {
        p = usual_lines(p, marks);
        if (marks.known() < most_marks) break;
        if (!any_line(p)) return std::move(found_);
        marks.forget_before(p);
      }
    }
    while (p != end_) {
      if (!any_line(p)) return std::move(found_);
    }
    found_.edges = static_cast<std::uint64_t>(next_ - edges_);
    if (found_.edges != 0) {
      found_.smallest = smallest_;
      found_.largest = largest_;
    }
    return std::move(found_);
  }

 private:
  enum class verdict { nothing, an_edge, too_wide, wrong };

  /// Marks of a line: the prefix and its blank, behind both ids and a weight of digits, the end of "\r\n".
  static constexpr std::size_t most_marks = 6;
  static_assert(most_marks <= input::mark_finder::most_kept);

  bool separates(char c) const noexcept { return c == separators_[0] || c == separators_[1]; }

  /// Returns the number that `digits` characters at `p` spell; 1 to 8.
  static std::uint64_t short_number(const char* p, std::size_t digits) noexcept {
    return input::detail::join_eight((input::detail::load_eight(p) ^ 0x3030303030303030u) << (64 - 8 * digits));
  }

  /// The weights of all edges; one of the two is null.
  struct value_arrays {
    short_weight* short_ones;
    double* wide;
  };

  /// Stores the weight behind the blank at `stop` as that of edge `i`, and moves `stop` behind it. Adds its mark to
  /// `used`, or sets `used` to 0 if it may have several. Returns false if there is no blank, or the weight is not a
  /// number or does not fit the form of all.
  [[gnu::always_inline]] bool usual_weight(const char*& stop, std::size_t& used, const input::mark_finder& marks,
                                           std::size_t i, const value_arrays& values) const noexcept {
    if (!separates(*stop)) return false;
    constexpr std::size_t eight = 8;
    const char* const behind = marks.mark(used);
    const auto digits = static_cast<std::size_t>(behind - stop) - 1;
    if (digits - 1 < eight && (*behind == '\n' || *behind == '\r')) {
      const std::uint64_t weight = short_number(stop + 1, digits);
      if (values.wide != nullptr) {
        values.wide[i] = static_cast<double>(weight);
      } else {
        if (weight > std::numeric_limits<short_weight>::max()) return false;
        values.short_ones[i] = static_cast<short_weight>(weight);
      }
      stop = behind;
      ++used;
      return true;
    }
    double weight = 0;
    if (!parse_weight<Kind>(++stop, end_, weight)) return false;
    if (values.wide != nullptr) {
      values.wide[i] = weight;
    } else {
      if (!is_short(weight)) return false;
      values.short_ones[i] = weight_as<short_weight>(weight);
    }
    used = 0;
    return true;
  }

  /// Parses usual lines from `p` on while their marks are known: ids of up to eight digits, one blank between columns,
  /// a weight that fits the form of all. Returns the begin of the first line that it leaves.
  const char* usual_lines(const char* p, input::mark_finder& marks) noexcept {
    const std::uint64_t first = rules_.first_id;
    const std::uint64_t span = span_;
    const char prefix = rules_.prefix;
    // Copies of members: the compiler keeps them in registers.
    edge<Id>* next = next_;
    const value_arrays values{values_.template data<short_weight>(), values_.template data<double>()};
    Id smallest = smallest_;
    Id largest = largest_;
    while (marks.known() >= most_marks) {
      const char* begin = p;
      std::size_t used = 0;
      if (prefix != 0) {
        if (*p != prefix || !separates(p[1])) break;
        begin = p + 2;
        used = 2;
      }
      const char* const middle = marks.mark(used);
      const char* stop = marks.mark(used + 1);
      const auto from_digits = static_cast<std::size_t>(middle - begin);
      const auto to_digits = static_cast<std::size_t>(stop - middle) - 1;
      constexpr std::size_t eight = 8;
      if (from_digits - 1 >= eight || to_digits - 1 >= eight || !separates(*middle)) break;
      const std::uint64_t from = short_number(begin, from_digits) - first;
      const std::uint64_t to = short_number(middle + 1, to_digits) - first;
      if (from > span || to > span) break;
      used += 2;
      if constexpr (Kind != weights::none) {
        if (!usual_weight(stop, used, marks, static_cast<std::size_t>(next - edges_), values)) break;
      }
      if (*stop == '\r') {
        ++stop;
        used += used != 0 ? 1 : 0;
      }
      if (*stop != '\n') break;
      p = stop + 1;
      *next = {static_cast<Id>(from), static_cast<Id>(to)};
      smallest = std::min({smallest, next->from, next->to});
      largest = std::max({largest, next->from, next->to});
      ++next;
      if (Kind == weights::none || used != 0) {
        marks.forget(used);
      } else {
        marks.forget_before(p);
      }
    }
    next_ = next;
    smallest_ = smallest;
    largest_ = largest;
    return p;
  }

  /// Parses the line at `p` and moves `p` behind it. Returns false if the line ends the work; found_ has the reason.
  bool any_line(const char*& p) {
    const char* const line = p;
    edge<Id> read;
    double weight = 0;
    if (plain_line(p, read, weight)) {
      take(read, weight);
      return true;
    }
    const auto* const stop = static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end_ - line)));
    p = stop + 1;
    switch (careful({line, static_cast<std::size_t>(stop - line)}, read, weight)) {
      case verdict::nothing:
        return true;
      case verdict::an_edge:
        take(read, weight);
        return true;
      case verdict::too_wide:
        found_.too_wide = true;
        return false;
      case verdict::wrong:
        if (rules_.skip_bad && found_.left_out.count != 0) {  // only the first one's number is wanted
          found_.wrong.reset();
          ++found_.left_out.count;
          return true;
        }
        found_.wrong->line = count_lines({text_.data(), static_cast<std::size_t>(line - text_.data())}) + 1;
        if (!rules_.skip_bad) return false;
        found_.left_out.add(std::move(*std::exchange(found_.wrong, std::nullopt)));
        return true;
    }
    __builtin_unreachable();
  }

  /// Parses a line with one blank between columns and with ids and a weight that fit; moves `p` behind it. Returns
  /// false for any other line, and leaves `p` anywhere.
  bool plain_line(const char*& p, edge<Id>& read, double& weight) const noexcept {
    if (rules_.prefix != 0) {
      if (p[0] != rules_.prefix || !separates(p[1])) return false;
      p += 2;
    }
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    if (!input::parse_digits(p, from) || !separates(*p) || !input::parse_digits(++p, to)) return false;
    if (Kind != weights::none && (!separates(*p) || !parse_weight<Kind>(++p, end_, weight))) return false;
    p += *p == '\r' ? 1 : 0;
    if (*p != '\n' || from - rules_.first_id > span_ || to - rules_.first_id > span_) return false;
    ++p;
    read = {static_cast<Id>(from - rules_.first_id), static_cast<Id>(to - rules_.first_id)};
    return true;
  }

  void take(const edge<Id>& read, double weight) {
    smallest_ = std::min({smallest_, read.from, read.to});
    largest_ = std::max({largest_, read.from, read.to});
    if constexpr (Kind != weights::none) values_.set(static_cast<std::size_t>(next_ - edges_), weight);
    *next_++ = read;
  }

  /// Parses a line that plain_line() refused.
  verdict careful(std::string_view line, edge<Id>& result, double& weight) {
    if (line.size() > input::longest_line) return wrong(overlong(input::longest_line));
    input::columns columns = input::split(line, rules_.separator);
    if (columns.count == 0) return verdict::nothing;
    const std::string_view head = columns.text[0];
    // A first column may be empty.
    if (!head.empty() && rules_.comments.find(head.front()) != std::string_view::npos &&
        (!rules_.letter_comments || head.size() == 1)) {
      return verdict::nothing;
    }
    std::size_t i = 0;
    if (rules_.prefix != 0) {
      if (head != std::string_view(&rules_.prefix, 1)) {
        return wrong("expected a line that begins with '" + std::string(1, rules_.prefix) + "', found " +
                     input::shown(head));
      }
      ++i;
    }
    const std::size_t expected = i + 2 + (Kind == weights::none ? 0 : 1);
    if (columns.count > expected && !rules_.letter_comments && !rules_.comments.empty()) {
      // A comment behind the columns.
      const std::string_view more = columns.text[expected];
      if (more.starts_with('#') || more.starts_with('%') || more.starts_with("//")) columns.count = expected;
    }
    std::uint64_t id[2] = {};
    for (std::uint64_t& value : id) {
      if (i >= columns.count) break;
      const auto number = rules_.whole_reals ? to_vertex_number(columns.text[i]) : input::to_unsigned(columns.text[i]);
      if (!number || *number < rules_.first_id || *number > rules_.last_id) {
        return wrong(input::not_a_number_in(columns.text[i], rules_.first_id, rules_.last_id, "vertex number"));
      }
      value = *number - rules_.first_id;
      ++i;
    }
    if (columns.count != expected) {
      return wrong(input::counted(columns.count, "column") + " where " + std::to_string(expected) + " are expected");
    }
    if constexpr (Kind != weights::none) {
      const auto number = to_weight(columns.text[i], Kind);
      if (!number) return wrong(not_a_weight(columns.text[i], Kind));
      weight = *number;
    }
    if (std::max(id[0], id[1]) > std::numeric_limits<Id>::max()) return verdict::too_wide;
    result = {static_cast<Id>(id[0]), static_cast<Id>(id[1])};
    return verdict::an_edge;
  }

  verdict wrong(std::string message) {
    found_.wrong = fault{0, std::move(message)};
    return verdict::wrong;
  }

  std::string_view text_;
  const char* const end_;
  const edge_line_rules& rules_;
  const std::array<char, 2> separators_;
  const std::uint64_t span_;  ///< largest id that fits, less the first id
  edge<Id>* const edges_;
  weight_array& values_;
  edge<Id>* next_;
  Id smallest_ = std::numeric_limits<Id>::max();
  Id largest_ = 0;
  edge_lines found_;
};

}  // namespace

std::uint64_t count_lines(std::string_view text) noexcept {
  // Byte-wide counters in lanes, which compilers turn into vector code. 255 rounds cannot overflow them.
  constexpr std::size_t lanes = 32;
  constexpr std::size_t most_rounds = 255;
  std::uint64_t sum = 0;
  std::size_t i = 0;
  while (text.size() - i >= lanes) {
    std::array<std::uint8_t, lanes> counters{};
    const std::size_t rounds = std::min((text.size() - i) / lanes, most_rounds);
    for (std::size_t r = 0; r < rounds; ++r, i += lanes) {
      const char* const p = text.data() + i;
      for (std::size_t k = 0; k < lanes; ++k) {
        counters[k] = static_cast<std::uint8_t>(counters[k] + (p[k] == '\n' ? 1 : 0));
      }
    }
    for (const std::uint8_t counter : counters) sum += counter;
  }
  for (; i < text.size(); ++i) sum += text[i] == '\n' ? 1 : 0;
  return sum;
}

std::optional<double> to_weight(std::string_view token, weights kind) noexcept {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  const char* const end = token.data() + token.size();
  if (kind == weights::whole) {
    std::int64_t value;
    const auto [stop, error] = std::from_chars(token.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return static_cast<double>(value);
  }
  double value;
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string not_a_weight(std::string_view token, weights kind) {
  return std::string("expected a ") + (kind == weights::whole ? "whole" : "finite") + " number as weight, found " +
         input::shown(token);
}

template <class Id>
edge_lines parse_edge_lines(std::string_view text, const edge_line_rules& rules, edge<Id>* edges,
                            weight_array& values) {
  switch (rules.weights) {
    case weights::none:
      return line_parser<Id, weights::none>(text, rules, edges, values).run();
    case weights::whole:
      return line_parser<Id, weights::whole>(text, rules, edges, values).run();
    case weights::real:
      return line_parser<Id, weights::real>(text, rules, edges, values).run();
  }
  __builtin_unreachable();
}

template edge_lines parse_edge_lines(std::string_view, const edge_line_rules&, edge<std::uint32_t>*, weight_array&);
template edge_lines parse_edge_lines(std::string_view, const edge_line_rules&, edge<std::uint64_t>*, weight_array&);

template <class Vertex>
std::vector<edge_block<Vertex>> read_declared_edges(input::source& from, const input::text_cut& cut,
                                                    const edge_line_rules& rules) {
  return parse_chunks<edge_block<Vertex>>(
      from, cut, [&](std::string_view text, std::uint64_t lines, edge_block<Vertex>& block) {
        block.edges = machine::page_array<edge<Vertex>>(lines);
        if (rules.weights != weights::none) block.weights = weight_array(lines);
        edge_lines found = parse_edge_lines(text, rules, block.edges.data(), block.weights);
        block.edges.shrink(found.edges);
        block.weights.shrink(found.edges);
        return std::move(found.wrong);
      });
}

template std::vector<edge_block<std::uint32_t>> read_declared_edges(input::source&, const input::text_cut&,
                                                                    const edge_line_rules&);
template std::vector<edge_block<std::uint64_t>> read_declared_edges(input::source&, const input::text_cut&,
                                                                    const edge_line_rules&);

}  // namespace callisto::graph::formats
