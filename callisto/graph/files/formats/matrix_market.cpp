// The reader of sparse matrices in Matrix Market's coordinate format (math.nist.gov/MatrixMarket/formats.html): an
// entry in row i and column j is an edge from i to j.
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/npy_edges.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

/// The banner and the line of sizes.
struct matrix_header {
  weights values = weights::none;
  bool complex = false;    ///< values are complex numbers, of which the absolute value counts
  bool symmetric = false;  ///< or Hermitian
  bool skew = false;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t vertices = 0;  ///< the larger of both
  std::uint64_t entries = 0;
  std::uint64_t line = 0;  ///< number of the line of sizes
  std::size_t end = 0;     ///< where the entries begin
};

/// Reads the banner. Returns false if the first line is none.
bool parse_banner(std::string_view given, const input::source& from, matrix_header& found, read_report& report) {
  std::string line(given);
  if (!is_banner(line)) return false;
  if (!line.starts_with("%%")) {
    report.notes.emplace_back("the banner '%%MatrixMarket' lacks a '%', which is taken as a slip");
    line.erase(0, line.find_first_not_of("% "));
    line.insert(0, 2, '%');
  }
  const input::columns words = input::split(line);
  const auto fail = [&](const std::string& message) { throw input_error(from.name(), 1, message); };
  if (words.count != 5 || input::lower_case(words.text[0]) != "%%matrixmarket") {
    fail("expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY', found " + input::shown(line));
  }
  const auto refuse = [&](std::string_view word, const std::string& expected) {
    fail(input::shown(word) + " Matrix Market files are not graphs that can be read; expected " + expected);
  };
  if (input::lower_case(words.text[1]) != "matrix") refuse(words.text[1], "'matrix'");
  if (input::lower_case(words.text[2]) != "coordinate") refuse(words.text[2], "'coordinate'");
  const std::string field = input::lower_case(words.text[3]);
  if (field == "real" || field == "double") {
    found.values = weights::real;
  } else if (field == "integer") {
    found.values = weights::whole;
  } else if (field == "complex") {
    found.values = weights::real;
    found.complex = true;
    report.notes.emplace_back("entries are complex: their absolute values are the weights");
  } else if (field != "pattern") {
    refuse(words.text[3], "'pattern', 'real', 'integer' or 'complex'");
  }
  const std::string symmetry = input::lower_case(words.text[4]);
  found.symmetric = symmetry == "symmetric" || symmetry == "hermitian";
  found.skew = symmetry == "skew-symmetric";
  if (found.skew && (found.values == weights::none || found.complex)) {
    refuse(words.text[3], "'real' or 'integer' in a skew-symmetric matrix");
  }
  if (!found.symmetric && !found.skew && symmetry != "general") {
    refuse(words.text[4], "'general', 'symmetric', 'skew-symmetric' or 'hermitian'");
  }
  return true;
}

/// Takes from the first entry of a file without a banner whether entries have values.
void look_at_entries(input::line_reader lines, matrix_header& found) {
  while (lines.next()) {
    const input::columns entry = input::split(lines.line());
    if (entry.count == 0 || entry.text[0].front() == '%') continue;
    found.values = entry.count >= 3 ? weights::real : weights::none;
    return;
  }
}

matrix_header parse_matrix_header(const input::source& from, read_report& report) {
  matrix_header found;
  input::line_reader lines(from.head(), from.head_is_all());
  if (!lines.next()) throw input_error(from.name(), 1, "the first line is too long");
  const bool banner = parse_banner(lines.line(), from, found, report);
  if (!banner) {
    report.notes.emplace_back(
        "has no banner '%%MatrixMarket ...': taken as a general matrix, because the suffix is .mtx");
    lines = input::line_reader(from.head(), from.head_is_all());
  }
  while (lines.next()) {
    const input::columns sizes = input::split(lines.line());
    if (sizes.count == 0 || sizes.text[0].front() == '%') continue;
    std::uint64_t value[3] = {};
    for (std::size_t i = 0; i < std::min<std::size_t>(sizes.count, 3); ++i) {
      const auto number = input::to_unsigned(sizes.text[i]);
      if (!number) {
        throw input_error(from.name(), lines.number(),
                          input::not_a_number_in(sizes.text[i], 0, std::numeric_limits<std::uint64_t>::max(), "size"));
      }
      value[i] = *number;
    }
    if (sizes.count != 3) {
      throw input_error(from.name(), lines.number(),
                        "expected 'ROWS COLUMNS ENTRIES', found " + input::counted(sizes.count, "column"));
    }
    if (value[0] != value[1] && (found.symmetric || found.skew)) {
      throw input_error(from.name(), lines.number(),
                        "the matrix has " + input::counted(value[0], "row") + " and " +
                            input::counted(value[1], "column") + "; a symmetric one is square");
    }
    found.rows = value[0];
    found.columns = value[1];
    found.vertices = std::max(value[0], value[1]);
    check_vertices(std::min(value[0], value[1]), from, lines.number());
    found.entries = value[2];
    found.line = lines.number();
    found.end = lines.end();
    check_vertices(found.vertices, from, found.line);
    if (!banner) look_at_entries(lines, found);
    return found;
  }
  throw input_error(from.name(), lines.number(), "truncated: the line with the sizes of the matrix is missing");
}

/// Parses lines "ROW COLUMN REAL IMAGINARY".
template <class Vertex>
std::optional<fault> parse_complex(std::string_view text, std::uint64_t vertices, edge_block<Vertex>& block) {
  std::size_t edges = 0;
  input::line_reader lines(text, true);
  while (lines.next()) {
    const input::columns entry = input::split(lines.line());
    if (entry.count == 0 || entry.text[0].front() == '%') continue;
    const auto fail = [&](std::string message) { return fault{lines.number(), std::move(message)}; };
    if (entry.count != 4) return fail(input::counted(entry.count, "column") + " where 4 are expected");
    std::uint64_t end[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto number = input::to_unsigned(entry.text[i]);
      if (!number || *number < 1 || *number > vertices) {
        return fail(input::not_a_number_in(entry.text[i], 1, vertices, "vertex number"));
      }
      end[i] = *number - 1;
    }
    double part[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto number = to_weight(entry.text[2 + i], weights::real);
      if (!number) return fail(not_a_weight(entry.text[2 + i], weights::real));
      part[i] = *number;
    }
    block.edges[edges] = {static_cast<Vertex>(end[0]), static_cast<Vertex>(end[1])};
    block.weights.set(edges++, std::abs(std::complex(part[0], part[1])));
  }
  block.edges.shrink(edges);
  block.weights.shrink(edges);
  return std::nullopt;
}

/// Adds to each entry of a skew-symmetric matrix the one across the diagonal, of the opposite value.
template <class Vertex>
void mirror(edge_block<Vertex>& block) {
  const std::size_t size = block.edges.size();
  edge_block<Vertex> both{machine::page_array<edge<Vertex>>(2 * size), weight_array(2 * size)};
  for (std::size_t i = 0; i < size; ++i) {
    const auto [from, to] = block.edges[i];
    both.edges[2 * i] = {from, to};
    both.edges[2 * i + 1] = {to, from};
    both.weights.set(2 * i, block.weights[i]);
    both.weights.set(2 * i + 1, -block.weights[i]);
  }
  block = std::move(both);
}

/// Returns the same edges between rows and columns as different vertices.
template <class Vertex>
any_edge_list between_sides(edge_list<Vertex>&& list, const matrix_header& found, const input::source& from,
                            const read_options& options, const run_control& control, read_report& report) {
  two_sides sides(found.rows, found.columns, 1, from);
  std::vector<named_block> blocks(list.blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    auto& block = list.blocks[b];
    blocks[b].edges = machine::page_array<edge<std::uint32_t>>(block.edges.size());
    for (std::size_t i = 0; i < block.edges.size(); ++i) {
      const auto [row, column] = block.edges[i];
      if (row >= found.rows || column >= found.columns) {
        throw input_error(from.name(), 0,
                          "the entry in row " + std::to_string(row + 1) + " and column " + std::to_string(column + 1) +
                              " lies outside the matrix");
      }
      blocks[b].edges[i] = sides.between(row, column);
    }
    blocks[b].weights = std::move(block.weights);
    block = {};
  }
  return std::move(sides).finish(std::move(blocks), list.weighted, options, control, report);
}

}  // namespace

bool is_banner(std::string_view line) {
  const std::size_t word = line.find_first_not_of("% ");
  if (word == line.npos || !line.starts_with('%')) return false;
  constexpr std::size_t size = std::string_view("matrixmarket").size();
  return input::lower_case(line.substr(word, size)) == "matrixmarket";
}

any_edge_list read_matrix_market(input::source& from, const read_options& options, const run_control& control,
                                 read_report& report) {
  const matrix_header found = parse_matrix_header(from, report);
  const bool plain = found.rows == found.columns && !options.bipartite;
  if (!plain && !from.part().is_all()) throw input::read_as_whole();
  edge_line_rules rules;
  rules.weights = found.values;
  rules.first_id = 1;
  rules.last_id = found.vertices;
  return with_vertex_type(found.vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
    edge_list<Vertex> list;
    list.vertices = found.vertices;
    list.meaning = direction_of(found.symmetric, options);
    list.weighted = found.values != weights::none;
    list.first_label = 1;
    const input::text_cut cut = cut_for(options, found.end);
    if (found.complex) {
      list.blocks = parse_chunks<edge_block<Vertex>>(
          from, cut, [&](std::string_view text, std::uint64_t lines, edge_block<Vertex>& block) {
            block.edges = machine::page_array<edge<Vertex>>(lines);
            block.weights = weight_array(lines);
            return parse_complex(text, found.vertices, block);
          });
    } else {
      list.blocks = read_declared_edges<Vertex>(from, cut, rules);
    }
    const std::uint64_t entries = list.edges();
    const bool all = from.part().is_all();
    report.part.vertices = std::pair(std::uint64_t{1}, found.vertices);
    report.part.entries = found.entries;
    if (entries != found.entries && all) {
      throw input_error(from.name(), found.line,
                        "the header declares " + std::to_string(found.entries) + " entries, the file holds " +
                            std::to_string(entries));
    }
    if (found.skew) std::for_each(list.blocks.begin(), list.blocks.end(), mirror<Vertex>);
    if (!plain) return between_sides(std::move(list), found, from, options, control, report);
    return list;
  });
}

}  // namespace callisto::graph::formats
