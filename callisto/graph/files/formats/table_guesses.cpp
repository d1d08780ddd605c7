#include <callisto/graph/files/formats/table_guesses.hpp>

#include <callisto/graph/files/formats/header_words.hpp>
#include <callisto/graph/files/formats/quoted_lines.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace callisto::graph::formats::tables {

bool is_pair_of_numbers(std::string_view line) {
  constexpr std::size_t most_digits = 19;  // fit 64 bits
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < line.size() && line[count] >= '0' && line[count] <= '9') ++count;
    line.remove_prefix(count);
    return count - 1 < most_digits;
  };
  if (!digits() || line.empty() || !input::is_blank(line[0])) return false;
  line.remove_prefix(1);
  return digits() && line.empty();
}

bool is_matrix_with_names(const std::vector<row>& rows, char separator, bool all) {
  const std::size_t columns = rows.front().size();
  const std::size_t named = std::min(rows.size(), columns) - 1;
  if (named < 2 || is_number(rows[0][0])) return false;
  for (std::size_t i = 1; i <= named; ++i) {
    if (rows[i][0] != rows[0][i] || rows[i].size() != columns) return false;
  }
  return (!all || rows.size() == columns) &&
         std::all_of(rows[1].begin() + 1, rows[1].end(),
                     [&](const std::string& cell) { return cell.empty() || to_table_weight(cell, separator); });
}

bool is_two_mode_matrix(const std::vector<row>& rows, char separator, bool wanted) {
  const row& first = rows.front();
  if (rows.size() < 2 || first.size() < 3) return false;
  const bool corner = !first[0].empty();
  if (corner && !wanted && first.size() == 3 && ends_named_by(first)) return false;
  const auto number = [&](const std::string& cell) { return to_table_weight(cell, separator); };
  std::set<std::string_view> columns;
  for (std::size_t i = 1; i < first.size(); ++i) {
    if (first[i].empty() || !columns.insert(first[i]).second) return false;
    if (corner && (number(first[i]) || role_of(first[i]) != role::none)) return false;
  }
  std::set<std::string_view> names;
  bool any_zero = false;
  bool marks = true;
  bool numbered = false;  // lines begin with numbers
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const row& r = rows[i];
    if (r.size() != first.size() || r[0].empty() || !names.insert(r[0]).second) return false;
    numbered = numbered || number(r[0]);
    for (std::size_t j = 1; j < r.size(); ++j) {
      const auto value = r[j].empty() ? std::optional<double>(0) : number(r[j]);
      if (!value) return false;
      any_zero = any_zero || *value == 0;
      marks = marks && (*value == 0 || *value == 1);
    }
  }
  if (corner && numbered && (!marks || first.size() < 4)) return false;
  return any_zero ? marks || !corner || wanted : wanted && first.size() > 3;
}

bool is_square_matrix(const std::vector<row>& rows, char separator) {
  const std::size_t columns = rows.front().size();
  if (rows.size() != columns || columns < 4) return false;
  bool symmetric = true;
  bool marks = true;
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const auto value = to_table_weight(rows[i][j], separator);
      if (!value || (i == j && *value != 0)) return false;
      marks = marks && (*value == 0 || *value == 1);
      symmetric = symmetric && rows[i][j] == rows[j][i];
    }
  }
  return symmetric || marks;
}

bool has_text_above_numbers(const std::vector<row>& rows, char separator) {
  if (rows.size() < 2) return false;
  const row& first = rows.front();
  const auto number = [&](const std::string& cell) { return to_table_weight(cell, separator).has_value(); };
  const auto numbers_below = [&](std::size_t column) {
    return std::all_of(rows.begin() + 1, rows.end(), [&](const row& r) { return number(r[column]); });
  };
  const auto text_above = [&](std::size_t column) { return !first[column].empty() && !number(first[column]); };
  if (text_above(0) && text_above(1) && numbers_below(0) && numbers_below(1)) return true;
  constexpr std::size_t many = 4;  // columns, of which the first two may be no ends
  for (std::size_t column = first.size() < many ? 2 : 0; column < first.size(); ++column) {
    if (text_above(column) && numbers_below(column)) return true;
  }
  return false;
}

std::optional<std::pair<std::size_t, std::size_t>> ends_named_by(const row& names) {
  std::optional<std::size_t> from;
  std::optional<std::size_t> to;
  bool relation = false;
  std::optional<std::size_t> subject;
  std::optional<std::size_t> object;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const role found = role_of(names[i]);
    if (found == role::from && !from) from = i;
    if (found == role::to && !to) to = i;
    const std::string word = input::lower_case(names[i]);
    relation = relation || word == "relation" || word == "predicate" || word == "property";
    if (word == "subject") subject = i;
    if (word == "object") object = i;
  }
  if (relation && subject && object) return std::pair(*subject, *object);
  if (!from || !to) {
    from = to = std::nullopt;
    // "From Bank,Account,To Bank,Account": what stands behind both names alike is the end.
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      const std::string word = input::lower_case(names[i]);
      if (word.starts_with("from") && !from) from = i;
      if (word.starts_with("to") && from && !to && word.substr(2) == input::lower_case(names[*from]).substr(4)) to = i;
    }
    if (!from || !to) return paired_ends(names);
    const bool alike = *from + 1 < *to && input::lower_case(names[*from + 1]) == input::lower_case(names[*to + 1]);
    return std::pair(*from + (alike ? 1 : 0), *to + (alike ? 1 : 0));
  }
  // A triple of a knowledge graph leads from the head to the tail.
  if (relation && input::lower_case(names[*from]) == "tail") std::swap(from, to);
  return std::pair(*from, *to);
}

std::optional<std::size_t> column_with(const row& names, role wanted) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (role_of(names[i]) == wanted) return i;
  }
  return std::nullopt;
}

std::optional<stated_direction> types_in(const std::vector<row>& rows, std::size_t column) {
  stated_direction found;
  for (const row& r : rows) {
    const std::string word = input::lower_case(r[column]);
    if (word != "directed" && word != "undirected" && word != "mutual") return std::nullopt;
    (word == "directed" ? found.directed : found.undirected) = true;
  }
  return found;
}

bool data_goes_on(const std::vector<row>& rows, std::size_t from, std::size_t to) {
  const std::string& one = rows.front()[from];
  const std::string& other = rows.front()[to];
  const auto differ = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  const auto same = static_cast<std::size_t>(differ.first - one.begin());
  constexpr std::size_t most_digits = 2;
  if (one.size() - same > most_digits || other.size() - same > most_digits) return false;
  const std::string_view stem = std::string_view(one).substr(0, same);
  return std::any_of(rows.begin() + 1, rows.end(), [&](const row& r) {
    const auto again = [&](const std::string& cell) { return cell == one || cell == other; };
    if (again(r[from]) || again(r[to])) return true;
    return stem.empty() ? r[from].size() == 1 && !is_number(r[from]) : r[from].starts_with(stem);
  });
}

bool holds_numbers(const std::vector<row>& rows, std::size_t column, char separator) {
  if (rows.empty()) return false;
  const std::string cell = input::lower_case(rows.front()[column]);
  return to_table_weight(cell, separator).has_value() || cell == "inf" || cell == "-inf" || cell == "nan";
}

/// True for 20240131.
static bool is_calendar_date(double value) {
  const auto number = static_cast<std::uint64_t>(std::clamp(value, 0.0, 1e9));
  const std::uint64_t month = number / 100 % 100;
  const std::uint64_t day = number % 100;
  return number >= 19800101 && number <= 21001231 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

bool looks_like_time(const std::vector<row>& rows, std::size_t column, char separator, bool sorted) {
  constexpr double first = 315532800;
  constexpr double last = 4102444800;
  bool dates = true;
  bool never_fall = true;
  bool whole = true;
  double before = 0;
  for (const row& r : rows) {
    const double value = to_table_weight(r[column], separator).value_or(0);
    whole = whole && value == std::floor(value);
    const auto within = [&](double unit) { return value >= first * unit && value <= last * unit; };
    const bool units = within(1e3) || within(1e6) || within(1e9);
    dates = dates && (within(1) || (whole && (units || is_calendar_date(value))));
    never_fall = never_fall && (&r == &rows.front() || value >= before);
    before = value;
  }
  if (dates) return !sorted || never_fall;
  const double begin = to_table_weight(rows.front()[column], separator).value_or(0);
  return !sorted && never_fall && whole && rows.size() >= 1000 && before - begin >= static_cast<double>(rows.size());
}

bool share_values(const std::vector<row>& rows, std::size_t one, std::size_t other) {
  std::set<std::string_view> first;
  std::set<std::string_view> second;
  for (const row& r : rows) {
    first.insert(r[one]);
    second.insert(r[other]);
  }
  const auto in_both = std::count_if(first.begin(), first.end(), [&](auto value) { return second.contains(value); });
  const auto both = static_cast<std::size_t>(in_both);
  return 5 * both >= first.size() + second.size() - both;
}

std::optional<std::pair<std::size_t, std::size_t>> columns_of_same_names(const std::vector<row>& rows, char separator) {
  constexpr std::size_t most_columns = 64;
  const std::size_t columns = std::min(rows.front().size(), most_columns);
  std::vector<std::set<std::string_view>> values(columns);
  std::vector<bool> names(columns, true);
  for (std::size_t i = 0; i < columns; ++i) {
    for (const row& r : rows) {
      const std::string& cell = r[i];
      // Neither what stands for no value nor dates are names.
      if (cell.empty() || cell == "\\N" || cell == "NA" || cell == "NULL" || cell == "null" || cell == "-") continue;
      values[i].insert(cell);
      names[i] = names[i] && !to_table_weight(cell, separator) &&
                 cell.find_first_not_of("0123456789.-/: ") != std::string::npos;
    }
  }
  const auto shared = [&](std::size_t i, std::size_t j) {
    return static_cast<std::size_t>(
        std::count_if(values[i].begin(), values[i].end(), [&](auto value) { return values[j].contains(value); }));
  };
  if (shared(0, 1) != 0) return std::nullopt;
  if (columns == 3) {
    // A triple: relations are fewer than what they join.
    if (!names[0] || !names[2] || values[1].size() >= std::min(values[0].size(), values[2].size())) return std::nullopt;
  } else if (names[0] == names[1]) {
    return std::nullopt;  // both may be ends, as of two modes
  }
  // A few may be the same by chance, and flags always are.
  constexpr std::size_t least = 2;
  constexpr std::size_t share = 20;
  std::size_t most = 0;
  std::optional<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = i + 1; j < columns; ++j) {
      if (!names[i] || !names[j]) continue;
      const std::size_t fewer = std::min(values[i].size(), values[j].size());
      const std::size_t both = shared(i, j);
      if (fewer <= least || both < least || both * share < fewer || both <= most) continue;
      most = both;
      found.emplace(i, j);
    }
  }
  if (columns == 3 && found && *found != std::pair(std::size_t{0}, std::size_t{2})) return std::nullopt;
  return found;
}

std::optional<attribute_lines> attributes_of(const std::vector<std::string_view>& lines) {
  attribute_lines found;
  for (const std::string_view line : lines) {
    const std::size_t open = line.find('{');
    const std::size_t close = line.find_last_not_of(" \t");
    if (open == line.npos || open == 0 || line[close] != '}') return std::nullopt;
    // Multigraphs have a key between the ends and the dictionary.
    const std::string_view ends = line.substr(0, open);
    const auto are_ends = [](const row& cells) {
      return cells.size() == 2 || (cells.size() == 3 && input::to_unsigned(cells.back()));
    };
    row cells = cells_of(ends, ' ');
    found.separator = ' ';
    if (!are_ends(cells) || (contains(ends, ",") && !cells.front().starts_with('('))) {
      cells = cells_of(ends, ',');
      found.separator = ',';
      if (!cells.empty() && cells.back().empty()) cells.pop_back();
      if (!are_ends(cells)) return std::nullopt;
    }
    cells.resize(2);
    found.weighted = found.weighted || has_weight(line.substr(open));
    found.others = found.others || line.substr(open).find_first_not_of("{} \t") != line.npos;
    found.rows.push_back(std::move(cells));
  }
  return found;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> counts_in_first(const std::vector<std::string_view>& lines) {
  const auto ends_of = [](std::string_view line) {
    const input::columns words = input::split(line);
    return std::pair(input::to_unsigned(words.text[0]).value_or(0), input::to_unsigned(words.text[1]).value_or(0));
  };
  const auto [vertices, edges] = ends_of(lines.front());
  const bool fits = std::all_of(lines.begin() + 1, lines.end(), [&](std::string_view line) {
    const auto [from, to] = ends_of(line);
    return from <= vertices && to <= vertices;
  });
  if (!fits || edges + 1 < lines.size()) return std::nullopt;
  return std::pair(vertices, edges);
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> counts_above_edges(const std::vector<row>& rows, bool all) {
  if (rows.size() < 2 || rows.front().size() != 2) return std::nullopt;
  const auto vertices = input::to_unsigned(rows.front()[0]);
  const auto edges = input::to_unsigned(rows.front()[1]);
  constexpr std::uint64_t most = std::uint64_t{1} << 37;  // as check_vertices() has it
  if (!vertices || !edges || *vertices == 0 || *vertices > most || *edges + 1 < rows.size()) return std::nullopt;
  if (all && *edges + 1 != rows.size()) return std::nullopt;
  const auto is_end = [&](const std::string& cell) {
    const auto id = input::to_unsigned(cell);
    return id && *id >= 1 && *id <= *vertices;
  };
  const bool fit = std::all_of(rows.begin() + 1, rows.end(), [&](const row& r) {
    return r.size() == 3 && is_end(r[0]) && is_end(r[1]) && is_number(r[2]);
  });
  return fit ? std::optional(std::pair(*vertices, *edges)) : std::nullopt;
}

bool weight_is_optional(const std::vector<row>& rows, char separator) {
  if (separator != ' ' && separator != '\t') return false;  // tables of other separators are of whole lines
  bool header = true;
  for (const row& r : rows) {
    if (r.size() < 2 || r.size() > 3) return false;
    if (r.size() == 3 && !header && !to_table_weight(r[2], separator)) return false;
    header = false;
  }
  // A first line alone may say how many vertices and edges there are, or name columns.
  const auto has = [&](std::size_t cells) {
    return std::any_of(rows.begin() + 1, rows.end(), [&](const row& r) { return r.size() == cells; });
  };
  const bool weighted_first = rows.front().size() == 3 && to_table_weight(rows.front()[2], separator);
  return has(2) && (has(3) || weighted_first);
}

void keep_usual_rows(std::vector<row>& rows, sample& taken) {
  std::map<std::size_t, std::size_t> lines_with;
  for (const row& r : rows) lines_with[r.size()] += r.size() >= 2 ? 1 : 0;
  const auto usual = std::max_element(lines_with.begin(), lines_with.end(),
                                      [](const auto& one, const auto& other) { return one.second < other.second; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != usual->first) continue;
    if (kept != i) {
      rows[kept] = std::move(rows[i]);
      taken.lines[kept] = taken.lines[i];
      taken.numbers[kept] = taken.numbers[i];
    }
    ++kept;
  }
  rows.resize(kept);
  taken.lines.resize(kept);
  taken.numbers.resize(kept);
}

bool some_are_numbers(const std::vector<row>& rows, std::size_t column, char separator) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const row& r) { return to_table_weight(r[column], separator).has_value(); });
}

void refuse_header(const std::string& file, const row& names) {
  std::string found;
  for (const std::string& name : names) found += (found.empty() ? "" : ", ") + input::shown(name);
  throw input_error(file, 1,
                    "the header does not tell which columns are the ends of edges: name them by --columns "
                    "FROM,TO[,WEIGHT]; found " +
                        found);
}

void refuse_weights(const std::string& file, const std::string& name, const std::string& cell) {
  throw input_error(file, 1,
                    "column " + input::shown(name) + " holds " + input::shown(cell) +
                        ", which is no number (--weights-column none leaves it out)");
}

void refuse_columns(const std::string& file, std::uint64_t line, const row& found, const row& first) {
  if (found.empty()) throw quoted_line_break(file, line, true);
  if (&found == &first) {
    throw input_error(file, line, "expected two or more columns, found one: " + input::shown(first.front()));
  }
  throw input_error(file, line,
                    input::counted(found.size(), "column") + " where " + std::to_string(first.size()) +
                        " are expected" +
                        (std::max(found.size(), first.size()) > 3
                             ? "; --format adjacency-list reads a vertex and its neighbours a line"
                             : ""));
}

bool looks_like_years(const std::vector<row>& rows, std::size_t column, char separator) {
  return rows.size() >= 2 && std::all_of(rows.begin(), rows.end(), [&](const row& r) {
           const double value = to_table_weight(r[column], separator).value_or(0);
           return value == std::floor(value) && value >= 1900 && value <= 2100;
         });
}

bool first_line_stands_alone(const std::vector<row>& rows, std::size_t from, std::size_t to) {
  return rows.size() >= 2 && std::none_of(rows.begin() + 1, rows.end(), [&](const row& r) {
           return r[from] == rows[0][from] || r[from] == rows[0][to] || r[to] == rows[0][from] || r[to] == rows[0][to];
         });
}

}  // namespace callisto::graph::formats::tables
