// Finds the layout of a table: cuts its sample into rows, and finds what is no list of edges.
#include <callisto/graph/files/formats/table_layout.hpp>

#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/table_finder.hpp>
#include <callisto/graph/files/formats/table_rules.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace callisto::graph::formats {
namespace tables {

using namespace std::string_view_literals;

table_layout layout_finder::find_list(bool weighted) {
  taken_ = take_sample(from_, ' ');
  konect_ = read_comments(taken_.comments, options_, layout_, report_);
  layout_.exact = true;
  layout_.weighted = weighted;
  layout_.format = weighted ? file_format::weighted_edge_list : file_format::edge_list;
  layout_.without_edges = has_vertices_only();
  return layout_;
}

table_layout layout_finder::find() {
  taken_ = take_sample(from_, options_.separator.value_or(' '));
  konect_ = read_comments(taken_.comments, options_, layout_, report_);
  layout_.skip_bad = options_.skip_bad_lines;
  layout_.without_edges = has_vertices_only();
  if (layout_.without_edges) return layout_;
  if (taken_.lines.empty()) refuse_without_edges(from_);
  layout_.open_comments = taken_.open_comments;
  if (is_plain_list()) {
    tell_leading_zeros();
    if (options_.header != false) layout_.counts = counts_in_first(taken_.lines);
    layout_.exact = true;
    layout_.format = file_format::edge_list;
    return layout_;
  }
  for (const question& q : questions()) {
    if (q.answer != nullptr) (this->*q.answer)();
    if (layout_.matrix) return layout_;
  }
  tell_columns();
  decide_format();
  return layout_;
}

bool layout_finder::has_vertices_only() const {
  return taken_.lines.empty() && !taken_.comments.empty() &&
         (layout_.vertices || contains(taken_.comments.front(), "graph without edges, its vertices:"sv));
}

bool layout_finder::is_plain_list() const {
  if (layout_.bipartite || options_.bipartite || options_.ids == vertex_ids::names || options_.header == true ||
      options_.separator || taken_.separator || !options_.columns.empty() || options_.weights_column) {
    return false;
  }
  return std::all_of(taken_.lines.begin(), taken_.lines.end(), is_pair_of_numbers);
}

void layout_finder::state_direction(bool undirected) {
  report_.direction_known = true;
  layout_.undirected = undirected;
}

void layout_finder::find_separator() {
  layout_.skip = taken_.separator_end;
  layout_.bracketed = lines_are_in_brackets(taken_.lines);
  if (layout_.bracketed) {
    for (std::string_view& line : taken_.lines) line = inside_brackets(line);
  }
  if (find_attributes()) return;
  auto separator = options_.separator ? options_.separator
                   : taken_.separator ? taken_.separator
                                      : separator_of_all(taken_.lines);
  if (!separator && layout_.skip_bad) separator = separator_of_most(taken_.lines);
  layout_.separator = separator ? *separator : separator_of_first(taken_.lines.front());
  if (separator == ';' && !layout_.bracketed) taken_ = take_sample(from_, ';');
  for (const std::string_view line : taken_.lines) {
    rows_.push_back(cells_of(line, layout_.separator));
    ragged_ = ragged_ || rows_.back().size() != rows_.front().size();
  }
  if (ragged_) std::for_each(rows_.begin(), rows_.end(), drop_empty_end);
}

bool layout_finder::find_attributes() {
  auto found = attributes_of(taken_.lines);
  if (!found) return false;
  rows_ = std::move(found->rows);
  layout_.separator = found->separator;
  layout_.weighted = found->weighted && options_.weights_column != "none";
  layout_.attributes = true;
  if (found->others && !found->weighted) {
    report_.notes.emplace_back("the dictionaries behind the edges hold no 'weight': all else is left out");
  }
  return true;
}

void layout_finder::take_counts() {
  if (!ragged_ || options_.header == false) return;
  const auto counts = counts_above_edges(rows_, from_.head_is_all());
  if (!counts) return;
  layout_.skip = taken_.first_end;
  layout_.vertices = std::pair(std::uint64_t{1}, counts->first);
  rows_.erase(rows_.begin());
  taken_.lines.erase(taken_.lines.begin());
  taken_.numbers.erase(taken_.numbers.begin());
  if (!report_.direction_known) state_direction(true);
  report_.notes.push_back("line 1 says that there are " + std::to_string(counts->first) + " vertices and " +
                          std::to_string(counts->second) + " edges, undirected (--directed)");
  ragged_ = false;
}

void layout_finder::take_optional_weights() {
  layout_.optional_weight = ragged_ && options_.columns.empty() && weight_is_optional(rows_, layout_.separator);
  if (!layout_.optional_weight) return;
  for (row& r : rows_) r.resize(3, "1");
  report_.notes.emplace_back("edges without a weight weigh 1");
}

void layout_finder::require_columns() {
  if (layout_.attributes) return;
  if (ragged_ && !layout_.optional_weight && layout_.skip_bad) keep_usual_rows(rows_, taken_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::size_t found = rows_[i].size();
    if (found == rows_.front().size() && found >= 2) continue;
    refuse_columns(from_.name(), taken_.numbers[i], rows_[i], rows_.front());
  }
  layout_.columns = rows_.front().size();
}

bool layout_finder::may_be_matrix() const {
  return !layout_.attributes && options_.columns.empty() && !options_.weights_column && !options_.header &&
         !konect_.found;
}

void layout_finder::find_matrix_with_names() {
  layout_.matrix_names = may_be_matrix() && is_matrix_with_names(rows_, layout_.separator, from_.head_is_all());
  layout_.matrix = layout_.matrix_names;
}

void layout_finder::find_matrix_of_two_modes() {
  layout_.two_modes = may_be_matrix() && is_two_mode_matrix(rows_, layout_.separator, options_.bipartite);
  layout_.matrix = layout_.matrix_names = layout_.two_modes;
}

void layout_finder::find_matrix_without_names() {
  layout_.matrix = may_be_matrix() && from_.head_is_all() && is_square_matrix(rows_, layout_.separator);
}

void layout_finder::decide_format() {
  const bool ends_first = layout_.from == 0 && layout_.to == 1 && (!layout_.weight || *layout_.weight == 2);
  const bool all_used = layout_.columns == (layout_.weight ? 3u : 2u);
  const auto plain = [](const row& r) {
    return std::all_of(r.begin(), r.end(), [](const std::string& cell) { return cell.find(',') == cell.npos; });
  };
  const bool quoted = std::any_of(taken_.lines.begin(), taken_.lines.end(),
                                  [](std::string_view line) { return line.find('"') != line.npos; });
  layout_.exact = !layout_.named && !layout_.attributes && !layout_.bracketed && ends_first && all_used &&
                  layout_.separator != ':' && !quoted && !ragged_ && std::all_of(rows_.begin(), rows_.end(), plain);
  if (layout_.exact && layout_.separator == ' ' && !header_) {
    layout_.format = layout_.weight ? file_format::weighted_edge_list : file_format::edge_list;
  }
}

}  // namespace tables

table_layout layout_of_list(const input::source& from, bool weighted, const read_options& options,
                            read_report& report) {
  return tables::layout_finder(from, options, report).find_list(weighted);
}

table_layout find_layout(const input::source& from, const read_options& options, read_report& report) {
  return tables::layout_finder(from, options, report).find();
}

}  // namespace callisto::graph::formats
