// The readers of Cytoscape's simple interaction format and of the trivial graph format, which yEd writes.
//
// SIF: a line "VERTEX RELATION VERTEX [VERTEX ...]", or a vertex alone; columns are cut at tabs where a line has one,
// else at blanks. TGF: a line "ID [LABEL]" a vertex, then "#", then a line "FROM TO [LABEL]" an edge.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

/// Cuts the first word off `line`, and the blanks around it.
std::string_view take_word(std::string_view& line) {
  line = input::trimmed(line, " \t\r");
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line = input::trimmed(line.substr(word.size()), " \t\r");
  return word;
}

std::vector<std::string_view> cut(std::string_view line) {
  std::vector<std::string_view> columns;
  const bool tabs = line.find('\t') != line.npos;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(tabs ? '\t' : ' '), line.size());
    const std::string_view column = input::trimmed(line.substr(0, end), " \t\r");
    if (!column.empty()) columns.push_back(column);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return columns;
}

}  // namespace

any_edge_list read_sif(input::source& from, const read_options& options, const run_control& control,
                       read_report& report) {
  report.direction_known = false;
  const std::string text = read_all_as_utf8(from, report);
  collector graph(from, options.attributes);
  for (input::line_reader lines(text, true); lines.next();) {
    const std::vector<std::string_view> columns = cut(lines.line());
    if (columns.empty()) continue;
    if (columns.size() == 2) {
      throw input_error(from.name(), lines.number(),
                        "expected 'VERTEX RELATION VERTEX ...' or a vertex alone, found " + input::shown(lines.line()));
    }
    const std::uint32_t source = graph.vertex(columns[0]);
    for (std::size_t i = 2; i < columns.size(); ++i) {
      graph.set_attribute(attribute_of::edges, graph.edges(), "interaction", columns[1], column_type::text);
      graph.add(source, graph.vertex(columns[i]), !options.undirected, std::nullopt);
    }
  }
  return graph.finish(!options.undirected, options, control, report);
}

any_edge_list read_tgf(input::source& from, const read_options& options, const run_control& control,
                       read_report& report) {
  report.direction_known = false;
  const std::string text = read_all_as_utf8(from, report);
  collector graph(from, options.attributes);
  bool edges = false;
  for (input::line_reader lines(text, true); lines.next();) {
    std::string_view rest = lines.line();
    const std::string_view first = take_word(rest);
    if (first.empty()) continue;
    if (first == "#" && rest.empty() && !edges) {
      edges = true;
    } else if (!edges) {
      const std::uint32_t vertex = graph.declare(first);
      if (!rest.empty()) graph.call(vertex, rest);
    } else {
      const std::string_view second = take_word(rest);
      if (second.empty()) {
        throw input_error(from.name(), lines.number(),
                          "expected 'FROM TO' or 'FROM TO LABEL', found " + input::shown(lines.line()));
      }
      if (!rest.empty()) {
        graph.set_attribute(attribute_of::edges, graph.edges(), "label", rest, column_type::text);
      }
      const std::uint32_t source = graph.vertex(first);
      graph.add(source, graph.vertex(second), !options.undirected, std::nullopt);
    }
  }
  return graph.finish(!options.undirected, options, control, report);
}

}  // namespace callisto::graph::formats
