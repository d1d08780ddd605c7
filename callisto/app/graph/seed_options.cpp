// Reads labels and weights of seeds.
#include <callisto/app/graph/seed_options.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/table_file.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace callisto::app {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Reads a label and, behind one of `separators`, its weight, which is 1 if there is none.
named_seed parse_seed(std::string_view flag, std::string_view text, std::string_view separators) {
  const std::size_t split = text.find_last_of(separators);
  named_seed seed{std::string(trimmed(text.substr(0, split))), 1};
  if (seed.label.empty()) throw usage_error(fmt::format("{}: expected a vertex, found '{}'", flag, text));
  if (split != text.npos) {
    seed.weight = parse_real(flag, trimmed(text.substr(split + 1)), {.low = 0, .above_low = true});
  }
  return seed;
}

std::vector<named_seed> read_list(std::string_view list) {
  std::vector<named_seed> seeds;
  for (const std::string& word : words_of(list)) seeds.push_back(parse_seed("--seeds", word, ":"));
  return seeds;
}

std::vector<named_seed> read_file(const std::string& path) {
  std::vector<named_seed> seeds;
  for_each_text_line(path, [&](std::uint64_t number, std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') return;
    seeds.push_back(parse_seed("a seed", text, blanks));
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
          .more("Personalised PageRank. A vertex without a weight has the weight 1.");
  parser
      .add_option("--seeds-file", file,
                  "Begin again only at the vertices in FILE, one a line, a weight behind it or not")
      .type_name("FILE")
      .excludes(given)
      .more("Lines that begin with `#` are skipped. A vertex without a weight has the weight 1.");
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
  for (const named_seed& seed : seeds) {
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
