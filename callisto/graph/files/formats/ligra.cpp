// The reader of Ligra's graphs: "AdjacencyGraph" or "WeightedAdjacencyGraph", then the numbers of vertices and arcs,
// the offsets of all vertices, the targets of all arcs and, of the latter, the weights; a number a line.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/csr_blocks.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace callisto::graph::formats {
namespace {

class number_reader {
 public:
  number_reader(const input::source& from, std::string_view text) : from_(from), text_(text) {}

  /// Moves to the next token; empty at the end.
  std::string_view token() noexcept {
    at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size());
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(blanks, at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  std::uint64_t number(std::uint64_t last, std::string_view what) {
    const std::string_view found = token();
    const auto value = input::to_unsigned(found);
    if (value && *value <= last) return *value;
    throw input_error(
        from_.name(), line(),
        found.empty() ? "truncated: expected a " + std::string(what) : input::not_a_number_in(found, 0, last, what));
  }

  std::uint64_t line() const {
    return static_cast<std::uint64_t>(
               std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n')) +
           1;
  }

 private:
  static constexpr std::string_view blanks = " \t\r\n";
  const input::source& from_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

any_edge_list read_ligra(input::source& from, const read_options& options, read_report& report) {
  const std::string text = input::read_all(from);
  number_reader reader(from, text);
  const std::string_view word = reader.token();
  const bool weighted = word == "WeightedAdjacencyGraph";
  if (!weighted && word != "AdjacencyGraph") {
    throw input_error(from.name(), 1,
                      "expected 'AdjacencyGraph' or 'WeightedAdjacencyGraph', found " + input::shown(word));
  }
  const std::uint64_t vertices = reader.number(std::uint64_t{1} << 37, "number of vertices");
  check_vertices(vertices, from, 2);
  const std::uint64_t arcs = reader.number(std::numeric_limits<std::uint64_t>::max() / 16, "number of arcs");
  // Each number takes two bytes or more.
  if (vertices > text.size() / 2 || arcs > text.size() / 2) {
    throw input_error(from.name(), 2,
                      "truncated: " + std::to_string(vertices) + " vertices and " + std::to_string(arcs) + " arcs in " +
                          input::counted(text.size(), "byte"));
  }
  std::vector<std::uint64_t> offsets(vertices + 1, arcs);
  for (std::uint64_t v = 0; v < vertices; ++v) offsets[v] = reader.number(arcs, "offset");
  std::vector<std::uint64_t> targets(arcs);
  for (auto& target : targets) target = reader.number(vertices - 1, "vertex number");
  std::vector<double> weights(weighted ? arcs : 0);
  for (auto& weight : weights) {
    const std::string_view found = reader.token();
    const auto value = to_weight(found, formats::weights::real);
    if (!value) throw input_error(from.name(), reader.line(), not_a_weight(found, formats::weights::real));
    weight = *value;
  }
  const std::string_view more = reader.token();
  if (!more.empty()) throw input_error(from.name(), reader.line(), "expected the end, found " + input::shown(more));
  report.direction_known = false;
  const csr_matrix matrix{vertices,
                          arcs,
                          [&](std::uint64_t i) { return offsets[i]; },
                          [&](std::uint64_t k) { return targets[k]; },
                          [&](std::uint64_t k) { return weights[k]; },
                          weighted};
  return with_vertex_type(vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
    auto list = edges_of_rows<Vertex>(matrix, false, 0, from);
    list.meaning = direction_of(false, options);
    return list;
  });
}

}  // namespace callisto::graph::formats
