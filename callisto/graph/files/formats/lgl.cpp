// The reader of LGL (Large Graph Layout): a line "# VERTEX", then a line a neighbour, perhaps with a weight.
// Undirected.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace callisto::graph::formats {

bool is_lgl(std::string_view head, bool all) {
  input::line_reader lines(head, all);
  std::size_t vertices = 0;
  std::size_t neighbours = 0;
  while (lines.next()) {
    const input::columns words = input::split(lines.line());
    if (words.count == 0) continue;
    const bool begins = words.text[0] == "#";
    if (words.count != (begins ? 2u : 1u) || (!begins && vertices == 0)) return false;
    ++(begins ? vertices : neighbours);
  }
  return vertices >= 2 && neighbours != 0;
}

any_edge_list read_lgl(input::source& from, const read_options& options, const run_control& control,
                       read_report& report) {
  const std::string text = read_all_as_utf8(from, report);
  collector graph(from);
  std::optional<std::uint32_t> vertex;
  for (input::line_reader lines(text, true); lines.next();) {
    const input::columns words = input::split(lines.line());
    if (words.count == 0) continue;
    const auto fail = [&](const std::string& message) { throw input_error(from.name(), lines.number(), message); };
    if (words.text[0] == "#") {
      if (words.count != 2) fail("expected '# VERTEX', found " + input::shown(lines.line()));
      vertex = graph.vertex(words.text[1]);
      continue;
    }
    if (!vertex) fail("expected '# VERTEX' before its neighbours, found " + input::shown(lines.line()));
    if (words.count > 2) fail("expected 'NEIGHBOUR' or 'NEIGHBOUR WEIGHT', found " + input::shown(lines.line()));
    std::optional<double> weight;
    if (words.count == 2) {
      weight = to_weight(words.text[1], weights::real);
      if (!weight) fail(not_a_weight(words.text[1], weights::real));
    }
    if (options.weights_column == "none") weight.reset();
    graph.add(*vertex, graph.vertex(words.text[0]), options.directed, weight);
  }
  return graph.finish(options.directed, options, control, report);
}

}  // namespace callisto::graph::formats
