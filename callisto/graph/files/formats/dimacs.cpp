// The readers of the formats of the DIMACS challenges and of PACE: comments "c ...", one line "p KIND VERTICES EDGES",
// then a line an edge.
//
// | kind           | lines              | edges                             |
// |----------------|--------------------|-----------------------------------|
// | sp             | a FROM TO WEIGHT   | arcs of shortest paths (.gr)      |
// | max            | a FROM TO CAPACITY | arcs of maximum flow (.max)       |
// | edge, col, clq | e U V              | undirected (.col, .clq)           |
// | PACE's         | U V                | undirected: tw, td, vc, ds ...    |
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <limits>
#include <string>

namespace callisto::graph::formats {
namespace {

/// The line "p KIND VERTICES EDGES" and the form of the edges below.
struct problem {
  bool directed = false;
  bool lengths = false;  ///< weights are lengths of paths
  formats::weights weights = formats::weights::none;
  char prefix = 0;
  bool exact_count = true;  ///< files of this kind hold as many edges as they declare
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t line = 0;  ///< its number
  std::size_t end = 0;     ///< where the edges begin
};

/// Takes from the first edge below the problem line whether edges have a letter and a weight.
void look_at_edges(input::line_reader lines, problem& found) {
  while (lines.next()) {
    const input::columns columns = input::split(lines.line());
    if (columns.count == 0 || columns.text[0] == "c" || columns.text[0] == "n") continue;
    if (columns.text[0] == "e") found.prefix = 'e';
    if (columns.count == (found.prefix != 0 ? 4u : 3u)) found.weights = weights::real;
    return;
  }
}

problem parse_problem_line(const input::source& from) {
  input::line_reader lines(from.head(), from.head_is_all());
  while (lines.next()) {
    const input::columns columns = input::split(lines.line());
    if (columns.count == 0 || columns.text[0] == "c") continue;
    const auto fail = [&](const std::string& message) { throw input_error(from.name(), lines.number(), message); };
    if (columns.text[0] != "p") {
      fail("expected a line 'p sp VERTICES ARCS' before any arc, found " + input::shown(columns.text[0]));
    }
    if (columns.count != 4) fail("expected 'p sp VERTICES ARCS', found " + input::shown(lines.line()));
    problem found;
    const std::string_view kind = columns.text[1];
    if (kind == "min" || kind == "cnf" || kind == "asn") {
      fail("expected 'p sp VERTICES ARCS' or another kind of graph, found " + input::shown(lines.line()));
    }
    std::size_t i = 2;
    for (std::uint64_t* value : {&found.vertices, &found.edges}) {
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
    if (kind == "sp" || kind == "max") {
      found.directed = true;
      found.weights = weights::real;
      found.lengths = kind == "sp";
      found.prefix = 'a';
    } else {
      found.exact_count = kind != "edge" && kind != "edges" && kind != "col" && kind != "clq";
      look_at_edges(lines, found);
    }
    return found;
  }
  throw input_error(from.name(), lines.number(), "truncated: the line 'p sp VERTICES ARCS' is missing");
}

}  // namespace

any_edge_list read_dimacs(input::source& from, const read_options& options, read_report& report) {
  const problem found = parse_problem_line(from);
  report.weights_are_lengths = found.lengths;
  edge_line_rules rules;
  rules.weights = found.weights;
  rules.prefix = found.prefix;
  rules.comments = found.prefix == 0 ? "c" : "cn";  // n: a vertex's role in a flow, or its value
  rules.letter_comments = true;
  rules.first_id = 1;
  rules.last_id = found.vertices;
  return with_vertex_type(found.vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
    edge_list<Vertex> list;
    list.vertices = found.vertices;
    list.meaning = direction_of(!found.directed, options);
    list.weighted = found.weights != weights::none;
    list.first_label = 1;
    list.blocks = read_declared_edges<Vertex>(from, cut_for(options, found.end), rules);
    const std::uint64_t edges = list.edges();
    if (edges != found.edges && found.exact_count) {
      throw input_error(
          from.name(), found.line,
          "the header declares " + std::to_string(found.edges) + " arcs, the file holds " + std::to_string(edges));
    }
    if (edges != found.edges) {
      report.notes.push_back("the header declares " + std::to_string(found.edges) + " edges, the file lists " +
                             std::to_string(edges) + ", which are read");
    }
    return list;
  });
}

}  // namespace callisto::graph::formats
