// Reads labels and weights of seeds.
#include <callisto/app/graph/seed_options.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/table_file.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_set>
#include <variant>

namespace callisto::app {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns the place of the quote that closes the one at the front of `text`; npos if there is none.
std::size_t closing_quote(std::string_view text) {
  std::size_t close = text.starts_with('"') ? text.find('"', 1) : text.npos;
  while (close != text.npos && text.substr(close + 1).starts_with('"')) close = text.find('"', close + 2);
  return close;
}

/// Returns what stands in quotes, of which doubled ones are one.
std::string unquoted(std::string_view text) {
  std::string label;
  for (std::size_t i = 0; i < text.size(); ++i) {
    label += text[i];
    if (text[i] == '"') ++i;
  }
  return label;
}

/// Reads a label, which may be in quotes, and, behind one of `separators`, its weight, which is 1 if there is none.
named_seed parse_seed(std::string_view flag, std::string_view text, std::string_view separators) {
  const std::size_t close = closing_quote(text);
  const std::string_view behind = close == text.npos ? std::string_view("?") : trimmed(text.substr(close + 1));
  if (behind.empty() || separators.find(behind.front()) != separators.npos ||
      (close != text.npos && separators.find(' ') != separators.npos)) {
    named_seed seed{unquoted(text.substr(1, close - 1)), 1, std::string(text)};
    if (behind.empty()) return seed;
    const std::size_t number = std::min(behind.find_first_not_of(separators), behind.size());
    seed.weight = parse_real(flag, trimmed(behind.substr(number)), {.low = 0, .above_low = true});
    return seed;
  }
  const std::size_t split = text.find_last_of(separators);
  named_seed seed{std::string(trimmed(text.substr(0, split))), 1, std::string(text)};
  if (seed.label.empty()) throw usage_error(fmt::format("{}: expected a vertex, found '{}'", flag, text));
  if (split != text.npos) {
    seed.weight = parse_real(flag, trimmed(text.substr(split + 1)), {.low = 0, .above_low = true});
  }
  return seed;
}

bool is_number(std::string_view text) {
  double value = 0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size();
}

std::vector<named_seed> read_list(std::string_view list) {
  std::vector<named_seed> seeds;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t close = closing_quote(list.substr(begin));
    const std::size_t end = std::min(list.find(',', close == list.npos ? begin : begin + close), list.size());
    seeds.push_back(parse_seed("--seeds", list.substr(begin, end - begin), ":"));
    begin = end + 1;
  }
  return seeds;
}

std::vector<named_seed> read_file(const std::string& path) {
  std::vector<named_seed> seeds;
  for_each_text_line(path, [&](std::uint64_t number, std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') return;
    // A name may end in a word that is no number: "New York".
    const std::size_t split = text.find_last_of(blanks);
    const bool weighted = split == text.npos || is_number(text.substr(split + 1)) || text.front() == '"';
    seeds.push_back(weighted ? parse_seed("a seed", text, blanks)
                             : named_seed{std::string(text), 1, std::string(text)});
    seeds.back().line = number;
  });
  if (seeds.empty()) throw input_error(path, 0, "expected a seed a line, found none");
  return seeds;
}

}  // namespace

void seed_options::add_to(const command_parser& parser) {
  const command_option given =
      parser.add_option("--seeds", list, "Begin again only at these vertices: U,U:WEIGHT,... [anywhere]")
          .type_name("LIST")
          .more(
              "Personalised PageRank. A vertex without a weight has the weight 1. A name with commas stands in "
              "quotes.");
  parser
      .add_option("--seeds-file", file,
                  "Begin again only at the vertices in FILE, one a line, a weight behind it or not")
      .type_name("FILE")
      .excludes(given)
      .more(
          "Lines that begin with `#` are skipped. A vertex without a weight has the weight 1. A line that is the name "
          "of "
          "a vertex is this vertex, whatever it ends with; names may stand in quotes.");
}

std::vector<named_seed> seed_options::read() const {
  if (file) return read_file(*file);
  if (list) return read_list(*list);
  return {};
}

std::vector<graph::pagerank_seed> seed_options::find(const std::vector<named_seed>& seeds,
                                                     const graph::any_graph& graph) const {
  const char* flag = file ? "--seeds-file" : "--seeds";
  std::vector<graph::pagerank_seed> found;
  std::unordered_set<std::uint64_t> known;
  const auto names = std::visit([](const auto& g) { return g.names(); }, graph);
  for (const named_seed& given : seeds) {
    named_seed seed = given;
    if (file && names != nullptr && names->find(machine::as_utf8(given.whole))) seed = {given.whole, 1, {}, given.line};
    const bool digits = std::all_of(seed.label.begin(), seed.label.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (file && !digits && !is_named(graph)) {
      throw input_error(*file, seed.line, fmt::format("a seed: expected a whole number, found '{}'", seed.label));
    }
    const std::uint64_t vertex = vertex_of(graph, seed.label, flag);
    if (!known.insert(vertex).second) throw usage_error(fmt::format("{}: {} is named twice", flag, seed.label));
    found.push_back({vertex, seed.weight});
  }
  return found;
}

}  // namespace callisto::app
