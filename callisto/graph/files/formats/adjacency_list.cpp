// The reader of adjacency lists, as NetworkX writes them: a line holds a vertex and its neighbours.
#include <callisto/graph/construction/names.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/parse_chunks.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

/// Parses whole lines into `block`; returns the first fault.
std::optional<fault> parse_lines(std::string_view text, char separator, name_table& names, named_block& block) {
  std::deque<std::string> unquoted;
  std::vector<edge<std::uint32_t>> edges;
  input::line_reader lines(text, true);
  while (lines.next()) {
    if (is_comment(lines.line(), separator)) continue;
    unquoted.clear();
    column_reader reader(lines.line(), separator, unquoted);
    std::string_view cell;
    if (!reader.next(cell)) {
      if (reader.broken()) return fault{lines.number(), "a quote is not closed in its line"};
      continue;
    }
    const std::uint32_t from = names.number_of(cell);
    while (reader.next(cell)) edges.push_back({from, names.number_of(cell)});
    if (reader.broken()) return fault{lines.number(), "a quote is not closed in its line"};
  }
  block.edges = machine::page_array<edge<std::uint32_t>>(edges.size());
  std::copy(edges.begin(), edges.end(), block.edges.begin());
  return std::nullopt;
}

/// Returns the separator: a comma if the first line that is no comment has one behind each vertex but the last.
char find_separator(std::string_view head) {
  input::line_reader lines(head, true);
  while (lines.next()) {
    const std::string_view line = input::trimmed(lines.line(), " \t\r");
    if (line.empty() || is_comment(line, ' ')) continue;
    bool behind_comma = true;
    for (std::size_t i = line.find_first_of(" \t"); i != line.npos; i = line.find_first_of(" \t", i + 1)) {
      behind_comma = behind_comma && (line[i - 1] == ',' || line[i - 1] == ' ');
    }
    return behind_comma && line.find(',') != line.npos ? ',' : ' ';
  }
  return ' ';
}

}  // namespace

any_edge_list read_adjacency_list(input::source& from, const read_options& options, const run_control& control,
                                  read_report& report) {
  report.direction_known = false;
  const char separator = options.separator.value_or(find_separator(from.head()));
  name_table_pool pool;
  input::text_cut cut = cut_for(options, 0);
  cut.line_limit = std::size_t{1} << 32;  // a line holds all neighbours of a vertex
  auto blocks = parse_chunks<named_block>(from, cut, [&](std::string_view text, std::uint64_t, named_block& block) {
    block.table = pool.take();
    auto wrong = parse_lines(text, separator, pool[block.table], block);
    pool.give_back(block.table);
    return wrong;
  });
  const bool any = std::any_of(pool.all().begin(), pool.all().end(), [](const name_table& t) { return t.size() != 0; });
  if (!any) refuse_without_edges(from);
  const auto numbers = options.ids == vertex_ids::names ? numeric_names::stay_names : numeric_names::become_labels;
  make_names_utf8(pool.all(), report);
  any_edge_list list = number_by_name(std::move(blocks), std::move(pool.all()), false, numbers, control);
  std::visit([&](auto& l) { l.meaning = direction_of(false, options); }, list);
  return list;
}

}  // namespace callisto::graph::formats
