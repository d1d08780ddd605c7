// The reader of tables of text: a line an edge, columns in any order, vertices by number or by name.
#include <callisto/graph/construction/labels.hpp>
#include <callisto/graph/construction/names.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

/// The cells of one edge.
struct edge_cells {
  std::string_view from;
  std::string_view to;
  double weight = 1;
};

/// Calls take(cells) for each line of the text that is no comment; take() returns an error message, empty if there is
/// none. Returns the first fault.
template <class Take>
std::optional<fault> for_each_edge(std::string_view text, const table_layout& layout, const Take& take) {
  const std::size_t needed = std::max({layout.from, layout.to, layout.weight.value_or(0)}) + 1;
  std::deque<std::string> unquoted;
  std::uint64_t number = 0;
  const auto parse = [&](std::string_view line, edge_cells& cells) -> std::string {
    std::size_t close = 0;
    if (layout.attributes) {
      close = std::min(line.find('{'), line.size());
      if (layout.weighted) {
        const auto weight = weight_in_attributes(line.substr(close));
        if (!weight) return "expected a finite number as weight, found " + input::shown(line.substr(close));
        cells.weight = *weight;
      }
      line = line.substr(0, close);
    }
    column_reader reader(line, layout.separator, unquoted);
    for (std::size_t i = 0; i < needed; ++i) {
      std::string_view cell;
      if (!reader.next(cell)) {
        if (reader.broken()) return "a quote is not closed in its line";
        return input::counted(i, "column") + " where " + std::to_string(std::max(needed, layout.columns)) +
               " are expected";
      }
      if (i == layout.from) cells.from = cell;
      if (i == layout.to) cells.to = cell;
      if (layout.weight != i) continue;
      const auto weight = to_table_weight(cell, layout.separator);
      if (!weight) return not_a_weight(cell, weights::real);
      cells.weight = *weight;
    }
    if (cells.from.empty() || cells.to.empty()) return "an end of the edge is empty";
    return {};
  };
  for (const char* p = text.data(); p != text.data() + text.size();) {
    const auto left = static_cast<std::size_t>(text.data() + text.size() - p);
    const auto* const stop = static_cast<const char*>(std::memchr(p, '\n', left));
    const std::string_view line(p, static_cast<std::size_t>(stop - p));
    p = stop + 1;
    ++number;
    const char first = line.empty() ? '\r' : line.front();
    if (first == '\r' || first == ' ' || first == '\t') {
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
    }
    if ((first < '0' || first > '9') && is_comment(line, layout.separator)) continue;
    if (line.size() > input::longest_line) return fault{number, overlong(input::longest_line)};
    edge_cells cells;
    std::string wrong = parse(line, cells);
    if (wrong.empty()) wrong = take(cells);
    if (!wrong.empty()) return fault{number, std::move(wrong)};
    unquoted.clear();
  }
  return std::nullopt;
}

any_edge_list read_numbers(input::source& from, const table_layout& layout, const read_options& options,
                           const run_control& control) {
  auto blocks = parse_chunks<labelled_block>(
      from, cut_for(options, layout.skip), [&](std::string_view text, std::uint64_t lines, labelled_block& block) {
        if (layout.weighted) block.weights = weight_array(lines);
        block.wide = machine::page_array<edge<std::uint64_t>>(lines);
        std::size_t edges = 0;
        auto wrong = for_each_edge(text, layout, [&](const edge_cells& cells) -> std::string {
          const auto ends = {std::pair(cells.from, 0), std::pair(cells.to, 1)};
          std::uint64_t id[2];
          for (const auto& [cell, end] : ends) {
            const auto number = to_vertex_number(cell);
            if (!number) {
              return input::not_a_number_in(cell, 0, std::numeric_limits<std::uint64_t>::max(), "vertex number") +
                     " (--ids names takes names)";
            }
            id[end] = *number;
            block.smallest = std::min(block.smallest, *number);
            block.largest = std::max(block.largest, *number);
          }
          if (layout.weighted) block.weights.set(edges, cells.weight);
          block.wide[edges++] = {id[0], id[1]};
          return {};
        });
        block.wide.shrink(edges);
        block.weights.shrink(edges);
        return wrong;
      });
  std::erase_if(blocks, [](const labelled_block& block) { return block.edges() == 0; });
  if (blocks.empty()) refuse_without_edges(from);
  return number_densely(std::move(blocks), layout.weighted, control, layout.vertices);
}

any_edge_list read_names(input::source& from, const table_layout& layout, const read_options& options,
                         const run_control& control) {
  name_table_pool pool;
  auto blocks = parse_chunks<named_block>(
      from, cut_for(options, layout.skip), [&](std::string_view text, std::uint64_t lines, named_block& block) {
        if (layout.weighted) block.weights = weight_array(lines);
        block.edges = machine::page_array<edge<std::uint32_t>>(lines);
        block.table = pool.take();
        name_table& names = pool[block.table];
        std::string left = "left-";
        std::string right = "right-";
        const std::size_t left_size = left.size();
        const std::size_t right_size = right.size();
        std::size_t edges = 0;
        auto wrong = for_each_edge(text, layout, [&](edge_cells cells) -> std::string {
          if (layout.bipartite) {
            left.replace(left_size, left.npos, cells.from);
            right.replace(right_size, right.npos, cells.to);
            cells.from = left;
            cells.to = right;
          }
          const std::uint32_t first = names.number_of(cells.from);
          block.edges[edges] = {first, names.number_of(cells.to)};
          if (layout.weighted) block.weights.set(edges, cells.weight);
          ++edges;
          return {};
        });
        pool.give_back(block.table);
        block.edges.shrink(edges);
        block.weights.shrink(edges);
        return wrong;
      });
  std::erase_if(blocks, [](const named_block& block) { return block.edges.empty(); });
  if (blocks.empty()) refuse_without_edges(from);
  return number_by_name(std::move(blocks), std::move(pool.all()), layout.weighted, numeric_names::stay_names, control);
}

}  // namespace

any_edge_list read_table(input::source& from, const read_options& options, const run_control& control,
                         read_report& report) {
  const bool weighted = options.format == file_format::weighted_edge_list;
  const bool list = weighted || options.format == file_format::edge_list;
  const table_layout layout =
      list ? layout_of_list(from, weighted, options, report) : find_layout(from, options, report);
  report.format = layout.format;
  any_edge_list edges = layout.exact   ? read_edge_list(from, layout, options, control)
                        : layout.named ? read_names(from, layout, options, control)
                                       : read_numbers(from, layout, options, control);
  std::visit([&](auto& l) { l.meaning = direction_of(layout.undirected, options); }, edges);
  return edges;
}

}  // namespace callisto::graph::formats
