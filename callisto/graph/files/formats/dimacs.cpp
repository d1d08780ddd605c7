// The reader of the shortest-path format of the 9th DIMACS challenge (.gr): comments "c ...", one line "p sp VERTICES
// ARCS", then arcs "a FROM TO WEIGHT".
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <limits>
#include <string>

namespace callisto::graph::formats {
namespace {

/// The line "p sp VERTICES ARCS".
struct problem_line {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t line = 0;  ///< its number
  std::size_t end = 0;     ///< where the arcs begin
};

problem_line parse_problem_line(const input::source& from) {
  input::line_reader lines(from.head(), from.head_is_all());
  while (lines.next()) {
    const input::columns columns = input::split(lines.line());
    if (columns.count == 0 || columns.text[0] == "c") continue;
    const auto fail = [&](const std::string& message) { throw input_error(from.name(), lines.number(), message); };
    if (columns.text[0] != "p") {
      fail("expected a line 'p sp VERTICES ARCS' before any arc, found " + input::shown(columns.text[0]));
    }
    if (columns.count != 4 || columns.text[1] != "sp") {
      fail("expected 'p sp VERTICES ARCS', found " + input::shown(lines.line()));
    }
    problem_line found;
    std::size_t i = 2;
    for (std::uint64_t* value : {&found.vertices, &found.arcs}) {
      const auto number = input::to_unsigned(columns.text[i]);
      if (!number) {
        fail(input::not_a_number_in(columns.text[i], 0, std::numeric_limits<std::uint64_t>::max(), "count"));
      }
      *value = *number;
      ++i;
    }
    found.line = lines.number();
    found.end = lines.end();
    check_vertices(found.vertices, from, found.line);
    return found;
  }
  throw input_error(from.name(), lines.number(), "truncated: the line 'p sp VERTICES ARCS' is missing");
}

}  // namespace

any_edge_list read_dimacs(input::source& from, const read_options& options) {
  const problem_line found = parse_problem_line(from);
  edge_line_rules rules;
  rules.weights = weights::real;
  rules.prefix = 'a';
  rules.comments = "c";
  rules.letter_comments = true;
  rules.first_id = 1;
  rules.last_id = found.vertices;
  return with_vertex_type(found.vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
    edge_list<Vertex> list;
    list.vertices = found.vertices;
    list.meaning = options.undirected ? direction::undirected : direction::directed;
    list.weighted = true;
    list.first_label = 1;
    list.blocks = read_declared_edges<Vertex>(from, cut_for(options, found.end), rules);
    const std::uint64_t arcs = list.edges();
    if (arcs != found.arcs) {
      throw input_error(
          from.name(), found.line,
          "the header declares " + std::to_string(found.arcs) + " arcs, the file holds " + std::to_string(arcs));
    }
    return list;
  });
}

}  // namespace callisto::graph::formats
