// Runs the commands that analyse one graph.
#include <callisto/app/graph/command.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/attribute_options.hpp>
#include <callisto/cluster/memory.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/files/compress.hpp>
#include <callisto/graph/files/write.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>

namespace callisto::app {
namespace {

/// True if the suffix says nothing else than tab-separated text, or there is none.
bool is_plain_text(std::string_view path) {
  const std::string suffix = std::filesystem::path(graph::without_compression(path)).extension();
  return suffix.empty() || suffix == ".tsv" || suffix == ".txt" || suffix == ".tab";
}

/// Throws usage_error if the suffix names a form that the result will not have.
void refuse_other_form(const std::string& path, bool as_json) {
  constexpr std::string_view others[] = {".parquet", ".arrow", ".feather", ".xlsx", ".xls",
                                         ".npy",     ".npz",   ".html",    ".pdf"};
  const std::string suffix = std::filesystem::path(graph::without_compression(path)).extension();
  const bool json_wanted = suffix == ".json" && !as_json;
  if (!json_wanted && std::ranges::find(others, suffix) == std::ranges::end(others)) return;
  throw usage_error(fmt::format("--output: '{}' would hold text; expected {}another suffix, such as .tsv or .csv", path,
                                json_wanted ? "--json, or " : ""));
}

/// Writes `count` lines; append(text, i) appends line i without its end.
template <class Append>
void write_lines(result& out, std::uint64_t count, const Append& append, const std::stop_token& stop) {
  constexpr std::uint64_t block = 1 << 14;  // lines formatted by one thread at a time
  const std::uint64_t wave = block * 8 * threads();
  std::vector<std::string> texts;
  for (std::uint64_t begin = 0; begin < count; begin += wave) {
    const std::uint64_t end = std::min(count, begin + wave);
    texts.assign((end - begin + block - 1) / block, std::string());
    const bool complete = parallel_for(std::uint64_t{0}, std::uint64_t{texts.size()},
                                       [&](std::uint64_t b) {
                                         const std::uint64_t last = std::min(end, begin + (b + 1) * block);
                                         for (std::uint64_t i = begin + b * block; i < last; ++i) {
                                           append(texts[b], i);
                                           texts[b] += '\n';
                                         }
                                       },
                                       {.batch = 1, .stop = stop});
    if (!complete) throw graph::cancelled();
    for (const std::string& text : texts) out.write(text);
  }
}

/// Returns lines of cells between tabs as they are written, with `separator` between the cells.
std::string as_rows(std::string_view lines, char separator) {
  std::string rows;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    rows += as_row(lines.substr(begin, end - begin), separator) + '\n';
    begin = end + 1;
  }
  return rows;
}

/// True for a file that holds a graph, with values as attributes of its vertices.
bool is_attributed_graph(std::string_view path) {
  path = graph::without_compression(path);
  return path.ends_with(".graphml") || path.ends_with(".gexf");
}

/// Returns the cell of this number of what append_values writes of vertex v; empty for a dash, which means nothing.
std::string cell_of(const analysis& found, std::uint64_t v, std::size_t number) {
  std::string line;
  found.append_values(line, v);
  std::size_t begin = 0;
  for (; number != 0; --number) begin = line.find('\t', begin) + 1;
  const std::string cell = line.substr(begin, line.find('\t', begin) - begin);
  return cell == "-" ? std::string() : cell_text(cell);
}

/// Writes the graph with what was found as attributes of its vertices.
void write_attributed(const std::string& path, const graph::any_graph& graph, const analysis& found,
                      const graph::run_control& control) {
  std::vector<graph::vertex_attribute> attributes;
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    const bool numbers = parallel_reduce(
        std::uint64_t{0}, size_of(graph).vertices, true,
        [&](std::uint64_t v) {
          const std::string cell = cell_of(found, v, i);
          double value = 0;
          const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
          return cell.empty() || (error == std::errc{} && end == cell.data() + cell.size());
        },
        std::logical_and<>());
    attributes.push_back({found.columns[i], numbers, [&graph, &found, i](std::string& text, std::uint64_t rank) {
                            text += cell_of(found, by_label(graph, rank), i);
                          }});
  }
  graph::write_attributed_graph(graph, path, graph::file_format::automatic, attributes, control);
}

/// Writes the lines of --output: `label<TAB>values` for all vertices, in order of labels, or other ones.
void write_values(result& out, bool csv, const graph::any_graph& graph, const analysis& found,
                  const std::stop_token& stop) {
  const auto finish = [&](std::string& text, std::size_t begin) {
    const std::string_view line = std::string_view(text).substr(begin);
    if (csv || line.find_first_of("\\\"") != line.npos) text.replace(begin, text.npos, as_row(line, csv ? ',' : '\t'));
  };
  const auto append = [&](std::string& text, std::uint64_t i) {
    const std::size_t begin = text.size();
    if (found.lines) {
      found.lines->append(text, i);
    } else {
      const std::uint64_t v = by_label(graph, i);
      append_label(text, graph, v);
      text += '\t';
      found.append_values(text, v);
    }
    finish(text, begin);
  };
  if (csv && !found.columns.empty()) {
    out.write(fmt::format("{}{}\n", found.lines ? "" : "vertex,", fmt::join(found.columns, ",")));
  }
  if (found.lines && found.lines->all) {
    constexpr std::size_t enough = std::size_t{1} << 20;
    std::string text;
    found.lines->all([&](std::string_view line) {
      const std::size_t begin = text.size();
      text += line;
      finish(text, begin);
      text += '\n';
      if (text.size() < enough) return;
      out.write(text);
      text.clear();
    });
    out.write(text);
    return;
  }
  write_lines(out, found.lines ? found.lines->count : size_of(graph).vertices, append, stop);
}

/// Returns the rows as lines of cells, separated by tabs, with digits enough to read the same numbers back.
std::string to_lines(const ranking& top) {
  std::string text;
  for (std::size_t r = 0; r < top.rows.size(); ++r) {
    const auto& row = top.rows[r];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) text += '\t';
      text += in_one_column(text_of(row[i]));
    }
    if (!top.errors.empty()) fmt::format_to(std::back_inserter(text), "\t{}", top.errors[r]);
    text += '\n';
  }
  return text;
}

json to_json(const ranking& top) {
  json rows = json::array();
  for (const auto& row : top.rows) {
    json object;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::visit([&](const auto& value) { object[top.keys[i]] = value; }, row[i]);
    }
    if (!top.errors.empty()) object["standard_error"] = top.errors[rows.size()];
    if (!top.members.empty()) {
      object["members"] = json::array();
      for (const vertex_label& member : top.members[rows.size()]) object["members"].push_back(member);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

json to_json(const graph_command& command, const loaded_graph& loaded, const analysis& found) {
  json object = describe(command.input, loaded);
  object.update(found.facts);
  object["seconds"] = {{"load", loaded.seconds}, {"compute", found.seconds}};
  object["threads"] = threads();
  if (found.top) object["top"] = to_json(*found.top);
  return object;
}

/// Returns a number with this many digits, without a power of ten unless it is very small or large.
std::string with_digits(double value, int digits) {
  digits = std::clamp(digits, 1, 7);
  const double size = std::abs(value);
  if (size < 1e-4 || size >= 1e9) {
    return value == 0 ? std::string("0") : fmt::format("{:.{}e}", value, digits - 1);
  }
  const int whole = static_cast<int>(std::floor(std::log10(size))) + 1;  // digits in front of the point, or less
  if (whole <= digits) return fmt::format("{:.{}f}", value, digits - whole);
  const double unit = std::pow(10, whole - digits);
  return fmt::format("{:.0f}", std::round(value / unit) * unit);
}

/// Returns an estimate with the digits that its standard error leaves: "0.00123 +- 0.00004".
std::string with_error(double value, double error) {
  if (!std::isfinite(error) || value == 0) return fmt::format("{} +- {}", with_digits(value, 1), with_digits(error, 1));
  const int digits = static_cast<int>(std::floor(std::log10(std::abs(value))) - std::floor(std::log10(error)));
  const std::string shown = with_digits(value, digits + 1);
  // An error below 1e-4 has a power of ten only beside a value with one.
  if (error > 0 && error < 1e-4 && shown.find('e') == std::string::npos)
    return fmt::format("{} +- {:.{}f}", shown, error, static_cast<int>(-std::floor(std::log10(error))));
  return fmt::format("{} +- {}", shown, with_digits(error, 1));
}

/// How many decimals a column of numbers has: 7 digits in the largest; none if all are whole.
int decimals_of(const ranking& top, std::size_t column, double scale) {
  double most = 0;
  bool whole = true;
  for (const auto& row : top.rows) {
    const auto* const real = std::get_if<double>(&row[column]);
    if (real == nullptr || !std::isfinite(*real)) continue;
    most = std::max(most, std::abs(*real * scale));
    whole = whole && *real * scale == std::floor(*real * scale);
  }
  if (whole || most == 0) return 0;
  return std::clamp(6 - static_cast<int>(std::floor(std::log10(most))), 1, 10);
}

/// Returns a number with `decimals` decimals, or with a power of ten if these would not show it.
std::string with_decimals(double value, int decimals) {
  const double size = std::abs(value);
  const bool seen = size == 0 || size >= 100 * std::pow(10, -decimals);
  if (size < 1e12 && (seen || decimals == 0)) return fmt::format("{:.{}f}", value, decimals);
  return with_digits(value, 7);
}

/// True if the estimates of a row and the one above may be equal: if their difference is less than its 95 % interval.
bool may_be_equal(const ranking& top, std::size_t row) {
  const auto value = [&](std::size_t r) {
    const auto* const real = std::get_if<double>(&top.rows[r].back());
    return real != nullptr ? *real : static_cast<double>(std::get<std::uint64_t>(top.rows[r].back()));
  };
  const double error = std::hypot(top.errors[row], top.errors[row - 1]);
  return error > 0 && value(row - 1) - value(row) < 1.96 * error;
}

std::string to_table(const ranking& top) {
  std::vector<table::column> columns{{"rank"}};
  for (const std::string& key : top.keys) columns.push_back({key});
  if (!top.share_of.empty()) columns.back() = {"share of " + top.share_of};
  if (!top.members.empty()) columns.push_back({"best connected", table::align::left});
  table rows(std::move(columns));
  const double scale = top.share_of.empty() ? 1 : 100;
  const std::string unit = top.share_of.empty() ? "" : " %";
  for (const auto& row : top.rows) {
    const std::size_t r = rows.size();
    const bool tied = !top.errors.empty() && r != 0 && may_be_equal(top, r);
    std::vector<std::string> cells{(tied ? "= " : "") + with_separators(r + 1)};
    for (std::size_t c = 0; c < row.size(); ++c) {
      const auto* const real = std::get_if<double>(&row[c]);
      const bool last = c + 1 == row.size();
      const double by = last ? scale : 1;
      cells.push_back(real == nullptr ? one_line(text_of(row[c])) : with_decimals(*real * by, decimals_of(top, c, by)));
      if (last && real != nullptr && !top.errors.empty() && top.errors[r] != 0) {
        cells.back() = with_error(*real * by, top.errors[r] * by);
      }
      if (last) cells.back() += unit;
    }
    if (!top.members.empty()) cells.push_back(list_words(top.members[r]));
    rows.add_row(std::move(cells));
  }
  std::string text = rows.render();
  if (!top.errors.empty()) {
    text += "\n+-: standard error; =: cannot be told apart from the rank above (95 % interval of the difference)\n";
  }
  return text;
}

std::string to_summary(const graph_command& command, const loaded_graph& loaded, const analysis& found) {
  table facts = name_value_table();
  describe(command.input, loaded, facts);
  for (const auto& [name, value] : found.rows) facts.add_row({name, value});
  std::string text = facts.render();
  if (found.top && !found.top->rows.empty()) text += '\n' + to_table(*found.top);
  return text;
}

/// Returns how long a kernel usually takes beside the 10 of loading: searches from all vertices take longest.
double usual_share(std::string_view kernel) {
  for (const std::string_view slow : {"betweenness", "closeness", "eccentricity"}) {
    if (kernel == slow) return 200;
  }
  for (const std::string_view middle : {"communities", "similarity", "truss", "walks"}) {
    if (kernel == middle) return 30;
  }
  return 10;
}

}  // namespace

void graph_command::add_to(const command_parser& parser, const std::string& description) {
  name = parser.name();
  input.whole_where_told = [this] { return verify; };
  add_output(parser, output, description);
  input.add_to(parser);
  add_parsed(
      parser, "--trials", "N", [this](const std::string& text) { trials = parse_count("--trials", text, 1, 100'000); },
      "Run the kernel N times, and tell the median of their times and the range [1]");
  run.add_to(parser);
}

void graph_command::add_top_to(const command_parser& parser, const std::string& what) {
  add_parsed(
      parser, "--top", "K", [this](const std::string& text) { top = parse_count("--top", text, 0); },
      what + " [10]; with --output, write only those, best first");
}

void graph_command::add_verify_to(const command_parser& parser, const std::string& how) {
  parser.add_flag("--verify", verify, "Check the result " + how);
}

void graph_command::execute(const std::stop_token& stop, const needs_function& needs,
                            const analyse_function& analyse) const {
  run.apply({input.file, output});
  refuse_same_file(input.file, output);
  if (!is_standard_output(output)) refuse_other_form(output, run.as_json);
  const bool attributed = !run.as_json && is_attributed_graph(output);
  if (const std::string_view lines = other_lines(); attributed && !lines.empty()) {
    throw usage_error(
        fmt::format("--output: {} would hold values of vertices, but {} finds {}; expected another "
                    "suffix, such as .tsv or .csv",
                    output, name, lines));
  }
  const bool to_standard_output = !output.empty() && is_standard_output(output);
  result out(attributed || !rank_job::tells() ? std::string() : output);
  progress_bar bar(run.progress_wanted() && rank_job::tells());
  bar.expect(loading_and({{"", usual_share(name)}}));
  const graph::run_control context{&bar, stop};
  const loaded_graph loaded = input.load(context);
  graph::partners* const among = rank_job::among();
  const std::uint64_t needed =
      among == nullptr ? needs(loaded.graph) : cluster::memory_of_rank(name, loaded.graph, *among);
  graph::require_memory(name, among == nullptr ? needed : needed * cluster::ranks_of_machine());
  const auto once = [&] {
    try {
      return analyse(loaded.graph, context);
    } catch (const graph::weight_error& e) {
      throw input_error(input.file, 0, e.what());
    }
  };
  analysis found = once();
  if (trials > 1) {
    std::vector<double> seconds{found.seconds};
    while (seconds.size() < trials) {
      found = {};  // the memory of a result is free before the next
      found = once();
      seconds.push_back(found.seconds);
    }
    found.facts["trial_seconds"] = seconds;
    std::sort(seconds.begin(), seconds.end());
    found.seconds = (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
    found.rows.emplace_back(
        "trials", fmt::format("{} runs, median {}, {} to {}", with_separators(trials), human_seconds(found.seconds),
                              human_seconds(seconds.front()), human_seconds(seconds.back())));
  }
  if (!rank_job::tells()) return;
  if (rank_job::ranks() > 1) {
    found.facts["ranks"] = rank_job::ranks();
    found.rows.emplace_back("ranks", with_separators(static_cast<std::uint64_t>(rank_job::ranks())));
  }
  found.facts["memory_needed"] = needed;
  found.rows.emplace_back("memory", "up to " + human_bytes(needed) + " beyond the graph");
  if (!attributed) add_vertex_columns(found, loaded.graph);
  const bool every_value = found.append_values || found.lines;
  const bool for_programs = every_value || found.top;  // else the result is text for people, also in --output
  const bool csv = is_csv(output);
  bool shown = true;
  if (attributed) {
    write_attributed(output, loaded.graph, found, context);
    bar.finish();
    found.rows.emplace_back("written", output);
    if (!run.quiet) print(to_summary(*this, loaded, found));
    return;
  }
  bar.finish();
  if (!output.empty() && !to_standard_output) {
    const bool says_otherwise = for_programs && !csv && !run.as_json && !is_plain_text(output);
    found.rows.emplace_back("written", output + (says_otherwise ? ", as tab-separated text" : ""));
  }
  if (run.as_json) {
    out.write(run.to_text(to_json(*this, loaded, found)));
  } else if (!for_programs) {
    out.write(run.quiet ? found.bare : to_summary(*this, loaded, found));
  } else if ((!output.empty() && !top && every_value) || (run.quiet && found.lines && !found.top)) {
    write_values(out, csv, loaded.graph, found, stop);
    shown = to_standard_output;
  } else if (!output.empty() || run.quiet) {
    std::string lines = found.top ? to_lines(*found.top) : found.bare;
    const bool of_vertices = found.top && !output.empty() && found.top->keys.front() == "vertex";
    std::vector<std::string> header = of_vertices ? names_of_vertex_columns(loaded.graph) : std::vector<std::string>();
    if (!header.empty()) lines = with_vertex_columns(lines, *found.top, loaded.graph);
    if (found.top) lines = as_rows(lines, csv ? ',' : '\t');
    if (csv && found.top) {
      lines =
          fmt::format("{}{}{}{}\n", fmt::join(found.top->keys, ","), found.top->errors.empty() ? "" : ",standard_error",
                      header.empty() ? "" : ",", fmt::join(header, ",")) +
          lines;
    }
    out.write(lines);
    shown = to_standard_output;
  } else {
    shown = false;
  }
  out.commit();
  if (!shown && !run.quiet) print(to_summary(*this, loaded, found));
}

std::string as_row(std::string_view line, char separator) {
  std::string row;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    const std::string_view cell = line.substr(begin, end - begin);
    const std::string text = cell_text(cell);
    if (begin != 0) row += separator;
    const bool csv = separator == ',';
    const bool cut = text.find_first_of(csv ? ",\"\n\r" : "\t\n\r") != text.npos || text.starts_with('"') ||
                     (csv && (text.starts_with(' ') || text.ends_with(' ')));
    if (cut || cell == "\\-") {
      row += '"';
      for (const char c : text) row.append(c == '"' ? 2 : 1, c);
      row += '"';
    } else {
      row += text;
    }
    begin = end + 1;
  }
  return row;
}

bool is_csv(std::string_view path) { return graph::without_compression(path).ends_with(".csv"); }

command kernel_command(const command_parser& parser, std::shared_ptr<const graph_command> of, needs_function needs,
                       analyse_function analyse) {
  return {parser, [of = std::move(of), needs = std::move(needs),
                   analyse = std::move(analyse)](const std::stop_token& stop) { of->execute(stop, needs, analyse); }};
}

std::uint64_t vertex_of(const graph::any_graph& graph, const ranking::cell& cell) {
  const auto* const name = std::get_if<std::string>(&cell);
  return vertex_of(graph, name != nullptr ? *name : text_of(cell), "vertex");
}

std::string text_of(const ranking::cell& cell) {
  if (const auto* const name = std::get_if<std::string>(&cell)) return *name;
  if (const auto* const real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  return std::to_string(std::get<std::uint64_t>(cell));
}

std::string time_words(double seconds) {
  return fmt::format("{} ({})", human_seconds(seconds), counted(threads(), "thread"));
}

}  // namespace callisto::app
