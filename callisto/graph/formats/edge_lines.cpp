// Parsing lines of edges: a fast way for the usual line, a careful one for all others and for what is wrong with them.
#include <callisto/graph/formats/edge_lines.hpp>

#include <callisto/graph/input/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace callisto::graph::formats {
namespace {

using input::is_blank;

/// The weight at `p`, which is moved behind it; false if there is no finite number. `end` is behind the text.
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
  line_parser(std::string_view text, const edge_line_rules& rules, edge<Id>* edges, double* weight_values)
      : text_(text), rules_(rules), edges_(edges), weight_values_(weight_values) {}

  edge_lines run() {
    const char* p = text_.data();
    const char* const end = p + text_.size();
    const std::uint64_t first = rules_.first_id;
    const std::uint64_t span = std::min<std::uint64_t>(rules_.last_id - first, std::numeric_limits<Id>::max());
    const char prefix = rules_.prefix;
    edge<Id>* next = edges_;
    // Kept apart from found_ so that they stay in registers.
    Id smallest = std::numeric_limits<Id>::max();
    Id largest = 0;
    while (p != end) {
      const char* const line = p;
      std::uint64_t from = 0;
      std::uint64_t to = 0;
      double weight = 0;
      if (prefix == 0 || (p[0] == prefix && is_blank(p[1]) && (p += 2, true))) {
        if (input::parse_digits(p, from) && is_blank(*p) && input::parse_digits(++p, to) &&
            (Kind == weights::none || (is_blank(*p) && parse_weight<Kind>(++p, end, weight)))) {
          p += *p == '\r' ? 1 : 0;
          if (*p == '\n' && from - first <= span && to - first <= span) [[likely]] {
            ++p;
            *next = {static_cast<Id>(from - first), static_cast<Id>(to - first)};
            smallest = std::min({smallest, next->from, next->to});
            largest = std::max({largest, next->from, next->to});
            if constexpr (Kind != weights::none) weight_values_[next - edges_] = weight;
            ++next;
            continue;
          }
        }
      }
      const auto* const stop = static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
      p = stop + 1;
      edge<Id> careful_edge;
      switch (careful({line, static_cast<std::size_t>(stop - line)}, careful_edge, weight)) {
        case verdict::nothing:
          break;
        case verdict::an_edge:
          smallest = std::min({smallest, careful_edge.from, careful_edge.to});
          largest = std::max({largest, careful_edge.from, careful_edge.to});
          if constexpr (Kind != weights::none) weight_values_[next - edges_] = weight;
          *next++ = careful_edge;
          break;
        case verdict::too_wide:
          found_.too_wide = true;
          return std::move(found_);
        case verdict::wrong:
          found_.wrong->line = count_lines({text_.data(), static_cast<std::size_t>(line - text_.data())}) + 1;
          return std::move(found_);
      }
    }
    found_.edges = static_cast<std::uint64_t>(next - edges_);
    if (found_.edges != 0) {
      found_.smallest = smallest;
      found_.largest = largest;
    }
    return std::move(found_);
  }

 private:
  enum class verdict { nothing, an_edge, too_wide, wrong };

  /// A line that the fast way does not know.
  verdict careful(std::string_view line, edge<Id>& result, double& weight) {
    if (line.size() > input::longest_line) return wrong(overlong(input::longest_line));
    const input::columns columns = input::split(line);
    if (columns.count == 0) return verdict::nothing;
    const std::string_view head = columns.text[0];
    if (rules_.comments.find(head.front()) != std::string_view::npos && (!rules_.letter_comments || head.size() == 1)) {
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
    std::uint64_t id[2] = {};
    for (std::uint64_t& value : id) {
      if (i >= columns.count) break;
      const auto number = input::to_unsigned(columns.text[i]);
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
  const edge_line_rules& rules_;
  edge<Id>* edges_;
  double* weight_values_;
  edge_lines found_;
};

}  // namespace

std::uint64_t count_lines(std::string_view text) noexcept {
  // Byte-wide counters in lanes, which compilers turn into vector code; they are emptied before they can overflow.
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
                            double* weight_values) {
  switch (rules.weights) {
    case weights::none:
      return line_parser<Id, weights::none>(text, rules, edges, weight_values).run();
    case weights::whole:
      return line_parser<Id, weights::whole>(text, rules, edges, weight_values).run();
    case weights::real:
      return line_parser<Id, weights::real>(text, rules, edges, weight_values).run();
  }
  __builtin_unreachable();
}

template edge_lines parse_edge_lines(std::string_view, const edge_line_rules&, edge<std::uint32_t>*, double*);
template edge_lines parse_edge_lines(std::string_view, const edge_line_rules&, edge<std::uint64_t>*, double*);

template <class Vertex>
std::vector<edge_block<Vertex>> read_declared_edges(input::source& from, const input::text_cut& cut,
                                                    const edge_line_rules& rules) {
  return parse_chunks<edge_block<Vertex>>(
      from, cut, [&](std::string_view text, std::uint64_t lines, edge_block<Vertex>& block) {
        block.edges = machine::page_array<edge<Vertex>>(lines);
        if (rules.weights != weights::none) block.weights = machine::page_array<double>(lines);
        edge_lines found = parse_edge_lines(text, rules, block.edges.data(), block.weights.data());
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
