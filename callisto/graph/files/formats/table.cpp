// The reader of tables of text: a line an edge, columns in any order, vertices by number or by name.
#include <callisto/graph/construction/labels.hpp>
#include <callisto/graph/construction/names.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/quoted_lines.hpp>
#include <callisto/graph/files/formats/table_attributes.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/marks.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

/// The message of a line that ends within quotes.
const std::string open_quote = "a quote is not closed in its line";

/// The cells of one edge.
struct edge_cells {
  std::string_view from;
  std::string_view to;
  double weight = 1;
  std::string_view line = {};  ///< all of the line
};

/// Parses whole lines of a table, and calls take(cells) for each that is no comment. take() returns an error message,
/// empty if there is none.
template <class Take>
class table_parser {
 public:
  /// Cells stay valid while `text` and `unquoted` do.
  table_parser(std::string_view text, const table_layout& layout, std::deque<std::string>& unquoted, const Take& take)
      : end_(text.data() + text.size()),
        layout_(layout),
        needed_(std::max({layout.from, layout.to, layout.weight.value_or(0)}) + 1),
        separators_{layout.separator, layout.separator == ' ' ? '\t' : layout.separator},
        usual_(!layout.skip_bad && layout.from == 0 && layout.to == 1 && layout.weight.value_or(2) == 2 &&
               !layout.attributes && !layout.bracketed && layout.separator != ':'),
        unquoted_(unquoted),
        take_(take),
        next_(text.data()) {}

  /// Returns the first fault; lines with faults go to `left_out` instead if they are to be skipped.
  std::optional<fault> run(line_findings& left_out) {
    left_out_ = layout_.skip_bad ? &left_out : nullptr;
    using input::column_ends;
    input::basic_mark_finder<column_ends> marks({next_, static_cast<std::size_t>(end_ - next_)},
                                                column_ends{layout_.separator});
    while (usual_ && !wrong_ && marks.go_on(next_)) {
      for (;;) {
        usual_lines(marks);
        if (wrong_ || marks.known() < most_marks) break;
        any_line();
        marks.forget_before(next_);
      }
    }
    while (next_ != end_ && !wrong_) any_line();
    return std::move(wrong_);
  }

 private:
  /// Marks of a usual line: behind both ends and a weight, and both bytes of "\r\n".
  static constexpr std::size_t most_marks = 4;

  bool separates(char c) const noexcept { return c == separators_[0] || c == separators_[1]; }

  /// Parses lines from next_ on while their marks are known: two ends, perhaps a weight, without blanks or quotes.
  /// Leaves the first other line, and every fault, to any_line().
  template <class Marks>
  void usual_lines(Marks& marks) {
    while (marks.known() >= most_marks) {
      const char* const middle = marks.mark(0);
      const char* stop = marks.mark(1);
      if (middle == next_ || stop == middle + 1 || !separates(*middle) || may_be_special(*next_) || middle[1] == '(')
        return;
      edge_cells cells{{next_, middle}, {middle + 1, stop}};
      std::size_t used = 2;
      if (layout_.weight) {
        if (!separates(*stop)) return;
        const auto weight = to_table_weight({stop + 1, marks.mark(2)}, layout_.separator);
        if (!weight) return;
        cells.weight = *weight;
        stop = marks.mark(used++);
      }
      if (*stop == '\r') {
        if (stop[1] != '\n') return;  // within a cell
        stop = marks.mark(used++);
      }
      if (*stop == '\n') {
        marks.forget(used);
      } else if (layout_.columns > needed_ && separates(*stop)) {
        stop = static_cast<const char*>(std::memchr(stop, '\n', static_cast<std::size_t>(end_ - stop)));
        marks.forget_before(stop + 1);
      } else {
        return;
      }
      cells.line = {next_, stop};
      if (cells.line.size() > input::longest_line) return;
      next_ = stop + 1;
      ++line_;
      if (std::string message = take_(cells); !message.empty()) {
        fail(std::move(message));
        if (wrong_) return;
      }
    }
  }

  /// True for the first characters of comments and tuples.
  static bool may_be_special(char c) noexcept {
    return c == '#' || c == '%' || c == ';' || c == '/' || c == '(' || c == '-' || c == '+' || c == '|' || c == '=';
  }

  /// Parses the line at next_.
  void any_line() {
    const auto left = static_cast<std::size_t>(end_ - next_);
    const auto* const stop = static_cast<const char*>(std::memchr(next_, '\n', left));
    const std::string_view line(next_, static_cast<std::size_t>(stop - next_));
    next_ = stop + 1;
    ++line_;
    const char first = line.empty() ? '\r' : line.front();
    if (first == '\r' || first == ' ' || first == '\t') {
      if (line.find_first_not_of(" \t\r") == line.npos) return;
    }
    if ((first < '0' || first > '9') && is_comment(line, layout_.separator) &&
        (layout_.open_comments || !begins_open_quote(line)) && !(layout_.marked_data && has_all_columns(line))) {
      return;
    }
    if ((first < '0' || first > '9') && is_rule(line)) return;
    edge_cells cells;
    cells.line = line;
    std::string message = line.size() > input::longest_line ? overlong(input::longest_line) : cut(line, cells);
    if (message.empty()) message = take_(cells);
    if (!message.empty()) fail(std::move(message));
  }

  /// Takes the fault of the current line.
  void fail(std::string message) {
    if (left_out_ != nullptr) {
      left_out_->add({line_, std::move(message)});
    } else {
      // A message that names another way out, or an open quote, stays as it is.
      const bool plain = !message.ends_with(')') && message != open_quote;
      wrong_ = fault{line_, plain ? message + " (--skip-bad-lines leaves such lines out)" : std::move(message)};
    }
  }

  bool has_all_columns(std::string_view line) {
    column_reader reader(line, layout_.separator, unquoted_);
    std::size_t columns = 0;
    for (std::string_view cell; reader.next(cell);) ++columns;
    return columns == layout_.columns && !reader.broken();
  }

  /// Finds the cells of a line. Returns an error message.
  std::string cut(std::string_view line, edge_cells& cells) {
    if (layout_.bracketed) line = inside_brackets(line);
    if (layout_.attributes) {
      const std::size_t close = std::min(line.find('{'), line.size());
      if (layout_.weighted) {
        const auto weight = weight_in_attributes(line.substr(close));
        if (!weight) return "expected a finite number as weight, found " + input::shown(line.substr(close));
        cells.weight = *weight;
      }
      line = line.substr(0, close);
    }
    column_reader reader(line, layout_.separator, unquoted_);
    for (std::size_t i = 0; i < needed_; ++i) {
      std::string_view cell;
      if (!reader.next(cell)) {
        if (reader.broken()) return open_quote;
        if (layout_.optional_weight && i + 1 == needed_) break;
        return input::counted(i, "column") + " where " + std::to_string(std::max(needed_, layout_.columns)) +
               " are expected";
      }
      if (i == layout_.from) cells.from = cell;
      if (i == layout_.to) cells.to = cell;
      if (layout_.weight != i) continue;
      const auto weight = to_table_weight(cell, layout_.separator);
      if (!weight) return not_a_weight(cell, weights::real) + " in column " + std::to_string(i + 1);
      cells.weight = *weight;
    }
    if (cells.from.empty() || cells.to.empty()) return "an end of the edge is empty";
    if (layout_.skip_bad) {
      // A line of more columns may have a separator within a name.
      std::size_t columns = needed_;
      for (std::string_view cell; reader.next(cell);) columns += cell.empty() ? 0 : 1;
      if (columns > layout_.columns && layout_.separator != ' ' && !layout_.attributes) {
        return input::counted(columns, "column") + " where " + std::to_string(layout_.columns) + " are expected";
      }
    }
    return {};
  }

  const char* const end_;
  const table_layout& layout_;
  const std::size_t needed_;  ///< columns up to the last one that is read
  const std::array<char, 2> separators_;
  const bool usual_;  ///< the ends are the first columns, and a weight is the third
  std::deque<std::string>& unquoted_;
  const Take& take_;
  const char* next_;
  std::uint64_t line_ = 0;  ///< the number of the line before next_
  std::optional<fault> wrong_;
  line_findings* left_out_ = nullptr;  ///< null: a fault ends the work
};

template <class Take>
std::optional<fault> for_each_edge(std::string_view text, const table_layout& layout, std::deque<std::string>& unquoted,
                                   line_findings& left_out, const Take& take) {
  return table_parser<Take>(text, layout, unquoted, take).run(left_out);
}

any_edge_list with_edge_columns(any_edge_list list, column_list columns) {
  std::visit([&](auto& l) { l.attributes = attributes_of({}, std::move(columns)); }, list);
  return list;
}

any_edge_list read_numbers(input::source& from, const table_layout& layout, const read_options& options,
                           const run_control& control, line_findings& left_out) {
  auto parts = parse_chunks<attributed<labelled_block>>(
      from, cut_for(options, layout.skip),
      [&](std::string_view text, std::uint64_t lines, attributed<labelled_block>& block, line_findings& bad) {
        attribute_cutter attributes(layout, block.cells);
        if (layout.weighted) block.weights = weight_array(lines);
        block.wide = machine::page_array<edge<std::uint64_t>>(lines);
        std::size_t edges = 0;
        std::deque<std::string> unquoted;
        auto wrong = for_each_edge(text, layout, unquoted, bad, [&](const edge_cells& cells) -> std::string {
          const auto ends = {std::pair(cells.from, 0), std::pair(cells.to, 1)};
          std::uint64_t id[2];
          for (const auto& [cell, end] : ends) {
            const auto number = to_vertex_number(cell);
            if (!number) {
              return input::not_a_number_in(cell, 0, std::numeric_limits<std::uint64_t>::max(), "vertex number") +
                     " (--ids names takes names)";
            }
            id[end] = *number;
          }
          block.smallest = std::min({block.smallest, id[0], id[1]});
          block.largest = std::max({block.largest, id[0], id[1]});
          if (layout.weighted) block.weights.set(edges, cells.weight);
          block.wide[edges++] = {id[0], id[1]};
          attributes.take(cells.line);
          return {};
        });
        block.wide.shrink(edges);
        block.weights.shrink(edges);
        bad.large_weights = has_large_weights(block.weights);
        return wrong;
      },
      &left_out);
  column_list columns;
  auto blocks = without_cells(std::move(parts), layout, control, columns);
  std::erase_if(blocks, [](const labelled_block& block) { return block.edges() == 0; });
  if (blocks.empty() && !from.part().is_all()) return no_edges(layout.weighted);
  if (blocks.empty()) refuse_without_edges(from, left_out);
  return with_edge_columns(number_densely(std::move(blocks), layout.weighted, control, layout.vertices),
                           std::move(columns));
}

any_edge_list read_names(input::source& from, const table_layout& layout, const read_options& options,
                         const run_control& control, read_report& report, line_findings& left_out) {
  name_table_pool pool;
  auto parts = parse_chunks<attributed<named_block>>(
      from, cut_for(options, layout.skip),
      [&](std::string_view text, std::uint64_t lines, attributed<named_block>& block, line_findings& bad) {
        attribute_cutter attributes(layout, block.cells);
        if (layout.weighted) block.weights = weight_array(lines);
        block.edges = machine::page_array<edge<std::uint32_t>>(lines);
        block.table = pool.take();
        name_batch names(pool[block.table]);
        std::deque<std::string> made;  // names that the text does not hold as they are
        std::size_t edges = 0;
        auto wrong = for_each_edge(text, layout, made, bad, [&](edge_cells cells) -> std::string {
          if (layout.bipartite) {
            cells.from = made.emplace_back("left-").append(cells.from);
            cells.to = made.emplace_back("right-").append(cells.to);
          }
          names.add(cells.from, block.edges[edges].from);
          names.add(cells.to, block.edges[edges].to);
          if (layout.weighted) block.weights.set(edges, cells.weight);
          ++edges;
          attributes.take(cells.line);
          return {};
        });
        names.flush();
        pool.give_back(block.table);
        block.edges.shrink(edges);
        block.weights.shrink(edges);
        bad.large_weights = has_large_weights(block.weights);
        return wrong;
      },
      &left_out);
  column_list columns;
  auto blocks = without_cells(std::move(parts), layout, control, columns);
  std::erase_if(blocks, [](const named_block& block) { return block.edges.empty(); });
  if (blocks.empty() && !from.part().is_all()) return no_edges(layout.weighted);
  if (blocks.empty()) refuse_without_edges(from, left_out);
  make_names_utf8(pool.all(), report);
  return with_edge_columns(
      number_by_name(std::move(blocks), std::move(pool.all()), layout.weighted, numeric_names::stay_names, control),
      std::move(columns));
}

}  // namespace

any_edge_list read_without_edges(input::source& from, const table_layout& layout, const read_options& options,
                                 const run_control& control, read_report& report) {
  const std::string text = read_all_as_utf8(from, report);
  report.direction_known = true;
  std::deque<name_table> tables(1);
  std::deque<std::string> unquoted;
  bool quoted = false;
  bool first = true;
  for (input::line_reader lines(text, true); lines.next();) {
    std::string_view line = input::trimmed(lines.line(), " \t\r");
    if (line.empty()) continue;
    if (!line.starts_with('#')) throw input_error(from.name(), lines.number(), "expected nothing but comments");
    line = input::trimmed(line.substr(1));
    if (std::exchange(first, false) || layout.vertices) continue;
    quoted = quoted || line.starts_with('"');
    column_reader reader(line, ' ', unquoted);
    std::string_view name;
    if (!reader.next(name)) throw input_error(from.name(), lines.number(), "expected a vertex behind '#'");
    tables[0].number_of(name);
  }
  const direction meaning = direction_of(layout.undirected, options);
  if (layout.vertices) {
    const std::uint64_t vertices = layout.vertices->second - layout.vertices->first + 1;
    return with_vertex_type(vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
      edge_list<Vertex> list;
      list.vertices = vertices;
      list.first_label = layout.vertices->first;
      list.meaning = meaning;
      return list;
    });
  }
  if (tables[0].size() == 0) throw input_error(from.name(), 0, "the graph has no vertices");
  const bool names = options.ids == vertex_ids::names || (quoted && options.ids != vertex_ids::numbers);
  any_edge_list list = number_by_name(std::vector<named_block>(1), std::move(tables), false,
                                      names ? numeric_names::stay_names : numeric_names::become_labels, control);
  std::visit([&](auto& l) { l.meaning = meaning; }, list);
  return list;
}

any_edge_list read_table(input::source& from, const read_options& options, const run_control& control,
                         read_report& report) {
  const bool weighted = options.format == file_format::weighted_edge_list;
  const bool list = weighted || options.format == file_format::edge_list;
  const table_layout layout =
      list ? layout_of_list(from, weighted, options, report) : find_layout(from, options, report);
  report.format = layout.format;
  const bool as_whole = layout.without_edges || layout.matrix || !layout.kept.empty();
  if (as_whole && !from.part().is_all()) throw input::read_as_whole();
  if (layout.without_edges) return read_without_edges(from, layout, options, control, report);
  if (layout.matrix) return read_table_matrix(from, layout, options, control, report);
  line_findings left_out;
  any_edge_list edges = [&] {
    try {
      return layout.exact   ? read_edge_list(from, layout, options, control, left_out)
             : layout.named ? read_names(from, layout, options, control, report, left_out)
                            : read_numbers(from, layout, options, control, left_out);
    } catch (const input_error& e) {
      if (std::string_view(e.what()).ends_with(open_quote)) throw quoted_line_break(from.name(), e.line(), false);
      throw;
    }
  }();
  if (left_out.large_weights && from.part().is_all()) tell_large_weights(report);
  report.part.large_weights = left_out.large_weights;
  report.part.vertices = layout.vertices;
  report.part.counts = layout.counts;
  if (left_out.count != 0) {
    report.notes.push_back(input::counted(left_out.count, "line") + " left out (--skip-bad-lines), the first is line " +
                           std::to_string(left_out.first->line) + ": " + left_out.first->message);
  }
  std::visit(
      [&](auto& l) {
        l.meaning = direction_of(layout.undirected, options);
        if (layout.counts && from.part().is_all()) tell_counts(report, *layout.counts, l.edges());
      },
      edges);
  return edges;
}

}  // namespace callisto::graph::formats
