// Finds the roles of a table's columns: the header, ends, weight, direction, and what vertices are called.
#include <callisto/graph/files/formats/header_words.hpp>
#include <callisto/graph/files/formats/table_attributes.hpp>
#include <callisto/graph/files/formats/table_finder.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace callisto::graph::formats::tables {

using namespace std::string_view_literals;

void layout_finder::refuse_vertices() const {
  if (!options_.columns.empty() || options_.header == false || rows_.size() < 2) return;
  const row& first = rows_.front();
  if (!is_vertex_column(first[0]) || ends_named_by(first) || !is_label_column(first[1])) return;
  throw input_error(from_.name(), 1,
                    "is a table of vertices, with columns " + input::shown(first[0]) + " and " +
                        input::shown(first[1]) + ", not of edges (--columns 1,2 takes it as edges all the same)");
}

void layout_finder::find_header() {
  refuse_vertices();
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

bool layout_finder::has_header_in_comment() {
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

bool layout_finder::looks_like_header() const {
  if (layout_.attributes) return false;
  const row& first = rows_.front();
  if (const auto ends = ends_named_by(first); ends && !data_goes_on(rows_, ends->first, ends->second)) return true;
  // The user names columns.
  for (const std::string& name : options_.columns) {
    if (!input::to_unsigned(name) && std::find(first.begin(), first.end(), name) != first.end()) return true;
  }
  return has_text_above_numbers(rows_, layout_.separator);
}

std::size_t layout_finder::column_called(const std::string& name, const char* flag) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return i;
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (input::lower_case(names_[i]) == input::lower_case(name)) return i;
  }
  const auto number = input::to_unsigned(name);
  if (number && *number >= 1 && *number <= layout_.columns) return static_cast<std::size_t>(*number - 1);
  std::string known;
  if (header_) {
    for (const auto& one : names_) known += (known.empty() ? "; there are " : ", ") + std::string(one);
  }
  throw usage_error(std::string(flag) + ": " + from_.name() + " has " + input::counted(layout_.columns, "column") +
                    (header_ ? "" : " and no header") + ", but none is called " + input::shown(name) + known);
}

void layout_finder::find_ends() {
  if (layout_.attributes) return;
  if (!options_.columns.empty()) {
    layout_.from = column_called(options_.columns[0], "--columns");
    layout_.to = column_called(options_.columns[1], "--columns");
  } else if (const auto ends = ends_named_by(names_)) {
    layout_.from = ends->first;
    layout_.to = ends->second;
  } else if (!header_) {
    find_ends_without_header();
  } else if (layout_.columns > 3) {
    refuse_header(from_.name(), names_);
  }
}

void layout_finder::find_ends_without_header() {
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

void layout_finder::find_weight() {
  if (layout_.attributes) return;
  if (options_.weights_column) {
    if (*options_.weights_column != "none")
      layout_.weight = column_called(*options_.weights_column, "--weights-column");
  } else if (options_.columns.size() == 3) {
    layout_.weight = column_called(options_.columns[2], "--columns");
  } else if (options_.columns.empty()) {
    layout_.weight = usual_weight();
  }
  layout_.weighted = layout_.weight.has_value();
}

std::optional<std::size_t> layout_finder::usual_weight() {
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
  weight_by_place_ = true;
  return next;
}

void layout_finder::leave_out_times() {
  if (!weight_by_place_) return;
  const std::string number = std::to_string(*layout_.weight + 1);
  if (looks_like_time(rows_, *layout_.weight, layout_.separator, false)) {
    report_.notes.push_back("column " + number + " looks like time stamps and is left out (--weights-column " + number +
                            " takes it as weights)");
    layout_.weight.reset();
    layout_.weighted = false;
    told_time_ = true;
  } else if (!header_ && looks_like_years(rows_, *layout_.weight, layout_.separator)) {
    report_.notes.push_back("column " + number +
                            " is taken as weights, though it may hold years (--weights-column none)");
  }
}

void layout_finder::find_direction() {
  if (layout_.attributes) return;
  const auto column = column_with(names_, role::type);
  if (!column || rows_.empty()) return;
  const std::optional<stated_direction> found = types_in(rows_, *column);
  if (!found) return;
  state_direction(!found->directed);
  type_column_ = column;
  if (found->directed && found->undirected) {
    report_.notes.emplace_back("some edges are directed and others are not: all are taken as directed (--undirected)");
  }
}

void layout_finder::find_sides() {
  if (layout_.attributes) return;
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

void layout_finder::find_ids() {
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
                            " is taken as an edge, not as a header: " + input::shown(rows_[0][layout_.from]) + " and " +
                            input::shown(rows_[0][layout_.to]) + " are vertices (--header yes)");
  }
  if (other && numbers != 0) {
    report_.notes.push_back("vertices are taken as names, because line " +
                            std::to_string(taken_.numbers[other->first + (header_ && !in_comment_ ? 1 : 0)]) + " has " +
                            input::shown(other->second) + " (--ids numbers refuses such lines)");
  }
}

void layout_finder::tell_leading_zeros() {
  for (std::size_t i = 0; i < taken_.lines.size(); ++i) {
    const std::string_view line = taken_.lines[i];
    if (line.size() < 2 || line[0] != '0' || line[1] < '0' || line[1] > '9') continue;
    report_.notes.push_back("ids with leading zeros, as in line " + std::to_string(taken_.numbers[i]) +
                            ", are numbers: 07 is 7 (--ids names keeps them apart)");
    return;
  }
}

void layout_finder::find_kept() {
  layout_.kept = kept_columns(layout_, names_, column_with(names_, role::type), options_.attributes);
}

std::string layout_finder::words_for(std::size_t column) const {
  return header_ ? input::shown(names_[column]) : "column " + std::to_string(column + 1);
}

void layout_finder::tell_columns() {
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

}  // namespace callisto::graph::formats::tables
