// Finds the separator, the header and the roles of the columns of a table.
#include <callisto/graph/files/formats/table_layout.hpp>

#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/header_words.hpp>
#include <callisto/graph/files/formats/quoted_lines.hpp>
#include <callisto/graph/files/formats/table_attributes.hpp>
#include <callisto/graph/files/formats/table_guesses.hpp>
#include <callisto/graph/files/formats/table_sample.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace callisto::graph::formats {
namespace {

using namespace std::string_view_literals;
using namespace tables;

class finder {
 public:
  finder(const input::source& from, const read_options& options, read_report& report)
      : from_(from), options_(options), report_(report) {}

  table_layout find_list(bool weighted) {
    taken_ = take_sample(from_, ' ');
    konect_ = read_comments(taken_.comments, options_, layout_, report_);
    layout_.exact = true;
    layout_.weighted = weighted;
    layout_.format = weighted ? file_format::weighted_edge_list : file_format::edge_list;
    layout_.without_edges = has_vertices_only();
    return layout_;
  }

  table_layout find() {
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
    layout_.skip = taken_.separator_end;
    layout_.bracketed = lines_are_in_brackets(taken_.lines);
    if (layout_.bracketed) {
      for (std::string_view& line : taken_.lines) line = inside_brackets(line);
    }
    if (!find_attributes()) cut();
    if (is_matrix()) {
      layout_.matrix = true;
      return layout_;
    }
    refuse_vertices();
    find_header();
    find_roles();
    find_ids();
    layout_.kept = kept_columns(layout_, names_, column_with(names_, role::type), options_.attributes);
    tell_columns();
    decide_format();
    return layout_;
  }

 private:
  /// True if the sample is comments as write_graph() makes them of a graph without edges.
  bool has_vertices_only() const {
    return taken_.lines.empty() && !taken_.comments.empty() &&
           (layout_.vertices || contains(taken_.comments.front(), "graph without edges, its vertices:"sv));
  }

  /// True if nothing remains to be found: each line is two numbers with a blank between, and the user asks for nothing
  /// else. Saves most files the work of cutting the sample into cells.
  bool is_plain_list() const {
    if (layout_.bipartite || options_.bipartite || options_.ids == vertex_ids::names || options_.header == true ||
        options_.separator || taken_.separator || !options_.columns.empty() || options_.weights_column) {
      return false;
    }
    return std::all_of(taken_.lines.begin(), taken_.lines.end(), is_pair_of_numbers);
  }

  void state_direction(bool undirected) {
    report_.direction_known = true;
    layout_.undirected = undirected;
  }

  /// Finds NetworkX's edge lists with data. Returns false if the table is none.
  bool find_attributes() {
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

  /// Cuts the lines into cells.
  void cut() {
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
    if (ragged_) {
      std::for_each(rows_.begin(), rows_.end(), drop_empty_end);
      if (!take_counts() && !take_optional_weights() && layout_.skip_bad) keep_usual_rows(rows_, taken_);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::size_t found = rows_[i].size();
      if (found == rows_.front().size() && found >= 2) continue;
      refuse_columns(from_.name(), taken_.numbers[i], rows_[i], rows_.front());
    }
    layout_.columns = rows_.front().size();
  }

  /// Takes a first line of two numbers above lines of three as the numbers of vertices and edges, as rudy and the sets
  /// for maximum cuts have it.
  bool take_counts() {
    const auto counts = counts_above_edges(rows_, from_.head_is_all());
    if (!counts || options_.header == false) return false;
    layout_.skip = taken_.first_end;
    layout_.vertices = std::pair(std::uint64_t{1}, counts->first);
    rows_.erase(rows_.begin());
    taken_.lines.erase(taken_.lines.begin());
    taken_.numbers.erase(taken_.numbers.begin());
    if (!report_.direction_known) state_direction(true);
    report_.notes.push_back("line 1 says that there are " + std::to_string(counts->first) + " vertices and " +
                            std::to_string(counts->second) + " edges, undirected (--directed)");
    ragged_ = false;
    return true;
  }

  /// Takes lines of two cells among lines of three as edges that weigh 1, if the third are numbers.
  bool take_optional_weights() {
    layout_.optional_weight = options_.columns.empty() && weight_is_optional(rows_, layout_.separator);
    if (!layout_.optional_weight) return false;
    for (row& r : rows_) r.resize(3, "1");
    report_.notes.emplace_back("edges without a weight weigh 1");
    return true;
  }

  /// True for an adjacency matrix: with names, the first line and the first column hold the same; without, as many rows
  /// as columns, four or more, with nothing on the diagonal, and either symmetric or of 0 and 1.
  bool is_matrix() {
    if (layout_.attributes || !options_.columns.empty() || options_.weights_column || options_.header ||
        konect_.found) {
      return false;
    }
    layout_.matrix_names = is_matrix_with_names(rows_, layout_.separator, from_.head_is_all());
    if (!layout_.matrix_names && is_two_mode_matrix(rows_, layout_.separator, options_.bipartite)) {
      layout_.matrix_names = layout_.two_modes = true;
    }
    return layout_.matrix_names || (from_.head_is_all() && is_square_matrix(rows_, layout_.separator));
  }

  /// Throws input_error for a table of vertices, such as Gephi's "Id,Label" and Neo4j's "movieId:ID,title", taken for
  /// edges.
  void refuse_vertices() const {
    if (!options_.columns.empty() || options_.header == false || rows_.size() < 2) return;
    const row& first = rows_.front();
    if (!is_vertex_column(first[0]) || ends_named_by(first) || !is_label_column(first[1])) return;
    throw input_error(from_.name(), 1,
                      "is a table of vertices, with columns " + input::shown(first[0]) + " and " +
                          input::shown(first[1]) + ", not of edges (--columns 1,2 takes it as edges all the same)");
  }

  void find_header() {
    if (!options_.header && options_.columns.empty() && has_header_in_comment()) return;
    header_ = options_.header ? *options_.header : looks_like_header();
    if (!header_) return;
    names_ = rows_.front();
    rows_.erase(rows_.begin());
    layout_.skip = taken_.first_end;
    const bool tabs = layout_.separator == ' ' && cells_of(taken_.lines.front(), '\t').size() == layout_.columns;
    if (tabs) layout_.separator = '\t';  // which cut as blanks do, so far
    if (layout_.separator != ' ' && !layout_.bracketed) {
      layout_.marked_data = true;
      for (const auto& [number, line] : taken_.marked) {
        row cells = cells_of(line, layout_.separator);
        if (cells.size() != layout_.columns) continue;
        rows_.push_back(std::move(cells));
        taken_.lines.push_back(line);
        taken_.numbers.push_back(number);
      }
    }
    if (rows_.empty() && from_.head_is_all())
      throw input_error(from_.name(), 1, "no edges: the file holds a header only");
  }

  /// Takes the last comment before the data as the header if it names as many columns as there are, three or more, and
  /// the ends among them: "#node1<TAB>node2<TAB>combined_score", as STRING and BioGRID have it.
  bool has_header_in_comment() {
    if (taken_.comments.empty() || layout_.attributes || layout_.columns < 3 || konect_.found) return false;
    std::string_view line = taken_.comments.back();
    line.remove_prefix(std::min(line.find_first_not_of("#%/; \t"sv), line.size()));
    row cells = cells_of(line, layout_.separator);
    if (cells.size() != layout_.columns) cells = cells_of(line, '\t');
    if (cells.size() != layout_.columns || !ends_named_by(cells) ||
        std::any_of(cells.begin(), cells.end(), [](const std::string& cell) { return is_number(cell); })) {
      return false;
    }
    names_ = std::move(cells);
    header_ = true;
    in_comment_ = true;
    return true;
  }

  bool looks_like_header() const {
    if (layout_.attributes) return false;
    const row& first = rows_.front();
    if (const auto ends = ends_named_by(first); ends && !data_goes_on(rows_, ends->first, ends->second)) return true;
    // The user names columns.
    for (const std::string& name : options_.columns) {
      if (!input::to_unsigned(name) && std::find(first.begin(), first.end(), name) != first.end()) return true;
    }
    return has_text_above_numbers(rows_, layout_.separator);
  }

  /// Returns the column that the user calls `name`.
  std::size_t column_called(const std::string& name, const char* flag) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (input::lower_case(names_[i]) == input::lower_case(name)) return i;
    }
    const auto number = input::to_unsigned(name);
    if (number && *number >= 1 && *number <= layout_.columns) return static_cast<std::size_t>(*number - 1);
    throw usage_error(std::string(flag) + ": " + from_.name() + " has " + input::counted(layout_.columns, "column") +
                      (header_ ? "" : " and no header") + ", but none is called " + input::shown(name));
  }

  void find_roles() {
    if (layout_.attributes) return;
    if (!options_.columns.empty()) {
      layout_.from = column_called(options_.columns[0], "--columns");
      layout_.to = column_called(options_.columns[1], "--columns");
      if (options_.columns.size() == 3) layout_.weight = column_called(options_.columns[2], "--columns");
    } else {
      if (const auto ends = ends_named_by(names_)) {
        layout_.from = ends->first;
        layout_.to = ends->second;
      } else if (!header_) {
        find_ends_without_header();
      } else if (layout_.columns > 3) {
        refuse_header(from_.name(), names_);
      }
      layout_.weight = usual_weight();
    }
    if (options_.weights_column) {
      layout_.weight.reset();
      report_.weights_are_lengths = false;
      if (*options_.weights_column != "none") {
        layout_.weight = column_called(*options_.weights_column, "--weights-column");
      }
    }
    layout_.weighted = layout_.weight.has_value();
    find_types();
    if (header_ && are_users_and_items(names_[layout_.from], names_[layout_.to])) {
      layout_.bipartite = true;
      report_.notes.push_back("users and what they rate are different vertices, called left-ID and right-ID");
      if (!report_.direction_known) state_direction(true);
    }
    if (layout_.separator == ':' && layout_.columns >= 3 && options_.columns.empty()) {
      report_.notes.emplace_back(
          "columns separated by '::' are users and what they rate: vertices are called left-ID and right-ID "
          "(--columns 1,2 keeps equal numbers equal)");
      layout_.bipartite = true;
    }
    layout_.bipartite = layout_.bipartite || options_.bipartite;
    if (layout_.bipartite && !report_.direction_known) state_direction(true);
  }

  /// Finds the ends where they are not the first two columns: behind times, and around an arrow.
  void find_ends_without_header() {
    if (layout_.columns < 3) return;
    const auto all = [&](const auto& is) { return std::all_of(rows_.begin(), rows_.end(), is); };
    const std::string_view middle = rows_.front()[1];
    const bool sign = std::none_of(middle.begin(), middle.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & '\x80') != 0;
    });
    if (sign && !middle.empty() && all([&](const row& r) { return r[1] == middle; })) {
      layout_.to = 2;
      std::string note =
          "edges lead from column 1 to column 3, for column 2 is " + input::shown(middle) + " in all lines";
      if (!report_.direction_known && contains(middle, ">"sv) != contains(middle, "<"sv)) {
        if (contains(middle, "<"sv)) std::swap(layout_.from, layout_.to);
        state_direction(false);
      } else if (!report_.direction_known && (middle == "--" || middle == "<->")) {
        state_direction(true);
        note += ", undirected (--directed)";
      }
      report_.notes.push_back(note);
      told_columns_ = layout_.columns <= 4;
    } else if (looks_like_time(rows_, 0, layout_.separator, true) &&
               !looks_like_time(rows_, 1, layout_.separator, false)) {
      // Ids may look like times, too. Those of both ends are of the same vertices; ratings are of none.
      if (share_values(rows_, 1, 2)) {
        layout_.from = 1;
        layout_.to = 2;
        report_.notes.emplace_back("column 1 looks like time stamps: edges lead from column 2 to column 3 (--columns)");
      } else {
        report_.notes.emplace_back(
            "column 1 is taken as an end of edges, though it may hold time stamps (--columns 2,3)");
      }
    } else if (const auto ends = columns_of_same_names(rows_, layout_.separator)) {
      layout_.from = ends->first;
      layout_.to = ends->second;
    }
  }

  /// Returns the column of weights, if the table does not tell otherwise.
  std::optional<std::size_t> usual_weight() {
    if (const auto named = column_with(names_, role::weight)) {
      const bool some = layout_.skip_bad && some_are_numbers(rows_, *named, layout_.separator);
      if (some || holds_numbers(rows_, *named, layout_.separator)) {
        report_.weights_are_lengths = is_called_length(names_[*named]);
        return named;
      }
      if (!rows_.empty() && is_called_weight(names_[*named])) {
        refuse_weights(from_.name(), names_[*named], rows_.front()[*named]);
      }
    }
    // The column behind both ends.
    const std::size_t next = std::max(layout_.from, layout_.to) + 1;
    if (std::min(layout_.from, layout_.to) != 0 || next > 3 || layout_.columns <= next ||
        !holds_numbers(rows_, next, layout_.separator)) {
      return std::nullopt;
    }
    if (konect_.found) return konect_.unweighted ? std::nullopt : std::optional<std::size_t>(next);
    if (header_ && (role_of(names_[next]) != role::none || layout_.columns > 3)) return std::nullopt;
    guessed_weight_ = header_;
    const std::string number = std::to_string(next + 1);
    if (!looks_like_time(rows_, next, layout_.separator, false)) {
      if (!header_ && looks_like_years(rows_, next, layout_.separator)) {
        report_.notes.push_back("column " + number +
                                " is taken as weights, though it may hold years (--weights-column none)");
      }
      return next;
    }
    report_.notes.push_back("column " + number + " looks like time stamps and is left out (--weights-column " + number +
                            " takes it as weights)");
    told_time_ = true;
    return std::nullopt;
  }

  /// Takes the direction from Gephi's column Type.
  void find_types() {
    const auto column = column_with(names_, role::type);
    if (!column || rows_.empty()) return;
    const std::optional<stated_direction> found = types_in(rows_, *column);
    if (!found) return;
    state_direction(!found->directed);
    type_column_ = column;
    if (found->directed && found->undirected) {
      report_.notes.emplace_back(
          "some edges are directed and others are not: all are taken as directed (--undirected)");
    }
  }

  void find_ids() {
    layout_.named = layout_.bipartite || options_.ids == vertex_ids::names;
    if (layout_.named || options_.ids == vertex_ids::numbers) return;
    std::size_t numbers = 0;
    std::optional<std::pair<std::size_t, std::string_view>> other;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const std::size_t column : {layout_.from, layout_.to}) {
        if (to_vertex_number(rows_[i][column])) {
          ++numbers;
        } else if (!other && !(layout_.skip_bad && rows_[i][column].empty())) {
          other.emplace(i, rows_[i][column]);
        }
      }
    }
    layout_.named = other.has_value();
    if (!layout_.named) tell_leading_zeros();
    if (layout_.named && numbers == 0 && !header_ && !options_.header &&
        first_line_stands_alone(rows_, layout_.from, layout_.to)) {
      report_.notes.push_back("line " + std::to_string(taken_.numbers[0]) +
                              " is taken as an edge, not as a header: " + input::shown(rows_[0][layout_.from]) +
                              " and " + input::shown(rows_[0][layout_.to]) + " are vertices (--header yes)");
    }
    if (other && numbers != 0) {
      report_.notes.push_back("vertices are taken as names, because line " +
                              std::to_string(taken_.numbers[other->first + (header_ && !in_comment_ ? 1 : 0)]) +
                              " has " + input::shown(other->second) + " (--ids numbers refuses such lines)");
    }
  }

  /// Tells that 007 and 7 are one vertex, if an id of the sample begins so.
  void tell_leading_zeros() {
    for (std::size_t i = 0; i < taken_.lines.size(); ++i) {
      const std::string_view line = taken_.lines[i];
      if (line.size() < 2 || line[0] != '0' || line[1] < '0' || line[1] > '9') continue;
      report_.notes.push_back("ids with leading zeros, as in line " + std::to_string(taken_.numbers[i]) +
                              ", are numbers: 07 is 7 (--ids names keeps them apart)");
      return;
    }
  }

  std::string words_for(std::size_t column) const {
    return header_ ? input::shown(names_[column]) : "column " + std::to_string(column + 1);
  }

  /// Tells which columns were taken as what, if a header or further columns leave a choice.
  void tell_columns() {
    const std::size_t used = layout_.weight ? 3 : 2;
    if (layout_.attributes || told_columns_ ||
        (!header_ && (layout_.columns <= used || told_time_) && layout_.columns <= 3))
      return;
    std::string text = "edges from " + words_for(layout_.from) + " to " + words_for(layout_.to);
    text += layout_.weight ? ", weight " + words_for(*layout_.weight) : ", no weights";
    if (guessed_weight_ && layout_.weight) text += " (a guess: --weights-column none)";
    if (type_column_) text += ", directions " + words_for(*type_column_);
    std::string others;
    for (std::size_t i = 0; i < layout_.columns; ++i) {
      if (i == layout_.from || i == layout_.to || layout_.weight == i || type_column_ == i) continue;
      if (std::any_of(layout_.kept.begin(), layout_.kept.end(), [&](const auto& k) { return k.first == i; })) continue;
      others += (others.empty() ? "" : ", ") + words_for(i);
      constexpr std::size_t enough = 200;
      if (others.size() > enough) {
        others += " ...";
        break;
      }
    }
    if (!others.empty()) text += "; left out: " + others;
    report_.notes.push_back(text + " (--columns)");
  }

  void decide_format() {
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

  const input::source& from_;
  const read_options& options_;
  read_report& report_;
  sample taken_;
  std::vector<row> rows_;
  row names_;
  table_layout layout_;
  bool header_ = false;
  bool in_comment_ = false;                 ///< the header is a comment
  bool guessed_weight_ = false;             ///< the header does not say that the column holds weights
  std::optional<std::size_t> type_column_;  ///< Gephi's, if it said whether edges have directions
  bool ragged_ = false;  ///< lines differ in their numbers of cells, at least in empty ones at their ends
  konect_words konect_ = {};
  bool told_time_ = false;
  bool told_columns_ = false;
};

}  // namespace

table_layout layout_of_list(const input::source& from, bool weighted, const read_options& options,
                            read_report& report) {
  return finder(from, options, report).find_list(weighted);
}

table_layout find_layout(const input::source& from, const read_options& options, read_report& report) {
  return finder(from, options, report).find();
}

}  // namespace callisto::graph::formats
