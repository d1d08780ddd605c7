// The reader of sparse matrices in Matrix Market's coordinate format (math.nist.gov/MatrixMarket/formats.html): an
// entry in row i and column j is an edge from i to j.
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <string>

namespace callisto::graph::formats {
namespace {

/// The banner and the line of sizes.
struct matrix_header {
  weights values = weights::none;
  bool symmetric = false;
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
  std::uint64_t line = 0;  ///< number of the line of sizes
  std::size_t end = 0;     ///< where the entries begin
};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void parse_banner(std::string_view line, const input::source& from, matrix_header& found) {
  const input::columns words = input::split(line);
  const auto fail = [&](const std::string& message) { throw input_error(from.name(), 1, message); };
  if (words.count != 5 || in_lower_case(words.text[0]) != "%%matrixmarket") {
    fail("expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY', found " + input::shown(line));
  }
  const auto refuse = [&](std::string_view word, const std::string& expected) {
    fail(input::shown(word) + " Matrix Market files are not graphs that can be read; expected " + expected);
  };
  if (in_lower_case(words.text[1]) != "matrix") refuse(words.text[1], "'matrix'");
  if (in_lower_case(words.text[2]) != "coordinate") refuse(words.text[2], "'coordinate'");
  const std::string field = in_lower_case(words.text[3]);
  if (field == "real" || field == "double") {
    found.values = weights::real;
  } else if (field == "integer") {
    found.values = weights::whole;
  } else if (field != "pattern") {
    refuse(words.text[3], "'pattern', 'real' or 'integer'");
  }
  const std::string symmetry = in_lower_case(words.text[4]);
  found.symmetric = symmetry == "symmetric";
  if (!found.symmetric && symmetry != "general") refuse(words.text[4], "'general' or 'symmetric'");
}

matrix_header parse_matrix_header(const input::source& from) {
  matrix_header found;
  input::line_reader lines(from.head(), from.head_is_all());
  if (!lines.next()) throw input_error(from.name(), 1, "the first line is too long");
  parse_banner(lines.line(), from, found);
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
    if (value[0] != value[1]) {
      throw input_error(from.name(), lines.number(),
                        "the matrix has " + input::counted(value[0], "row") + " and " +
                            input::counted(value[1], "column") + "; a graph needs a square one");
    }
    found.vertices = value[0];
    found.entries = value[2];
    found.line = lines.number();
    found.end = lines.end();
    check_vertices(found.vertices, from, found.line);
    return found;
  }
  throw input_error(from.name(), lines.number(), "truncated: the line with the sizes of the matrix is missing");
}

}  // namespace

any_edge_list read_matrix_market(input::source& from, const read_options& options) {
  const matrix_header found = parse_matrix_header(from);
  edge_line_rules rules;
  rules.weights = found.values;
  rules.first_id = 1;
  rules.last_id = found.vertices;
  return with_vertex_type(found.vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
    edge_list<Vertex> list;
    list.vertices = found.vertices;
    list.meaning = found.symmetric || options.undirected ? direction::undirected : direction::directed;
    list.weighted = found.values != weights::none;
    list.first_label = 1;
    list.blocks = read_declared_edges<Vertex>(from, cut_for(options, found.end), rules);
    const std::uint64_t entries = list.edges();
    if (entries != found.entries) {
      throw input_error(from.name(), found.line,
                        "the header declares " + std::to_string(found.entries) + " entries, the file holds " +
                            std::to_string(entries));
    }
    return list;
  });
}

}  // namespace callisto::graph::formats
